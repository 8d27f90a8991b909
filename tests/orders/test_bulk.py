"""Many at once: looked over, lined up behind clicks and deliveries, told, cancelled; and outliving the worker."""

from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.accounts.models import AuditEntry
from organizer.orders import bulks, choosing, rules, wakes, work
from organizer.orders.choosing import Asked
from organizer.orders.models import Bulk, BulkItem, Gate, Order, Wake
from organizer.webhooks.models import Cause, Delivery, Found, Reconciliation
from tests.orders import stand
from tests.support import mirror
from tests.support.faults import status

pytestmark = pytest.mark.django_db
AT = "/o/harbour/orders/bulks/"


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def orders(vendor):
    return [stand.placed(vendor) for _n in range(3)]


def failed(vendor, *orders, number=1):
    """Deliveries that came to nothing when they came."""
    found = [one for order in orders for one in stand.wake(vendor, order.reference, number)]
    Delivery.objects.filter(pk__in=[one.pk for one in found]).update(outcome="failed", settled_at=timezone.now())
    return found


def started(client, **said):
    answer = client.post(f"{AT}new/", {"of": "deliveries", "filters": "?outcome=failed"} | said)
    assert answer.status_code == 302, answer.content
    return Bulk.objects.latest("made_at")


def outcomes():
    return sorted(Delivery.objects.values_list("outcome", flat=True))


def counts(bulk):
    bulk.refresh_from_db()
    return dict(bulks.Progress.of(bulk).counts)


# --- looked over ---


def test_tells_how_many_deliveries_orders_and_seconds_before_anything_is_asked(olive, vendor, supplier, orders):
    failed(vendor, *orders, number=5)
    Delivery.objects.filter(pk=stand.wake(vendor, "R-nobodys")[0].pk).update(outcome="failed")
    before = supplier.asked()
    said = " ".join(olive.get(f"{AT}new/?of=deliveries&filters=%3Foutcome%3Dfailed").content.decode().split())
    assert "Ask about 3 orders?" in said
    assert "16 deliveries are in the list" in said
    assert "up to 2 s" in said
    assert "1 reference is no order of Foyer" in said
    assert (supplier.asked(), Wake.objects.count(), Bulk.objects.count()) == (before, 0, 0)


def test_counts_a_supplier_that_rests_or_cannot_be_asked(olive, vendor, orders):
    failed(vendor, *orders)
    Gate.objects.create(vendor=vendor, rests_until=timezone.now() + timedelta(seconds=40))
    assert "It is left alone until" in olive.get(f"{AT}new/?of=deliveries&filters=%3Frange%3D24h").content.decode()
    stand.Connection.objects.update(live=False)
    assert "these will fail" in olive.get(f"{AT}new/?of=deliveries&filters=%3Frange%3D24h").content.decode()


def test_starts_what_was_looked_over_and_not_what_came_since(olive, vendor, orders, cast, monkeypatch):
    failed(vendor, orders[0])
    Delivery.objects.update(received_at=timezone.now() - timedelta(minutes=1))
    pairs = olive.get(f"{AT}new/?of=deliveries&filters=%3Frange%3D24h").context["preview"].pairs
    late = failed(vendor, orders[1])
    Delivery.objects.filter(pk=late[0].pk).update(received_at=timezone.now() + timedelta(seconds=2))
    olive.post(f"{AT}new/", dict(pairs))
    assert list(BulkItem.objects.values_list("reference", flat=True)) == [orders[0].reference]
    entry = AuditEntry.objects.get(verb="orders.bulk")
    assert (entry.by_id, entry.after["orders"], entry.after["deliveries"]) == (cast.olive.pk, 1, 1)


@pytest.mark.parametrize("said", [{}, {"of": "x", "filters": "?tab=late"}, {"id": "nonsense", "filters": "?tab=late"}])
def test_says_that_there_is_nothing_to_ask_about(olive, orders, said):
    said = {"filters": "?tab=late"} | said
    assert "There is nobody to ask" in olive.get(f"{AT}new/", said).content.decode()
    answer = olive.post(f"{AT}new/", said)
    assert "There is nothing to be asked about." in answer.content.decode()
    assert not Bulk.objects.exists()


