"""The health page: each thing in words, with what to do; and what `/readyz` says of it."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from organizer.connections.models import Connection, Health
from organizer.overview import lines
from organizer.overview.lines import OK, STOP, WARN
from organizer.overview.rules import worker_check
from organizer.sync.models import Pulse
from tests.support import mirror

PAGE = "/o/harbour/settings/health/"
FULL = Path("/proc")
"""A file system that has no room, on every Linux."""

pytestmark = pytest.mark.django_db


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def well(cast):
    """Everything as it should be."""
    connection = mirror.connection(cast.organization)
    event = mirror.event(connection)
    mirror.swept(connection, "events", at=timezone.now())
    mirror.swept(connection, "attendees", str(event.remote_id), at=timezone.now() - timedelta(minutes=2))
    Pulse.objects.create(process="worker", at=timezone.now())
    return connection


def found(client):
    answer = client.get(PAGE)
    assert answer.status_code == 200
    return answer.context["condition"], answer.content.decode()


def line(client, name):
    condition, said = found(client)
    one = next(one for one in (*condition.installation, *condition.lists) if one.name == name)
    assert one.words.replace("'", "&#x27;") in said
    return one


def test_says_that_everything_is_well(olive, well, settings, tmp_path):
    settings.DATA = tmp_path
    settings.MAILERS = {"default": {"BACKEND": "x.smtp.EmailBackend", "OPTIONS": {"host": "mail.test", "port": 587}}}
    made = {"made_at": timezone.now().isoformat(), "with_keys": True}
    (tmp_path / "last-backup.json").write_text(json.dumps(made))
    condition, said = found(olive)
    assert [one for one in (*condition.installation, *condition.lists) if one.level != OK] == []
    assert "Everything is well." in said
    assert condition.is_ready
    for words in ("SQLite " if "SQLite" in said else "PostgreSQL ", "are free.", "1 worker reports.", "mail.test:587"):
        assert words in said
    assert dict(condition.versions)["Foyer"] == "0.1.0"


def test_knows_a_full_disk(olive, client, well, settings):
    settings.DATA = FULL
    assert line(olive, "Disk").level == STOP
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert json.loads(answer.content)["checks"]["disk"] == {
        "ok": False,
        "words": "Only 0 B are free in the data folder: make room.",
    }
    assert "503" in found(olive)[1]


def test_knows_a_data_folder_that_is_gone(client, well, settings, tmp_path):
    settings.DATA = tmp_path / "gone"
    assert json.loads(client.get("/readyz").content)["checks"]["disk"]["ok"] is False


def test_says_that_the_worker_is_silent(olive, well):
    Pulse.objects.update(at=timezone.now() - timedelta(minutes=5))
    silent = line(olive, "Worker")
    assert silent.level == STOP
    assert "300 s ago" in silent.words
    assert "Start the worker again" in silent.advice
    assert line(olive, "Schedule").level == STOP


def test_says_what_waits_and_what_came_to_nothing(olive, well):
    guest = mirror.guest(mirror.event(well), status="pending_approval")
    assert line(olive, "Outbox").words == "Nothing waits to be sent."
    one = mirror.command(guest, due_at=timezone.now() - timedelta(seconds=5))
    assert line(olive, "Outbox").words == "1 change is on its way."
    type(one).objects.update(due_at=timezone.now() - timedelta(minutes=15))
    assert (line(olive, "Outbox").level, line(olive, "Outbox").words) == (
        STOP,
        "The oldest of 1 changes waits since 15 min.",
    )
    Connection.objects.update(health=Health.KEY_REFUSED)
    assert line(olive, "Outbox").words == "1 change is held."
    Connection.objects.update(health=Health.WORKING)
    type(one).objects.update(state="refused")
    refused = line(olive, "Outbox")
    assert (refused.level, refused.words, refused.url) == (
        WARN,
        "1 change came to nothing.",
        "/o/harbour/settings/outbox/",
    )


@pytest.mark.parametrize(
    ("health", "level", "advice"),
    [
        (Health.WORKING, "ok", "Last read whole"),
        (Health.UNREACHABLE, "warn", "Foyer keeps trying."),
        (Health.KEY_REFUSED, "stop", "Make a new key at the provider"),
    ],
)
def test_says_how_a_connection_stands(olive, well, health, level, advice):
    Connection.objects.update(health=health, health_message="As they said")
    condition, said = found(olive)
    assert [row.level for row in condition.connections] == [level]
    assert advice in said
    assert "As they said" in said
    assert "of 60 requests used" in said
    assert mirror.KEY not in said


def test_names_the_scopes_that_a_key_lacks(olive, well):
    Connection.objects.update(scopes={"attendees:write": "denied"})
    condition, said = found(olive)
    assert "<code>attendees:write</code>" in said
    assert condition.wanting > 0


def test_says_how_old_the_lists_are(olive, well):
    assert line(olive, "Guests").words == "1 list, read 2 min ago."
    mirror.swept(well, "attendees", "another", at=timezone.now() - timedelta(days=3))
    late = line(olive, "Guests")
    assert (late.level, late.words) == (
        WARN,
        "2 lists, the oldest of them read 3 days ago. 1 is older than it should be.",
    )
    mirror.swept(well, "events", at=timezone.now(), problem="The answer was cut.")
    assert "The answer was cut." in line(olive, "Events").words


@pytest.mark.parametrize("said", ["", "{", '{"made_at": 5}', "[]", '{"made_at": "x", "with_keys": true}'])
def test_survives_an_odd_note_of_the_last_backup(olive, well, settings, tmp_path, said):
    settings.DATA = tmp_path
    (tmp_path / "last-backup.json").write_text(said)
    assert line(olive, "Backup").words == "None has been made here."


def test_shows_nothing_of_another_organization(olive, cast, well):
    theirs = mirror.connection(cast.elsewhere)
    Connection.objects.filter(pk=theirs.pk).update(health_message="Theirs alone", health=Health.KEY_REFUSED)
    mirror.command(mirror.guest(mirror.event(theirs)), state="refused")
    condition, said = found(olive)
    assert "Theirs alone" not in said
    assert line(olive, "Outbox").level == OK
    assert len(condition.connections) == 1


def test_asks_no_broker_over_the_network(olive, well, settings):
    settings.CELERY_BROKER_URL = "amqp://192.0.2.1:5672"
    assert "Not asked from a page" in found(olive)[1]


@pytest.mark.parametrize(
    ("free", "level"), [(0, STOP), (199_999_999, STOP), (200_000_000, WARN), (1_999_999_999, WARN), (2_000_000_000, OK)]
)
def test_says_in_time_that_room_runs_out(free, level):
    assert lines.disk(free, 10**12).level == level
    assert lines.disk_check(free).ok == (level != STOP)


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 B"), (812_000_000, "812 MB"), (78_200_000_000, "78.2 GB"), (3.5e12, "3.5 TB")]
)
def test_says_sizes(count, said):
    assert lines.size(count) == said


@pytest.mark.parametrize(
    ("age", "with_keys", "level"),
    [(None, False, WARN), (timedelta(days=1), True, OK), (timedelta(days=8), True, WARN)],
)
def test_reminds_of_the_backup(age, with_keys, level):
    assert lines.backup(age, with_keys=with_keys).level == level


def test_says_that_a_backup_lacks_the_ring():
    assert "lacks the key ring" in lines.backup(timedelta(hours=1), with_keys=False).words


def test_says_that_a_worker_cannot_keep_up():
    behind = worker_check(timedelta(seconds=1), timedelta(seconds=45))
    assert lines.worker(behind, alive=1).level == WARN
