import hashlib
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from servers.organizations import actions, scopes
from servers.organizations.models import ApiKey, Organization
from servers.tests.conftest import Api

pytestmark = pytest.mark.django_db


def create(*arguments):
    out, err = StringIO(), StringIO()
    call_command("create_api_key", *arguments, stdout=out, stderr=err)
    return out.getvalue()


def test_the_command_prints_the_key_and_nothing_else():
    printed = create("--organization", "olive", "--scopes", "events:read,attendees:write")
    assert re.fullmatch(r"evt_live_[A-Za-z0-9_-]{43}\n", printed)
    assert Api(printed.strip()).get("/events").status_code == 200


def test_the_command_makes_the_organization_once():
    for _ in range(2):
        create("--organization", "olive", "--scopes", "events:read")
    assert Organization.objects.get().api_keys.count() == 2


def test_the_command_takes_a_name_and_a_limit():
    create("--organization", "olive", "--scopes", "events:read", "--name", "Sync", "--limit", "600/60")
    key = ApiKey.objects.get()
    assert (key.name, key.limit, key.scopes) == ("Sync", "600/60", ["events:read"])


@pytest.mark.parametrize(
    "arguments",
    [("--scopes", "events:read,events:fly"), ("--scopes", ""), ("--scopes", "events:read", "--limit", "fast"),
     ("--scopes", "events:read", "--limit", "0/10"), ("--scopes", "events:read", "--limit", "60"),
     ("--scopes", "events:read", "--limit", "²/10"), ("--scopes", "events:read", "--name", "x" * 121)],
)  # fmt: skip
def test_the_command_refuses_what_it_does_not_know(arguments):
    with pytest.raises(CommandError):
        create("--organization", "olive", *arguments)
    assert not ApiKey.objects.exists()
    assert not Organization.objects.exists()


@pytest.mark.parametrize("slug", ["", "two words", "a/b", "ä", "x" * 61])
def test_the_command_refuses_an_organization_that_no_address_can_name(slug):
    with pytest.raises(CommandError, match="letters, digits"):
        create("--organization", slug, "--scopes", "events:read")
    assert not Organization.objects.exists()


def test_only_the_hash_is_stored(organization):
    new = actions.create_key(organization=organization, scopes=["events:read"])
    stored = ApiKey.objects.values().get()
    assert stored["sha256"] == hashlib.sha256(new.secret.encode()).hexdigest()
    assert not any(new.secret in str(value) for value in stored.values())
    assert new.secret.startswith(stored["prefix"])
    assert new.secret.endswith(stored["last4"])


def test_the_usual_limit_is_sixty_in_ten_seconds(organization):
    assert actions.create_key(organization=organization, scopes=["events:read"]).key.limit == "60/10"


def test_a_revoked_key_keeps_the_time_of_its_first_revocation(organization):
    key = actions.create_key(organization=organization, scopes=["events:read"]).key
    actions.revoke_key(key=key)
    first = key.revoked_at
    actions.revoke_key(key=key)
    assert key.revoked_at == first


def test_names_every_scope_of_the_contract():
    assert {"events:read", "ticket_classes:write", "checkout:write", "catalog:read", "webhooks:write"} <= set(
        scopes.ALL
    )
    assert not {"catalog:write", "payments:write", "forms:write"} & set(scopes.ALL)
