"""With the event server gone every page answers as ever, says how old it is, and reaches out to nobody."""

import re

import pytest

from organizer.connections.models import Connection, Health
from tests.access.test_matrix import ASKED, EXPECTED
from tests.support import network, pages

READING = [name for name, (method, _) in EXPECTED.items() if method == "GET"]
READ_NOTHING = pages.PARTS | pages.FORMS | {"events:feed"}
"""Parts of pages, forms, and a page about an address of ours: they show nothing that was read."""
OF_THE_MIRROR = [name for name in READING if name.split(":")[0] in ("events", "attendees") and name not in READ_NOTHING]
OF_THE_MIRROR.append("overview:today")


@pytest.fixture
def client(client, place):
    Connection.objects.update(health=Health.UNREACHABLE)
    client.force_login(place.cast.olive)
    return client


@pytest.mark.parametrize("name", READING)
def test_answers_without_a_connection(client, place, name):
    with network.watched() as connections:
        response = client.get(place.url(name), ASKED.get(name, {}), follow=True)
    assert response.status_code == 200
    assert connections == []


@pytest.mark.parametrize("name", OF_THE_MIRROR)
def test_says_since_when_it_shows_what_it_shows(client, place, name):
    page = client.get(place.url(name)).content.decode()
    said = re.search(r'<span class="fresh" id="fresh".*?</form>', page, re.S)
    assert said
    assert "as of" in said[0]
    assert re.search(rf'<time[^>]*datetime="{place.read_at:%Y-%m-%dT%H:%M}', said[0])
