import json
from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.overview.rules import worker_check
from organizer.sync.models import Pulse

pytestmark = pytest.mark.django_db


def beat(seconds_ago):
    Pulse.objects.update_or_create(process="worker", defaults={"at": timezone.now() - timedelta(seconds=seconds_ago)})


def ready(client):
    answer = client.get("/readyz")
    return answer.status_code, json.loads(answer.content)


def test_is_ready_while_the_worker_reports(client):
    beat(3)
    assert ready(client)[0] == 200


def test_says_that_no_worker_ever_was(client):
    status, said = ready(client)
    assert status == 503
    assert said["ready"] is False
    assert "Is it started?" in said["checks"]["worker"]["words"]
    assert said["checks"]["database"]["ok"] is True


def test_says_how_long_the_worker_is_silent(client):
    beat(65)
    status, said = ready(client)
    assert status == 503
    assert "65 s ago" in said["checks"]["worker"]["words"]


def test_believes_the_youngest_of_several_workers(client):
    beat(65)
    Pulse.objects.create(process="another", at=timezone.now())
    assert ready(client)[0] == 200


def test_says_that_the_broker_is_away(client, settings, tmp_path):
    beat(1)
    settings.CELERY_BROKER_URL = "folder://"
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path / "gone")}
    status, said = ready(client)
    assert status == 503
    assert said["checks"]["broker"]["ok"] is False


def test_waits_twenty_seconds_before_it_worries():
    assert worker_check(timedelta(seconds=20)).ok
    assert not worker_check(timedelta(seconds=20.1)).ok


def test_lives_without_a_database(client):
    assert client.get("/healthz").content == b"ok"


def test_needs_no_session(client):
    assert "Set-Cookie" not in client.get("/readyz").headers


def test_says_that_the_worker_leaves_changes_behind(client):
    now = timezone.now()
    Pulse.objects.create(process="worker", at=now, oldest_due=now - timedelta(seconds=29))
    assert ready(client)[0] == 200
    Pulse.objects.update(oldest_due=now - timedelta(seconds=45))
    status, said = ready(client)
    assert status == 503
    assert "changes wait since 45 s" in said["checks"]["worker"]["words"]
