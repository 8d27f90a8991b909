"""Suppliers and their secrets: what is refused, what is sealed, what a command makes."""

import io

import pytest
from django.core.management import CommandError, call_command

from organizer.accounts.models import AuditEntry
from organizer.connections import actions as connections
from organizer.connections import vault
from organizer.webhooks import actions
from organizer.webhooks.models import Vendor, VendorSecret
from tests.webhooks.live import SECRET

pytestmark = pytest.mark.django_db


def test_seals_its_secrets_for_their_own_row(add):
    vendor = add(orders_url="https://acme.test/api/vendor/v1", orders_key="sup_live_1")
    secret = vendor.secrets.get()
    assert (vault.opened(secret), vault.opened(vendor.connection)) == (SECRET, "sup_live_1")
    vendor.connection.ciphertext = secret.ciphertext
    with pytest.raises(vault.CouldNotOpen):
        vault.opened(vendor.connection)
    assert not any(SECRET in str(entry.after) for entry in AuditEntry.objects.all())


def test_seals_them_again_with_a_new_key(add, settings):
    vendor = add()
    settings.FOYER_KEY_RING = {"fresh": bytes(32), **settings.FOYER_KEY_RING}
    assert connections.reseal(limit=10) == 0
    secret = vendor.secrets.get()
    assert (vault.key_id(bytes(secret.ciphertext)), vault.opened(secret)) == ("fresh", SECRET)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"key": "Acme"}, "key"), ({"key": "a"}, "key"), ({"key": "a" * 61}, "key"), ({"auth": "none"}, "auth"),
        ({"secret": ""}, "secret"), ({"signature_header": "Authorization"}, "signature_header"),
        ({"auth": "ip"}, "allowed"), ({"auth": "ip", "allowed": ["1.2.3.4/24"]}, "allowed"),
        ({"auth": "ip", "allowed": ["0.0.0.0/0"]}, "allowed"), ({"auth": "ip", "allowed": ["::/0"]}, "allowed"),
        ({"auth": "ip", "allowed": ["nowhere"]}, "allowed"),
    ],
)  # fmt: skip
def test_refuses_at_the_field(add, more, field):
    with pytest.raises(actions.CouldNotSave) as problem:
        add(**more)
    assert problem.value.field == field
    assert not Vendor.objects.exists()


def test_offers_the_network_that_was_meant(add):
    with pytest.raises(actions.CouldNotSave, match=r"1\.2\.3\.0/24"):
        add(auth="ip", allowed=["1.2.3.4/24"])


def test_a_key_is_one_vendors(add):
    add()
    with pytest.raises(actions.CouldNotSave, match="taken"):
        add()


def test_a_command_makes_one_and_says_no_secret(cast):
    out = io.StringIO()
    of = ["--organization", cast.organization.slug, "--key", "acme", "--auth", "hmac", "--secret-stdin"]
    call_command("add_vendor", *of, stdin=io.StringIO(f"{SECRET}\n"), stdout=out)
    assert "/api/webhooks/acme" in out.getvalue()
    assert SECRET not in out.getvalue()
    assert vault.opened(VendorSecret.objects.get()) == SECRET
    with pytest.raises(CommandError, match="taken"):
        call_command("add_vendor", *of, stdin=io.StringIO(f"{SECRET}\n"))
    with pytest.raises(CommandError, match="no organization"):
        call_command("add_vendor", "--organization", "nobody", "--key", "x1", "--auth", "hmac", "--secret", "s")
