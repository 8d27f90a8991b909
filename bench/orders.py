"""Pages of orders with 1,000 and with 100,000 of them, and with ten looks at each, on SQLite and on PostgreSQL.

Times are the server's, as those of bench.deliveries. `python -m bench.orders` prints the table; with `sqlite` or
`postgresql` for that database alone.
"""

import json
import os
import sys
from functools import partial
from typing import Any

from bench import deliveries
from bench.figures import Figure, table

SMALL, BIG = 1_000, 100_000
LOOKS = 10
PAGES = {
    "orders": "orders/",
    "open orders (4 %)": "orders/?tab=open",
    "fulfilled (93 %)": "orders/?tab=fulfilled",
    "late (0.2 %)": "orders/?tab=late",
    "moved unexpectedly (0.1 %)": "orders/?tab=unexpected",
    "of a rare supplier (0.1 %)": "orders/?vendor=rare-{size}",
    "open, of a busy supplier": "orders/?tab=open&vendor=acme-{size}",
    "search, common": "orders/?q=zoe",
    "search, rare": "orders/?q=guest777",
    "search, nothing": "orders/?q=qvzx",
    "an order": "orders/{order}/",
    "reconciliations": "orders/reconciliations/",
    "looks that failed (0.3 %)": "orders/reconciliations/?outcome=failed",
    "looks by hand (0.1 %)": "orders/reconciliations/?cause=person",
    "looks by hand that failed": "orders/reconciliations/?outcome=failed&cause=person",
    "missed (0.2 %)": "orders/reconciliations/?outcome=missed",
    "a supplier": "webhooks/suppliers/{vendor}/",
}
_IN = {
    "postgresql": {"id": "lpad(to_hex({first} + n), 32, '0')::uuid", "ago": "{at} - n * interval '{step} second'"},
    "sqlite": {
        "id": "printf('%%032x', {first} + n)",
        "ago": "strftime('%%Y-%%m-%%d %%H:%%M:%%f', {at}, '-' || (n * {step}) || ' seconds') || '000'",
    },
}


def main(*databases: str) -> int:
    figures = measure(*databases)
    sys.stdout.write(table(figures) + "\n")
    return 0 if all(figure.fine for figure in figures) else 1


def measure(*databases: str) -> list[Figure]:
    found = deliveries.of_each_database("bench.orders", *databases)
    return [
        deliveries.figure(f"{database}, {name}, {BIG:,} orders", of_size[str(BIG)], of_size[str(SMALL)], SMALL)
        for database, measured in found
        for name, of_size in measured.items()
    ]


def gather(owner: Any, size: int) -> dict[str, Any]:
    """An organization with so many orders, the newest open, and looks at each over 60 days."""
    from django.db import connection

    from organizer.accounts.models import Membership, Organization, Role
    from organizer.orders.models import Order
    from organizer.webhooks.models import Cause, Found, Reconciliation
    from tests.support import deliveries as sending

    organization = Organization.objects.create(slug=f"bench-orders-{size}", name=f"Bench {size:,}")
    Membership.objects.create(organization=organization, user=owner, role=Role.OWNER)
    to = {"orders_url": "http://supplier.test/api", "orders_key": "sup_live_" + "k" * 32}
    acme, rare = (sending.vendor(organization, owner, f"{name}-{size}", **to) for name in ("acme", "rare"))
    one = Order.objects.create(
        organization=organization, connection=acme.connection, vendor=acme, reference="R-0", state="fulfilled",
        wanted=[{"listing_id": "listing-1", "quantity": 2, "event_name": "A night", "section": "Stalls"}],
        payload={"items": [{"listing_id": "listing-1", "quantity": 2, "section": "Stalls", "seats": ["1", "2"]}]},
        customer_name="Zoë O'Hara", customer_email="zoe@example.test", currency="EUR", total=50,
    )  # fmt: skip
    words, first = _IN[connection.vendor], size * 1_000
    ago = partial(words["ago"].format, step=2)
    key = Order._meta.get_field("vendor").get_db_prep_value(rare.pk, connection)
    is_open, due = f"n <= {size // 25}", ago(at="d.placed_at")
    _write(
        Order, one.pk, size,
        id=words["id"].format(first=first), vendor_id=f"CASE WHEN n %% 1000 = 0 THEN {_said(key)} ELSE vendor_id END",
        reference="'R-' || n", remote_id="'sup-' || n", placed_at=ago(at="d.placed_at"),
        search="CASE WHEN n %% 3 = 0 THEN ' zoe o''hara' ELSE ' lin' END || ' guest' || n || '@mail.test r-' || n",
        state=f"CASE WHEN {is_open} THEN 'pending' WHEN n %% 40 = 0 THEN 'rejected' ELSE 'fulfilled' END",
        state_due_at=f"CASE WHEN {is_open} THEN {due} END", unexpected_move="n %% 1000 = 7",
        state_read_at=f"CASE WHEN n %% 500 = 1 THEN {ago(at='d.placed_at', step=9000)} ELSE d.placed_at END",
    )  # fmt: skip
    at = one.placed_at
    look = Reconciliation.objects.create(
        organization=organization, vendor=acme, reference="R-0", order_id=one.pk, cause=Cause.PERIODIC, started_at=at,
        finished_at=at, status=200, took=30, outcome=Found.UNCHANGED,
    )  # fmt: skip
    step = f"{60 * 86_400 / size / LOOKS:.6f}"
    _write(
        Reconciliation, look.pk, size * LOOKS,
        reference=f"'R-' || (n %% {size})", order_id=words["id"].format(first=first).replace("n)", f"n %% {size})", 1),
        cause="CASE WHEN n %% 1000 = 0 THEN 'person' WHEN n %% 5 = 0 THEN 'webhook' ELSE 'periodic' END",
        outcome="CASE WHEN n %% 300 = 0 THEN 'failed' WHEN n %% 5 = 0 THEN 'changed' ELSE 'unchanged' END",
        started_at=ago(at="d.started_at", step=step), finished_at=ago(at="d.finished_at", step=step),
        missed="n %% 500 = 0", deliveries="CASE WHEN n %% 5 = 0 THEN 1 ELSE 0 END",
    )  # fmt: skip
    order = Order.objects.get(vendor=acme, reference=f"R-{size // 2 + 1}")
    return {"at": f"/o/{organization.slug}/", "size": size, "order": order.pk, "vendor": acme.pk}


def _said(key: Any) -> str:
    return f"'{key}'" + ("::uuid" if not isinstance(key, str) else "")


def _write(model: Any, of: Any, number: int, **columns: str) -> None:
    """Rows like the one of this key, but for `columns`."""
    from django.db import connection

    names = [field.column for field in model._meta.concrete_fields if field.column != "id" or "id" in columns]
    values = ", ".join(columns.get(name, f"d.{name}") for name in names)
    numbers = deliveries.IN[connection.vendor]["numbers"].format(size=number)
    sql = f"INSERT INTO {model._meta.db_table} ({', '.join(names)}) SELECT {values} FROM {model._meta.db_table} d, {numbers} WHERE d.id = %s"  # noqa: E501, S608 names of our own
    with connection.cursor() as cursor:
        cursor.execute(sql, [model._meta.pk.get_db_prep_value(of, connection)])


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
        sys.stdout.write(json.dumps(deliveries.times_of(PAGES, gather, (SMALL, BIG))))
    else:
        sys.exit(main(*sys.argv[1:]))
