"""Several workers on the same rows: nothing is done twice, nobody is asked faster than agreed, no wish is lost."""

import time
from itertools import pairwise
from threading import Thread

import pytest
from django.db import connection, transaction

from organizer.orders import gate, rules, wakes, work
from organizer.orders.models import Order, OrderMove, Wake
from organizer.sync.models import Command
from organizer.webhooks.models import Cause, Delivery, Reconciliation
from tests.orders import stand
from tests.support import faults
from tests.support.beside import Beside

pytestmark = pytest.mark.django_db(transaction=True)
WORKERS, ANSWER_TAKES = 4, 0.9
DRAIN = """
import time
from organizer.orders import work
from organizer.webhooks.models import Delivery
end = time.monotonic() + 60
while Delivery.objects.filter(outcome="waiting").exists() and time.monotonic() < end:
    work.drain({vendor!r})
    time.sleep(0.01)
"""
TURNS = """
from django.utils import timezone
from organizer.orders import gate
from organizer.webhooks.models import Vendor
vendor, began = Vendor.objects.get(), timezone.now()
for _n in range(15):
    now = timezone.now()
    print(now.timestamp() + gate.take(vendor, now)[1])
"""
PLACE = """
from organizer.orders import actions
from organizer.webhooks.models import Vendor
vendor = Vendor.objects.select_related("connection").get()
items = [actions.Item("listing-1", 2)]
print(actions.place(vendor=vendor, items=items, name="Zoe", email="zoe@x.test", by=None, reference="shop-7").pk)
"""
SEND = """
from organizer.sync import actions
actions.send({connection!r})
"""
ASK = """
from organizer.orders import wakes
from organizer.webhooks.models import Cause
for _n in range(60):
    wakes.ask({vendor!r}, "R-1", Cause.PERSON)
"""


@pytest.fixture(scope="module")
def workers(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), Beside(WORKERS) as workers:
        yield workers


def drain(vendor):
    return DRAIN.format(vendor=str(vendor.pk))


def test_each_order_is_asked_for_once_and_two_at_a_time(vendor, supplier, workers):
    orders = [stand.placed(vendor) for _n in range(8)]
    for order in orders:
        stand.wake(vendor, order.reference, 3)
        supplier.moves(order, "rejected")
    asked = []

    def answer(request, usual):
        asked.append(time.monotonic())
        return faults.slow(ANSWER_TAKES, usual)

    supplier.answer = answer
    workers.at_once(drain(vendor))
    assert supplier.asked() == len(orders)
    at_a_time = [sum(at <= one < at + ANSWER_TAKES for one in asked) for at in asked]
    assert max(at_a_time) <= gate.AT_ONCE
    assert set(Delivery.objects.values_list("outcome", flat=True)) == {"changed"}
    assert sum(Reconciliation.objects.values_list("deliveries", flat=True)) == 24
    assert OrderMove.objects.filter(after=rules.REJECTED).count() == len(orders)
    assert not Wake.objects.exists()


def test_each_turn_is_one_workers(vendor, workers):
    turns = sorted(float(at) for said in workers.at_once(TURNS) for at in said.split())
    assert len(turns) == 15 * WORKERS
    apart = [after - before for before, after in pairwise(turns)]
    assert min(apart) >= gate.APART.total_seconds() - 0.001


def test_one_reference_is_one_order_placed_once(vendor, supplier, workers):
    assert len({*workers.at_once(PLACE)}) == 1
    assert (Order.objects.count(), Command.objects.count(), OrderMove.objects.count()) == (1, 1, 1)
    workers.at_once(SEND.format(connection=str(vendor.connection_id)))
    assert supplier.asked(method="POST") == 1
    assert Order.objects.get().state == rules.PENDING


def test_each_file_of_a_ticket_is_fetched_once(vendor, supplier, order, workers):
    supplier.moves(order, "accepted")
    supplier.prints(order, *({"id": f"t{n}"} for n in range(8)))
    stand.wake(vendor, order.reference)
    until_all = drain(vendor).replace('Delivery.objects.filter(outcome="waiting")', "Ticket.objects.filter(file='')")
    until_all = until_all.replace("import Delivery", "import Delivery\nfrom organizer.orders.models import Ticket")
    workers.at_once(drain(vendor))
    workers.at_once(until_all)
    files = [one.path for one in supplier.server.requests if one.path.endswith("/file")]
    assert sorted(files) == sorted({*files})
    assert order.tickets.exclude(file="").count() == len(files) == 8
    kept = [*(workers.data / "tickets").rglob("*.pdf")]
    assert len(kept) == 8


def test_people_who_ask_while_it_is_looked_at_find_no_error_and_an_answer(vendor, supplier, workers):
    order = stand.placed(vendor, reference="R-1")
    stand.wake(vendor, order.reference, 5)
    ask = ASK.format(vendor=str(vendor.pk))
    workers.at_once(drain(vendor), drain(vendor), ask, ask)
    stand.drain(vendor)
    assert not Wake.objects.exists()
    assert set(Delivery.objects.values_list("outcome", flat=True)) == {"unchanged"}
    assert Reconciliation.objects.latest("pk").cause == Cause.PERSON


def test_who_asks_in_the_moment_in_which_a_look_ends_is_heard(vendor, order):
    wakes.ask(vendor.pk, order.reference, Cause.WEBHOOK)
    other = Thread(target=ask_and_close, args=(vendor, order))
    with transaction.atomic():
        Wake.objects.select_for_update().get().delete()
        other.start()
        other.join(0.5)
        assert other.is_alive()  # it has read the row that goes, and waits for it
    other.join(10)
    assert Wake.objects.get().cause == Cause.PERSON


def ask_and_close(vendor, order):
    try:
        wakes.ask(vendor.pk, order.reference, Cause.PERSON)
    finally:
        connection.close()


def test_what_a_process_lost_its_grip_on_is_free_at_the_next_sweep(vendor, order, clock):
    """As where the database went away in the middle of a look, so that nobody could release it."""
    stand.wake(vendor, order.reference)
    wakes.gather_deliveries(vendor, clock())
    work.gate.of(vendor, clock())
    with wakes.holder() as mine:
        assert wakes.claim(vendor, mine, clock(), hands=2, for_schedule=1)
        assert wakes.recover(clock()) == 0
    assert wakes.recover(clock()) == 1
    stand.drain(vendor, clock)
    assert Delivery.objects.get().outcome == "unchanged"