def test_chooses_at_most_so_many(olive, vendor, orders, monkeypatch):
    monkeypatch.setattr(choosing, "MOST", 2)
    chosen = choosing.choose(vendor.organization, Asked("orders", "?tab="), timezone.now())
    assert (len(chosen.orders), chosen.is_more) == (2, True)


def test_chooses_nothing_of_elsewhere(olive, cast, supplier, orders):
    theirs = stand.placed(stand.add_vendor(cast.elsewhere, supplier.url))
    failed(theirs.vendor, theirs)
    for asked in (Asked("orders", ids=(theirs.pk,)), Asked("deliveries", "?outcome=failed")):
        assert choosing.choose(cast.organization, asked, timezone.now()).orders == []


# --- what comes of it ---


def test_asks_about_each_order_once_and_settles_all_its_deliveries(olive, vendor, supplier, orders):
    failed(vendor, *orders, number=4)
    supplier.moves(orders[0], "accepted")
    before = supplier.asked()
    bulk = started(olive)
    stand.drain(vendor)
    assert supplier.asked() - before == 3
    assert outcomes() == ["changed"] * 4 + ["unchanged"] * 8
    assert counts(bulk) == {"changed": 1, "unchanged": 2}
    assert bulk.finished_at
    assert set(Reconciliation.objects.values_list("cause", "by_name")) == {(Cause.PERSON, bulk.by_name)}
    assert not Wake.objects.exists()
    said = olive.get(f"{AT}{bulk.pk}/").content.decode()
    assert "All are done" in said
    assert "every 2s" not in said


def test_leaves_a_failed_one_failed_without_further_tries(olive, vendor, supplier, orders):
    failed(vendor, orders[0])
    supplier.answer = lambda request, usual: status(500, "broken")
    bulk = started(olive)
    stand.drain(vendor)
    assert counts(bulk) == {"failed": 1}
    assert (bulk.finished_at is not None, Wake.objects.count(), outcomes()) == (True, 0, ["failed"])
    page = olive.get(f"{AT}{bulk.pk}/")
    assert orders[0].reference in page.content.decode()
    supplier.answer = lambda request, usual: usual
    again = olive.get(f"{AT}new/{page.context['again']}").context["preview"]
    assert again.orders == 1
    olive.post(f"{AT}new/", dict(again.pairs))
    stand.drain(vendor)
    assert outcomes() == ["unchanged"]


def test_goes_after_clicks_and_deliveries(olive, vendor, orders, cast):
    failed(vendor, orders[0])
    started(olive)
    bulks.line_up(vendor, timezone.now())
    wakes.make(vendor, [orders[1].reference], Cause.WEBHOOK, timezone.now())
    wakes.ask(vendor.pk, orders[2].reference, Cause.PERSON)
    holders = [wakes.claim(vendor, f"h{n}", timezone.now(), hands=9, for_schedule=9).reference for n in range(3)]
    assert holders == [orders[2].reference, orders[1].reference, orders[0].reference]


def test_lines_up_no_more_than_the_schedule_does_and_leaves_it_its_room(olive, vendor, supplier, orders, monkeypatch):
    monkeypatch.setattr(wakes, "AHEAD", 2)
    Order.objects.filter(pk=orders[0].pk).update(state_due_at=timezone.now() - timedelta(hours=2))
    failed(vendor, *orders)
    started(olive)
    bulks.line_up(vendor, timezone.now())
    assert Wake.objects.filter(in_bulk=True).count() == 2
    assert bulks.line_up(vendor, timezone.now()) == 0
    Wake.objects.filter(reference=orders[0].reference).delete()
    assert wakes.gather_due(vendor, timezone.now()) == 1


def test_counts_what_is_asked_about_anyway(olive, vendor, supplier, orders):
    """A delivery waits for the same order, and the schedule wants another."""
    failed(vendor, orders[0], orders[1])
    stand.wake(vendor, orders[0].reference)
    wakes.gather_deliveries(vendor, timezone.now())
    Order.objects.filter(pk=orders[1].pk).update(state_due_at=timezone.now() - timedelta(minutes=1))
    wakes.gather_due(vendor, timezone.now())
    before = supplier.asked()
    bulk = started(olive)
    stand.drain(vendor)
    assert supplier.asked() - before == 2
    assert counts(bulk) == {"unchanged": 2}
    assert outcomes() == ["unchanged"] * 3


