"""A key is in clear nowhere but in the request that carries it."""

import base64
import json
import logging
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.urls import reverse

from organizer.connections import clients, tasks
from organizer.connections.models import Connection
from tests.support import faults

KEY = "evt_live_" + "Kq7-" * 10 + "end"
PLACES = ["connections:index", "connections:add"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def said(caplog, capfd):
    """Everything that was logged or printed."""
    caplog.set_level(logging.DEBUG)

    def said_():
        captured = capfd.readouterr()
        return captured.out + captured.err + caplog.text + repr([record.__dict__ for record in caplog.records])

    return said_


@pytest.fixture
def owner(client, cast):
    client.force_login(cast.olive)
    return client


def stored():
    """All rows of all tables, and what waits in the broker's folder."""
    for model in apps.get_models():
        yield from (repr(row) for row in model._default_manager.values_list())
    for file in Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"]).rglob("*"):
        if file.is_file():
            text = file.read_text(errors="replace")
            yield text
            yield base64.b64decode(json.loads(text).get("body", "")).decode() if text.startswith("{") else ""


@pytest.mark.parametrize("status", [200, 401, 403, 404, 500])
def test_lets_a_key_appear_nowhere(owner, cast, fault_server, said, status):
    """Also not by way of a provider who repeats it in every answer."""
    echo = {"error": f"refused: {KEY}", "message": KEY, "data": [{"id": KEY, "name": KEY, "status": KEY}]}
    fault_server.on("*", faults.says(echo, status=status))
    slug = cast.organization.slug
    form = {"service": "events", "url": fault_server.url, "key": KEY}
    answers = [owner.post(reverse("connections:add", args=[slug]), form)]
    connection = Connection.objects.get()
    tasks.check(connection_id=str(connection.pk))
    answers += [owner.get(reverse(place, args=[slug])) for place in PLACES]
    answers += [owner.get(reverse("connections:replace", args=[slug, connection.pk]))]
    answers += [owner.get(reverse("overview:index", args=[slug]))]
    assert [answer.status_code for answer in answers] == [302, 200, 200, 200, 200]
    assert fault_server.requests[0].headers["x-api-key"] == KEY
    for answer in answers:
        assert KEY not in answer.content.decode()
    assert not [text for text in stored() if KEY in text]
    assert KEY not in said()


def test_does_not_repeat_a_key_that_is_none(owner, cast, said):
    odd = f"{KEY} with a space"
    form = {"service": "events", "url": "nowhere", "key": odd}
    answer = owner.post(reverse("connections:add", args=[cast.organization.slug]), form)
    assert answer.status_code == 422
    assert KEY not in answer.content.decode()
    assert KEY not in said()


def test_shows_no_key_of_its_objects(add):
    connection = add(key=KEY)
    shown = [repr(connection), str(connection), repr(vars(connection)), repr(clients.transport(connection))]
    assert not [text for text in shown if KEY in text]
