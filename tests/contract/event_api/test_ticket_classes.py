from decimal import Decimal

import pytest

from organizer.upstream.errors import NotFound, Refused, ScopeMissing

VIP = {"name": "VIP", "cost": 19.99, "currency": "eur", "quantity_total": 3, "require_approval": True}


@pytest.fixture
def vip(api, event):
    return api.ticket_classes.create(event.id, VIP, idempotency_key="vip")


def test_begins_with_general_admission(ticket_class, event):
    assert ticket_class.name == "General Admission"
    assert ticket_class.event_id == event.id
    assert (ticket_class.cost, ticket_class.free, ticket_class.kind) == (Decimal(0), True, "fixed")


def test_creates_and_reads_back(api, event, vip):
    assert api.ticket_classes.get(event.id, vip.id) == vip
    assert (vip.cost, vip.currency, vip.free) == (Decimal("19.99"), "EUR", False)
    assert (vip.quantity_total, vip.quantity_sold, vip.require_approval) == (3, 0, True)
    assert vip.doubts == ()


def test_lists(api, event, ticket_class, vip):
    page = api.ticket_classes.page(event.id, 1)
    assert [found.id for found in page.items] == [ticket_class.id, vip.id]
    assert (page.total, page.doubts) == (2, ())


def test_updates(api, event, vip):
    changed = api.ticket_classes.update(event.id, vip.id, {"quantity_total": 10}, idempotency_key="more")
    assert changed.quantity_total == 10


def test_deletes(api, event, vip, ticket_class):
    api.ticket_classes.delete(event.id, vip.id, idempotency_key="delete")
    assert [found.id for found in api.ticket_classes.page(event.id, 1).items] == [ticket_class.id]
    assert api.ticket_classes.get(event.id, vip.id).status == "deleted"


def test_refuses_a_name_that_is_taken(api, event, vip):
    with pytest.raises(Refused) as refusal:
        api.ticket_classes.create(event.id, VIP, idempotency_key="twice")
    assert refusal.value.status in (400, 409)


def test_says_that_the_event_is_not_there(api):
    with pytest.raises(NotFound) as missing:
        api.ticket_classes.page("nowhere", 1)
    assert missing.value.error == "Event not found"


def test_names_the_scope_that_is_missing(event, open_api):
    with pytest.raises(ScopeMissing) as refusal:
        open_api("events:read").ticket_classes.page(event.id, 1)
    assert refusal.value.scope == "ticket_classes:read"
