"""What a first visit loads, as it goes over the wire. The limits are those of ui.md; fonts come on demand."""

import gzip
import re

import pytest
from django.conf import settings

SCRIPT_LIMIT, STYLE_LIMIT = 60_000, 90_000

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(client, cast):
    client.force_login(cast.olive)
    return client.get("/o/harbour/").content.decode()


def weight(addresses):
    files = [settings.STATIC_ROOT / address.removeprefix("/static/") for address in addresses]
    return sum(len(gzip.compress(file.read_bytes(), 9)) for file in files)


def test_stays_within_the_script_limit(document):
    scripts = re.findall(r'<script[^>]* src="([^"]+)"', document)
    assert len(scripts) >= 4
    assert weight(scripts) < SCRIPT_LIMIT


def test_stays_within_the_style_limit(document):
    styles = re.findall(r'<link rel="stylesheet" href="([^"]+)"', document)
    assert len(styles) >= 5
    assert weight(styles) < STYLE_LIMIT


def test_loads_nothing_from_another_host(document):
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', document)


def test_keeps_no_guests_in_the_browsers_history(document):
    config = re.search(r"<meta name=\"htmx-config\" content='([^']+)'", document)[1]
    assert '"historyCacheSize":0' in config
    assert '"allowEval":false' in config


def test_sends_pages_compressed(client, cast):
    client.force_login(cast.olive)
    answer = client.get("/o/harbour/", HTTP_ACCEPT_ENCODING="gzip")
    assert answer["Content-Encoding"] == "gzip"
    assert b"</html>" in gzip.decompress(answer.content)
