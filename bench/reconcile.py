"""From a delivery's 200 to its order reconciled, at a supplier that answers in 20 ms; alone, and while a sweep runs.

The real web process, the real worker, real HTTP on both sides, PostgreSQL and SQLite. Two deliveries a second, each for
another order: a supplier is asked five times a second, and the sweep takes what they leave.
"""

import json
import sys
import time
from collections import Counter
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any

from bench.figures import Figure, milliseconds, percentile

NUMBER, APART = 60, 0.5
SWEPT = 3_000
ANSWERS_IN, SLOWEST = 0.020, 1.0
KEY, SECRET = "bench", "a secret of the benchmark"
DONE = "SELECT reference, settled_at FROM webhooks_delivery WHERE outcome = 'changed'"
LOOKED = "SELECT count(*) FROM orders_order WHERE reference LIKE 'S-%' AND state_read_at > placed_at"


def measure() -> list[Figure]:
    from tests.support import postgres

    figures = []
    for name, running in (("SQLite", nullcontext("")), ("PostgreSQL", postgres.running(durable=True))):
        with running as url:
            figures += _measured(name, f"{url}/foyer" if url else "")
    return figures


def _measured(name: str, database: str) -> list[Figure]:
    from tests.support.faults import FaultServer
    from tests.support.stack import Stack
    from tests.webhooks.live import Supplier

    with FaultServer() as server, Stack(connected=False, database=database) as stack:
        server.by("*", _supplier())
        stack.run("-m", "bench.reconcile", "gather", server.url)
        sender = Supplier(stack.url, KEY, SECRET)
        alone = _sent(stack, sender, "A")
        stack.run("-m", "bench.reconcile", "sweep")
        before = len(server.requests)
        beside = _sent(stack, sender, "B")
        swept, asked = stack.ask(LOOKED), len(server.requests) - before
    bound = f"p95 ≤ {SLOWEST:.0f} s"
    said = f"a supplier that answers in {ANSWERS_IN * 1000:.0f} ms, {1 / APART:.0f} deliveries a second"
    during = f"{swept} of {SWEPT:,} orders were looked at meanwhile, {asked / NUMBER / APART:.1f} questions a second"
    return [
        _figure(f"{name}, from a delivery's 200 to its order reconciled, {said}", alone, "nothing else to do", bound),
        _figure(f"{name}, the same while a sweep runs", beside, during, bound),
    ]


def _figure(what: str, times: list[float], baseline: str, bound: str) -> Figure:
    slow = percentile(times, 0.95)
    value = f"p50 {milliseconds(percentile(times, 0.5))}, p95 {milliseconds(slow)}, of {len(times)}"
    return Figure(what, value, baseline, bound, slow <= SLOWEST and len(times) == NUMBER)


def _sent(stack: Any, sender: Any, prefix: str) -> list[float]:
    """At a fixed pace: what is slow keeps nothing else from being sent."""
    from tests.support import processes

    answered, began = {}, time.monotonic()
    for number in range(NUMBER):
        time.sleep(max(0.0, began + number * APART - time.monotonic()))
        body = json.dumps({"reference": f"{prefix}-{number}", "event": "order.changed"}).encode()
        assert sender.sends(body, X_Webhook_Id=f"{prefix}-{number}").action == "reconcile"
        answered[f"{prefix}-{number}"] = datetime.now(UTC)

    def done() -> dict[str, datetime]:
        return {reference: _at(at) for reference, at in stack.rows(DONE) if reference in answered}

    processes.wait_until(lambda: len(done()) == NUMBER, seconds=60, what="the last order")
    return [(at - answered[reference]).total_seconds() for reference, at in done().items()]


def _at(said: Any) -> datetime:
    at = said if isinstance(said, datetime) else datetime.fromisoformat(said)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _supplier() -> Any:
    """Each time it is asked for an order of the deliveries', its total is another."""
    from tests.support.faults import Answer, Request, says

    wide = {"RateLimit-Limit": "100000", "RateLimit-Remaining": "99000", "RateLimit-Reset": "10"}
    asked: Counter[str] = Counter()

    def answer(request: Request) -> Answer:
        if "/fulfilment" in request.path:
            value: Any = {"status": "pending", "expected": 2, "tickets": []}
        else:
            [reference] = request.query.get("reference", ["-"])
            asked[reference] += not reference.startswith("S")
            value = [_order(reference) | {"total": 50 + asked[reference]}]
        return says({"data": value, "meta": {"count": 1}}, headers=wide, after=ANSWERS_IN)

    return answer


def _order(reference: str) -> dict[str, Any]:
    item = {"id": f"i-{reference}", "listing_id": "listing-1", "quantity": 2, "section": "Stalls", "seats": []}
    return {
        "id": f"sup-{reference}", "reference": reference, "status": "pending", "currency": "EUR", "total": 50,
        "items": [item], "rejection_reason": None,
    }  # fmt: skip


def _gather(url: str) -> None:
    from organizer.accounts.models import Organization
    from organizer.connections.models import Connection, Health
    from organizer.webhooks import actions

    vendor = actions.add_vendor(
        organization=Organization.objects.get(slug="demo"), key=KEY, name="", auth="hmac", by=None, secret=SECRET,
        orders_url=f"{url}/api/vendor/v1", orders_key="sup_live_" + "k" * 32,
    )  # fmt: skip
    Connection.objects.filter(pk=vendor.connection_id).update(health=Health.WORKING)
    _place([f"{prefix}-{number}" for prefix in "AB" for number in range(NUMBER)], due=False)


def _place(references: list[str], *, due: bool) -> None:
    """Known to the supplier; the schedule wants all of them now, or none for a while."""
    from datetime import timedelta

    from django.utils import timezone

    from organizer.orders.models import Order
    from organizer.webhooks.models import Vendor

    vendor, now = Vendor.objects.get(key=KEY), timezone.now()
    at = now if due else now + timedelta(hours=1)
    Order.objects.bulk_create(
        Order(
            organization_id=vendor.organization_id, connection_id=vendor.connection_id, vendor=vendor,
            reference=reference, remote_id=f"sup-{reference}", state="pending", payload=_order(reference),
            currency="EUR", total=50, state_due_at=at, fulfilment_due_at=at, placed_at=now, state_read_at=now,
            fulfilment_read_at=now,
        )
        for reference in references
    )  # fmt: skip


def _alone(what: str, *url: str) -> None:
    import django

    django.setup()
    if what == "gather":
        _gather(*url)
    else:
        _place([f"S-{number}" for number in range(SWEPT)], due=True)


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    _alone(*sys.argv[1:])
