import base64
import io
import logging
import os
import tomllib

import pytest
from django.core.management import CommandError, call_command

from dashboard import secrets as installation
from organizer.accounts.models import AuditEntry
from organizer.connections import queries, vault
from organizer.connections.models import Connection, Health
from organizer.connections.probe import EVENT_SCOPES
from tests.connections.conftest import KEY, OTHER_KEY, URL
from tests.support import processes


@pytest.fixture
def connect(organization, caplog, capfd):
    """Runs the command; whatever it says anywhere, it does not say the key."""

    def connect_(key, url=URL, **options):
        out, err = io.StringIO(), io.StringIO()
        arguments = {"organization": organization.slug, "service": "events", "url": url} | options
        caplog.set_level(logging.DEBUG)
        try:
            call_command("connect", **arguments, stdin=io.StringIO(f"{key}\n"), stdout=out, stderr=err)
        finally:
            captured = capfd.readouterr()
            said = out.getvalue() + err.getvalue() + caplog.text + captured.out + captured.err
            assert key not in said
        return out.getvalue()

    return connect_


def test_connects_by_a_key_from_standard_input(event_server, connect, organization):
    key = event_server.make_key("by-command", EVENT_SCOPES)
    said = connect(key, f"{event_server.url}/api/v1")
    assert said == f"Connected: Event API at {event_server.url}/api/v1 works.\n"
    connection = queries.live(organization, "events")
    assert (connection.health, vault.opened(connection)) == (Health.WORKING, key)
    assert AuditEntry.objects.get(verb="connection.added").by_name == "system"


def test_names_the_scopes_that_are_missing(event_server, connect):
    key = event_server.make_key("by-command", ["events:read"])
    assert "lacks these scopes: attendees:read, attendees:write" in connect(key, f"{event_server.url}/api/v1")


def test_fails_where_the_key_is_refused(event_server, connect):
    with pytest.raises(CommandError, match="refuses the key"):
        connect(KEY, f"{event_server.url}/api/v1")
    assert Connection.objects.get().health == Health.KEY_REFUSED


def test_stores_what_is_not_reachable_yet(connect):
    assert "Stored, but not reachable now" in connect(KEY, f"http://127.0.0.1:{processes.free_port()}")
    assert Connection.objects.get().health == Health.UNREACHABLE


@pytest.mark.parametrize(
    ("key", "options", "words"),
    [
        ("not a key", {}, "not an API key"),
        ("\n", {}, "not an API key"),
        (KEY, {"organization": "nowhere"}, "no organization"),
        (KEY, {"url": "nowhere"}, "https://"),
    ],
)
def test_says_what_is_wrong(connect, key, options, words):
    with pytest.raises(CommandError, match=words):
        connect(key, **options)
    assert not Connection.objects.exists()


def test_takes_no_key_as_an_argument(organization):
    with pytest.raises(TypeError):
        call_command("connect", organization="harbour", service="events", url=URL, key=KEY)


@pytest.fixture
def ring_file(tmp_path):
    installation.load(tmp_path)
    return tmp_path / installation.FILE_NAME


def rotate():
    out = io.StringIO()
    call_command("rotate_encryption_key", stdout=out)
    return out.getvalue()


def key_ids():
    return {vault.key_id(bytes(row.ciphertext)) for row in Connection.objects.exclude(ciphertext=b"")}


def test_rotates_the_key_of_a_file(settings, ring_file, add):
    settings.FOYER_KEY_RING = ring = installation.RingFile(ring_file)
    first, second = add(), add(service="cloud", key=OTHER_KEY)
    before = tomllib.loads(ring_file.read_text())
    said = rotate()
    assert "2 of 2 secrets" in said
    assert "Back up" in said
    assert len(ring) == 2
    assert key_ids() == {next(iter(ring))}
    assert vault.opened(Connection.objects.get(pk=first.pk)) == KEY
    assert vault.opened(Connection.objects.get(pk=second.pk)) == OTHER_KEY
    after = tomllib.loads(ring_file.read_text())
    assert after["secret_key"] == before["secret_key"]
    assert after["key_ring"].endswith(before["key_ring"])
    assert ring_file.stat().st_mode & 0o777 == 0o600


def test_tells_running_processes_of_the_new_key(settings, ring_file, add):
    running = installation.RingFile(ring_file)
    assert len(running) == 1
    settings.FOYER_KEY_RING = installation.RingFile(ring_file)
    connection = add()
    rotate()
    settings.FOYER_KEY_RING = running
    assert vault.opened(Connection.objects.get(pk=connection.pk)) == KEY
    assert len(running) == 2


def test_goes_on_where_it_was_broken_off(settings, add):
    old, new = ("old", os.urandom(32)), ("new", os.urandom(32))
    settings.FOYER_KEY_RING = dict([old])
    add()
    settings.FOYER_KEY_RING = dict([new, old])
    add(service="cloud", key=OTHER_KEY)
    assert rotate() == "1 of 1 secrets are encrypted with the newest key.\n"
    assert key_ids() == {"new"}


def test_says_what_to_set_in_the_environment(settings, add):
    settings.FOYER_KEY_RING = {"only": os.urandom(32)}
    add()
    said = rotate()
    assert "FOYER_KEY_RING" in said
    [(_, key)] = installation.parse_ring(said.strip().splitlines()[-1]).items()
    assert base64.b64encode(key).decode() in said
    assert key_ids() == {"only"}


def test_says_that_a_secret_does_not_open(settings, add):
    settings.FOYER_KEY_RING = {"lost": os.urandom(32)}
    add()
    settings.FOYER_KEY_RING = {"new": os.urandom(32)}
    with pytest.raises(CommandError, match="does not open"):
        rotate()


def test_keeps_no_secret_in_what_a_program_shows(ring_file):
    ring = installation.RingFile(ring_file)
    [key] = ring.values()
    assert base64.b64encode(key).decode() not in repr(ring)
    assert str(key) not in repr(ring)
