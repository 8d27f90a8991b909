"""From the receiver to the order: real requests, real processes, and what is left when one of them dies."""

import json
import shelve
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection

from organizer.orders import rules, tasks, work
from organizer.orders.models import Order
from organizer.webhooks import actions as webhooks
from organizer.webhooks.models import Delivery, Vendor
from tests.orders import stand
from tests.support import faults, processes
from tests.support.worker import Installation
from tests.webhooks import live


@pytest.fixture(scope="module")
def receiver(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), live.receiver() as url:
        yield url


@pytest.fixture
def signing(transactional_db, cast, supplier):
    """It signs, and its orders are at the supplier on the stand."""
    vendor = webhooks.add_vendor(
        organization=cast.organization, key="acme", name="Acme", auth="hmac", secret=live.SECRET, by=None,
        orders_url=supplier.url, orders_key=stand.KEY,
    )  # fmt: skip
    stand.Connection.objects.update(health="working")
    return Vendor.objects.select_related("connection", "organization").get(pk=vendor.pk)


def test_a_signed_delivery_makes_it_look(signing, supplier, receiver):
    order = stand.placed(signing)
    supplier.moves(order, "accepted")
    said = live.Supplier(receiver).sends(json.dumps({"reference": order.reference, "event": "order.accepted"}).encode())
    assert (said.status, said.action) == (200, "reconcile")
    stand.drain(signing)
    order.refresh_from_db()
    assert order.state == rules.ACCEPTED
    assert Delivery.objects.get().outcome == "changed"


@pytest.mark.parametrize("event", ["order.cancelled", "order.rejected", "delivery.available"])
def test_a_signed_lie_changes_nothing(signing, supplier, receiver, event):
    order = stand.placed(signing)
    supplier.moves(order, "accepted")
    stand.look(signing, order)
    lie = {"reference": order.reference, "event": event, "status": "cancelled", "data": {"status": "cancelled"}}
    assert live.Supplier(receiver).sends(json.dumps(lie).encode()).action == "reconcile"
    stand.drain(signing)
    order.refresh_from_db()
    assert order.state == rules.ACCEPTED
    assert not order.tickets.exists()
    assert Delivery.objects.latest("pk").outcome == "unchanged"


def test_the_worker_is_told_at_once(signing, receiver_data):
    url, data = receiver_data
    assert live.Supplier(url).sends(b'{"reference": "R-1"}').action == "reconcile"
    processes.wait_until(lambda: any(told(data)), what="the kick")
    assert told(data) == [{"vendor_id": str(signing.pk)}]


def test_a_broker_that_is_gone_harms_nobody(signing, supplier, receiver_data):
    url, data = receiver_data
    order = stand.placed(signing)
    shutil.rmtree(data / "broker")
    (data / "broker").write_text("no folder")
    for n in range(20):
        said = live.Supplier(url).sends(json.dumps({"reference": order.reference, "n": n}).encode())
        assert (said.status, said.action) == (200, "reconcile")
    assert work.with_wakes(stand.Clock()()) == [signing.pk]
    stand.drain(signing)
    assert set(Delivery.objects.values_list("outcome", flat=True)) == {"unchanged"}


@pytest.fixture
def receiver_data(transactional_db, tmp_path):
    """A receiver with a broker's folder of its own."""
    data = Path(live.environment()["FOYER_DATA"])
    with live.receiver(FOYER_DATA=str(data)) as url:
        yield url, data


def told(data):
    """What was sent to the worker by now."""
    found = []
    for file in (data / "broker").glob("*.msg"):
        message = json.loads(file.read_text())
        if message["headers"]["task"] == "organizer.orders.tasks.reconcile":
            found.append(json.loads(__import__("base64").b64decode(message["body"]))[1])
    return found


# --- a worker of its own, on SQLite ---

