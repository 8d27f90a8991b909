"""What `sync` needs to know to keep orders. They are in no list that is swept: each is found by its reference."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from organizer.connections.models import Connection
from organizer.orders import history, rules
from organizer.orders.models import Order
from organizer.sync.registry import Item, Noun, Page, Wanted
from organizer.sync.rules import Json
from organizer.upstream.event_api import EventApi


class OrderNoun(Noun):
    name = "orders"
    model = Order
    needs = "orders"
    keeps_failed = True
    shown_at = ("orders:detail", "order_id")

    def page(self, api: EventApi, scope: str, number: int, status: str | None) -> Page:
        raise NotImplementedError

    def read(self, api: EventApi, scope: str, remote_id: str) -> Item:
        raise NotImplementedError

    def rows(self, connection: Connection, scope: str) -> QuerySet[Order]:
        return Order.objects.filter(connection=connection)

    def effective(self, payload: Json, commands: Iterable[Json] = ()) -> rules.OrderColumns:
        return rules.effective(payload, commands)

    def wanted(self, connection: Connection, now: datetime) -> Iterable[Wanted]:
        return ()

    def tally(self, row: Order) -> tuple[Any, ...]:
        return row.pk, row.state

    def count(self, deltas: Counter[tuple[Any, ...]]) -> None:
        """Each order is a figure of its own: what moves it is its history, whoever wrote the change."""
        before = {pk: state for (pk, state), delta in deltas.items() if delta < 0}
        history.write({pk: (before.get(pk, ""), state) for (pk, state), delta in deltas.items() if delta > 0})
