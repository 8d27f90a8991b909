from datetime import UTC, datetime
from decimal import Decimal

import pytest

from organizer.upstream.errors import Forbidden, KeyRefused, Limited
from tests.contract.supplier_api.conftest import client


def test_lists_what_is_sold(api):
    page = api.listings.page("", 1)
    assert (page.number, page.pages, page.doubts) == (1, 1, ())
    assert page.total == len(page.items) > 5
    assert all(found.starts_at > datetime.now(UTC) and not found.doubts for found in page.items)
    assert [found.starts_at for found in page.items] == sorted(found.starts_at for found in page.items)


def test_finds_by_words(api):
    [found] = api.listings.page("RANG winter", 1).items
    assert (found.event_name, found.section) == ("Winter Supper", "Rang, 1. Reihe")
    assert (found.price, found.currency) == (Decimal("148.75"), "EUR")
    assert found.available > 0
    assert api.listings.page("nothing&q=rang", 1).items == ()


def test_is_empty_beyond_the_end(api):
    assert api.listings.page("", 50).items == ()


def test_says_that_a_key_is_refused(suppliers):
    with pytest.raises(KeyRefused) as refusal:
        client(suppliers, "sup_live_wrong").listings.page("", 1)
    assert refusal.value.error == "invalid_key"


def test_says_how_long_to_wait(open_api):
    api = open_api("hasty", "--limit", "1/60")
    api.listings.page("", 1)
    with pytest.raises(Limited) as refusal:
        api.listings.page("", 1)
    assert 1 <= refusal.value.wait <= 60


def test_takes_the_key_as_a_bearer_alone(suppliers, event_server):
    key = event_server.make_key("contract-other", ["events:read"])
    with pytest.raises((KeyRefused, Forbidden)):
        client(suppliers, key).listings.page("", 1)