PLACE = """
from organizer.orders import actions
from organizer.webhooks.models import Vendor
vendor = Vendor.objects.select_related("connection").get()
actions.place(vendor=vendor, items=[actions.Item("l", 2)], name="Zoë", email="zoe@x.test", by=None, reference="R-1")
"""
WAKE = """
from tests.orders import stand
from organizer.webhooks.models import Vendor
stand.wake(Vendor.objects.get(), "R-1")
"""
HOUR_AGO = """
from datetime import timedelta
from django.db.models import F
from organizer.orders.models import Order
hour = timedelta(minutes=61)
Order.objects.update(**{name: F(name) - hour for name in ("state_read_at", "state_due_at", "fulfilment_read_at",
                                                         "fulfilment_due_at")})
"""


@pytest.fixture
def installation(tmp_path, fault_server):
    supplier = stand.Supplier(fault_server)
    with Installation(tmp_path) as running:
        running.manage("create_organization", "demo", "--name", "Demo", "--owner", "olive@demo.test")
        to = ["--key", "acme", "--auth", "hmac", "--orders-url", supplier.url, "--credentials-stdin"]
        told = json.dumps({"secret": live.SECRET, "orders_key": stand.KEY})
        running.manage("add_vendor", "--organization", "demo", *to, stdin=told)
        running.manage("shell", "-c", PLACE)
        running.start_worker()
        wait_for_state(running, "pending")
        yield running, supplier


def wait_for_state(running, state):
    processes.wait_until(
        lambda: running.ask("SELECT state FROM orders_order") == [(state,)], seconds=60, what=f"the order to be {state}"
    )


@pytest.mark.long
def test_a_worker_killed_while_it_asks_is_followed_by_the_next(installation):
    running, supplier = installation
    supplier.orders["R-1"]["status"] = "accepted"
    supplier.answer = lambda request, usual: faults.slow(8, usual)
    before = supplier.asked()
    running.manage("shell", "-c", WAKE)
    processes.wait_until(lambda: supplier.asked() > before, seconds=60, what="the question")
    running.kill_worker()
    supplier.answer = lambda request, usual: usual
    assert running.ask("SELECT state FROM orders_order") == [("pending",)]
    running.start_worker()
    wait_for_state(running, "accepted")
    assert running.ask("SELECT outcome FROM webhooks_delivery") == [("changed",)]
    assert running.ask("SELECT count(*) FROM webhooks_reconciliation WHERE outcome = 'changed'") == [(1,)]


@pytest.mark.long
def test_the_running_schedule_finds_what_no_delivery_told(installation):
    running, supplier = installation
    with shelve.open(str(running.data / "beat-schedule"), "r") as kept:  # noqa: S301 what the running beat keeps to
        every = {entry.task: getattr(entry.schedule, "run_every", None) for entry in kept["entries"].values()}
    assert every[tasks.check_due.name] == rules.SLOT
    assert every[tasks.reconcile_waiting.name] == timedelta(seconds=15)
    supplier.orders["R-1"]["status"] = "accepted"
    supplier.tickets[supplier.orders["R-1"]["id"]] = [{"id": "t1", "type": "pdf"}, {"id": "t2", "type": "pdf"}]
    running.manage("shell", "-c", HOUR_AGO)
    wait_for_state(running, "accepted")
    files = "SELECT count(*) FROM orders_ticket WHERE file <> ''"
    processes.wait_until(lambda: running.ask(files) == [(2,)], seconds=60, what="both tickets")
    kept = list((running.data / "tickets").rglob("*.pdf"))
    assert len(kept) == 2
    assert {file.stat().st_mode & 0o777 for file in kept} == {0o600}
    assert running.ask("SELECT cause, missed FROM webhooks_reconciliation WHERE outcome = 'changed'") == [
        ("periodic", 1)
    ]


def test_two_workers_at_once_look_once(signing, supplier, transactional_db):
    """Both drain; the order is claimed by one."""
    from threading import Thread

    order = stand.placed(signing)
    supplier.answer = lambda request, usual: faults.slow(0.2, usual)
    stand.wake(signing, order.reference, 50)

    def drain():
        try:
            stand.drain(signing)
        finally:
            connection.close()

    threads = [Thread(target=drain) for _n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert supplier.asked() == 1
    assert set(Delivery.objects.values_list("outcome", flat=True)) == {"unchanged"}
    assert Order.objects.get().state == rules.PENDING