def test_two_bulks_of_one_order_are_both_told(olive, vendor, orders):
    failed(vendor, orders[0])
    first, second = started(olive), started(olive, of="orders", filters="?tab=")
    stand.drain(vendor)
    assert (counts(first), counts(second)) == ({"unchanged": 1}, {"unchanged": 3})
    assert first.finished_at
    assert second.finished_at


def test_waits_while_the_supplier_rests_and_says_so(olive, vendor, orders):
    failed(vendor, *orders)
    Gate.objects.create(vendor=vendor, rests_until=timezone.now() + timedelta(minutes=1), problem="It said 500.")
    bulk = started(olive)
    stand.drain(vendor)
    said = olive.get(f"{AT}{bulk.pk}/").content.decode()
    assert counts(bulk) == {"": 3}
    assert "is left alone until" in said
    assert "It said 500." in said


def test_is_found_by_the_sweeper_where_no_kick_came(olive, vendor, orders):
    failed(vendor, orders[0])
    started(olive)
    assert work.with_wakes(timezone.now()) == [vendor.pk]


def test_goes_on_where_a_worker_died(olive, vendor, supplier, orders):
    failed(vendor, *orders)
    bulk = started(olive)
    bulks.line_up(vendor, timezone.now())
    assert wakes.claim(vendor, "nobody:1:dead", timezone.now(), hands=2, for_schedule=2)
    clock = stand.Clock()
    clock.forward(seconds=wakes.LEASE.total_seconds() + 1)
    stand.drain(vendor, clock)
    assert counts(bulk) == {"unchanged": 3}


def test_cancels_what_is_left(olive, vendor, supplier, orders, cast):
    failed(vendor, *orders)
    bulk = started(olive)
    bulks.line_up(vendor, timezone.now())
    Wake.objects.filter(reference=orders[0].reference).update(holder="somebody", until=timezone.now() + wakes.LEASE)
    before = supplier.asked()
    olive.post(f"{AT}{bulk.pk}/cancel/")
    assert set(Wake.objects.values_list("reference", flat=True)) == {orders[0].reference}
    Wake.objects.update(holder="", until=None)
    stand.drain(vendor)
    assert supplier.asked() - before == 1
    assert counts(bulk) == {"cancelled": 3}
    assert "Cancelled" in olive.get(f"{AT}{bulk.pk}/").content.decode()
    assert AuditEntry.objects.get(verb="orders.cancel_bulk").after == {"left": 3}
    olive.post(f"{AT}{bulk.pk}/cancel/")
    assert AuditEntry.objects.filter(verb="orders.cancel_bulk").count() == 1


def test_cancels_no_delivery_of_the_same_order(olive, vendor, supplier, orders):
    failed(vendor, orders[0])
    stand.wake(vendor, orders[0].reference)
    wakes.gather_deliveries(vendor, timezone.now())
    bulk = started(olive)
    bulks.line_up(vendor, timezone.now())
    olive.post(f"{AT}{bulk.pk}/cancel/")
    stand.drain(vendor)
    assert "waiting" not in outcomes()


def test_has_no_more_under_way_than_five(olive, vendor, orders):
    failed(vendor, orders[0])
    for _n in range(bulks.AT_ONCE):
        started(olive)
    answer = olive.post(f"{AT}new/", {"of": "deliveries", "filters": "?outcome=failed"})
    assert "Several are under way already." in answer.content.decode()


def test_is_found_again_on_overview(olive, vendor, orders, cast, client):
    mirror.event(mirror.connection(cast.organization))
    failed(vendor, *orders)
    bulk = started(olive)
    said = olive.get("/o/harbour/").content.decode()
    assert "Asking about 3 orders" in said
    assert f"{AT}{bulk.pk}/" in said
    client.force_login(cast.max)
    assert f"{AT}{bulk.pk}/" not in client.get("/o/harbour/").content.decode()
    stand.drain(vendor)
    assert "Asking about" not in client.get("/o/harbour/").content.decode()


def test_forgets_after_a_time(olive, vendor, orders):
    failed(vendor, orders[0])
    started(olive)
    work.forget(timezone.now() + bulks.KEPT + timedelta(days=1))
    assert not Bulk.objects.exists()
    assert not BulkItem.objects.exists()


# --- deliveries that were only stored ---


def test_reads_many_again_and_asks_about_what_is_found(olive, vendor, supplier, orders, monkeypatch):
    monkeypatch.setattr(bulks, "READ_AT_ONCE", 1)
    stored = [*stand.wake(vendor, orders[0].reference), *stand.wake(vendor, "x")]
    unread = {"action": "stored_only", "outcome": "stored_only", "reference": ""}
    Delivery.objects.filter(pk__in=[one.pk for one in stored]).update(**unread)
    Delivery.objects.filter(pk=stored[1].pk).update(body=b"nothing in it")
    erased = stand.wake(vendor, "y")[0]
    Delivery.objects.filter(pk=erased.pk).update(body=None, **unread)
    preview = olive.get(f"{AT}new/?of=deliveries&filters=%3Foutcome%3Dstored_only").context["preview"]
    assert (preview.orders, preview.unread) == (0, 2)
    bulk = started(olive, filters="?outcome=stored_only")
    stand.drain(vendor)
    assert counts(bulk) == {"read": 1, "stored_only": 1}
    assert bulk.finished_at
    assert outcomes() == ["stored_only", "stored_only", "unchanged"]
    assert AuditEntry.objects.filter(verb="delivery.read_again").count() == 1


def test_reads_again_also_while_the_supplier_rests(olive, vendor, orders):
    stored = stand.wake(vendor, orders[0].reference)[0]
    unread = {"action": "stored_only", "outcome": "stored_only", "reference": ""}
    Delivery.objects.filter(pk=stored.pk).update(**unread)
    Gate.objects.create(vendor=vendor, rests_until=timezone.now() + timedelta(minutes=1))
    bulk = started(olive, filters="?outcome=stored_only")
    stand.drain(vendor)
    assert counts(bulk) == {"read": 1}
    assert outcomes() == ["waiting"]


# --- orders ---


def test_asks_about_those_that_were_ticked(olive, vendor, supplier, orders):
    assert f'value="{orders[0].pk}" form="bulk"' in olive.get("/o/harbour/orders/").content.decode()
    bulk = started(olive, of="orders", filters="?tab=", id=[str(orders[0].pk), str(orders[2].pk)])
    assert set(bulk.items.values_list("reference", flat=True)) == {orders[0].reference, orders[2].reference}
    assert "Reconciling: 0 of 2" in olive.get("/o/harbour/orders/").content.decode()
    stand.drain(vendor)
    assert "Reconciling:" not in olive.get("/o/harbour/orders/").content.decode()
    assert set(Reconciliation.objects.values_list("outcome", flat=True)) == {Found.UNCHANGED}


def test_asks_about_all_that_match_whatever_is_ticked(olive, vendor, orders):
    bulk = started(olive, of="orders", filters="?tab=", id=str(orders[0].pk), all="1")
    assert bulk.total == 3


def test_asks_about_all_that_are_late(olive, vendor, orders):
    hours_ago = timezone.now() - timedelta(hours=3)
    Order.objects.filter(pk=orders[1].pk).update(state_read_at=hours_ago, state_due_at=hours_ago)
    said = olive.get("/o/harbour/orders/").content.decode()
    assert f"filters=%3Ftab%3Dlate%26vendor%3D{vendor.key}" in said
    bulk = started(olive, of="orders", filters=f"?tab=late&vendor={vendor.key}")
    assert list(bulk.items.values_list("reference", flat=True)) == [orders[1].reference]


def test_offers_it_over_the_deliveries_that_are_shown(olive, vendor, orders):
    failed(vendor, *orders)
    at = "/o/harbour/webhooks/"
    assert "Reconcile 3 failed" in olive.get(f"{at}?outcome=failed").content.decode()
    assert "list-acts" in olive.get(f"{at}?outcome=failed").content.decode()
    assert "Reconcile" not in olive.get(f"{at}?outcome=changed").content.decode()
    swapped = olive.get(f"{at}?outcome=failed", headers={"HX-Request": "true", "HX-Target": "deliveries"})
    assert 'id="list-acts" class="list-acts" hx-swap-oob="true"' in swapped.content.decode()


def test_a_click_asks_again_about_what_came_to_nothing(olive, vendor, supplier, orders):
    """The delivery tells what came of it in the end."""
    failed(vendor, orders[0])
    olive.post(f"/o/harbour/orders/{orders[0].pk}/reconcile/")
    stand.drain(vendor)
    assert outcomes() == ["unchanged"]
    orders[0].refresh_from_db()
    assert orders[0].state == rules.PENDING
