"""Reads for the pages of orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.http import Http404
from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.connections.models import Health
from organizer.kit.paging import KeysetPage, keyset_page
from organizer.kit.text import clean, fold
from organizer.orders import rules
from organizer.orders.gate import FAILURES_BEFORE_REST
from organizer.orders.models import Bulk, Gate, Order, Ticket
from organizer.orders.rules import Standing, Why
from organizer.sync import queries as sync
from organizer.webhooks.models import Cause, Found, Reconciliation, Vendor

FEW_OPEN, FEW_FOUND = 5_000, 500
TABS = ("", "open", rules.FULFILLED, rules.REJECTED, rules.CANCELLED, rules.FAILED, "late", "unexpected")
WORKER_SILENT = timedelta(minutes=1)


@dataclass(frozen=True)
class Tab:
    name: str
    count: int
    current: bool


@dataclass(frozen=True)
class OrderList:
    tabs: Sequence[Tab]
    page: KeysetPage[Order]
    tab: str
    q: str
    late: "Sequence[Late]"

    @property
    def rows(self) -> Sequence[Order]:
        return self.page.rows


@dataclass(frozen=True)
class Late:
    """A supplier whose orders were not looked at in time."""

    vendor: Vendor
    count: int
    why: Why
    problem: str
    oldest: datetime


def load(organization: Organization, order_id: UUID) -> Order:
    """Another organization's order does not exist."""
    found = Order.objects.filter(organization=organization, pk=order_id)
    order = found.select_related("vendor__connection", "connection", "organization").first()
    if order is None:
        raise Http404
    return order


def load_ticket(organization: Organization, order_id: UUID, ticket_id: UUID) -> Ticket:
    found = Ticket.objects.filter(organization=organization, order=order_id, pk=ticket_id)
    ticket = found.select_related("order", "organization").first()
    if ticket is None or ticket.fetched_at is None:
        raise Http404
    return ticket


def load_bulk(organization: Organization, bulk_id: UUID) -> Bulk:
    found = Bulk.objects.filter(organization=organization, pk=bulk_id).select_related("organization").first()
    if found is None:
        raise Http404
    return found


def vendors(organization: Organization) -> list[Vendor]:
    """Those that take orders."""
    mine = Vendor.objects.filter(organization=organization, connection__live=True)
    return list(mine.select_related("connection").order_by("name"))


def orders(
    organization: Organization,
    *,
    tab: str = "",
    q: str = "",
    vendor: str = "",
    cursor: str = "",
    now: datetime | None = None,
) -> OrderList:
    now = now or timezone.now()
    tab = tab if tab in TABS else ""
    q, vendor = clean(q).strip()[:100], clean(vendor)
    mine, overdue, odd = _of(organization, vendor, now)
    by_state = _by_state(mine)
    counts: dict[str, int] = by_state | {
        "": sum(by_state.values()),
        "open": sum(n for state, n in by_state.items() if state not in rules.FINAL),
        "late": overdue.count(),
        "unexpected": odd.count(),
    }
    rows = _searched(_in_tab(mine, tab, by_state, late=overdue, unexpected=odd), mine, q)
    page = keyset_page(rows.select_related("vendor"), order=("-id",), cursor=cursor, filters=f"{tab}\n{q}\n{vendor}")
    return OrderList(
        tabs=[Tab(name, counts.get(name, 0), name == tab) for name in TABS],
        page=page,
        tab=tab,
        q=q,
        late=lateness(organization, now) if counts["late"] else [],
    )


def _of(organization: Organization, vendor: str, now: datetime) -> tuple[QuerySet[Order], ...]:
    """All, those that are late, and those that moved as was not to be expected."""
    mine = Order.objects.filter(organization=organization)
    overdue, odd = late(organization, now), mine.filter(unexpected_move=True)
    if vendor:
        chosen = Vendor.objects.filter(organization=organization, key=vendor).first()
        overdue, odd = overdue.filter(vendor=chosen), odd.filter(vendor=chosen)
        mine = Order.objects.filter(vendor=chosen) if chosen else mine.none()  # its indexes know no organization
    return mine, overdue, odd


def _by_state(mine: QuerySet[Order]) -> dict[str, int]:
    return dict(mine.values_list("state").annotate(n=Count("pk")).order_by())


def matching(organization: Organization, *, tab: str, q: str, vendor: str, now: datetime) -> QuerySet[Order]:
    """All that a list shows, in any order."""
    mine, overdue, odd = _of(organization, clean(vendor), now)
    return _searched(_in_tab(mine, tab, _by_state(mine), late=overdue, unexpected=odd), mine, clean(q).strip()[:100])


def _in_tab(mine: QuerySet[Order], tab: str, by_state: Mapping[str, int], **named: QuerySet[Order]) -> QuerySet[Order]:
    match tab:
        case "":
            return mine
        case "open":  # few of many are named by their states, and many met soon enough among the newest
            states = [state for state in by_state if state not in rules.FINAL]
            few = sum(by_state[state] for state in states) < FEW_OPEN
            return mine.filter(state__in=states) if few else mine.exclude(state__in=rules.FINAL)
        case "late" | "unexpected":
            return named[tab]
    return mine.filter(state=tab)


def _searched(rows: QuerySet[Order], mine: QuerySet[Order], q: str) -> QuerySet[Order]:
    """Rare words are looked up in their own index first; common ones are met soon enough in the list's order."""
    words = Q()
    for word in fold(q).split():
        words &= Q(search__contains=word)
    if not words:
        return rows
    found = list(mine.filter(words).order_by().values_list("pk", flat=True)[: FEW_FOUND + 1])
    return rows.filter(words) if len(found) > FEW_FOUND else rows.filter(pk__in=found)


def late(organization: Organization, now: datetime) -> QuerySet[Order]:
    """As `rules.is_late` says of each of the two checks: each has an index of what is still to be checked."""
    all_open = Order.objects.filter(organization=organization).order_by().values("pk")
    before = now - rules.SLOT
    state = all_open.filter(state_due_at__isnull=False, state_read_at__lt=before - rules.STATE_EVERY)
    tickets = all_open.filter(fulfilment_due_at__isnull=False, fulfilment_read_at__lt=before - rules.FULFILMENT_EVERY)
    return Order.objects.filter(pk__in=state.union(tickets))


def lateness(organization: Organization, now: datetime, of: Vendor | None = None) -> list[Late]:
    """By supplier: how many are late, and why."""
    found = late(organization, now)
    if of is not None:
        found = found.filter(vendor=of)
    counts = dict(found.values_list("vendor").annotate(n=Count("pk")).order_by())
    suppliers = Vendor.objects.filter(pk__in=counts).select_related("connection", "gate").order_by("name")
    result = []
    for vendor in suppliers:
        worst = found.filter(vendor=vendor).order_by("-problem", "state_read_at").first()
        if worst is not None:
            result.append(
                Late(
                    vendor=vendor,
                    count=counts[vendor.pk],
                    why=rules.why_late(standing(vendor, now), worst.problem),
                    problem=_problem(vendor) or worst.problem,
                    oldest=min(worst.state_read_at, worst.fulfilment_read_at),
                )
            )
    return result


def standing(vendor: Vendor, now: datetime) -> Standing:
    connection, gate = vendor.connection, _gate(vendor)
    age = sync.pulse_age(now)
    return Standing(
        connected=connection is not None and connection.live,
        key_refused=connection is not None and connection.health == Health.KEY_REFUSED,
        rests=gate is not None and gate.failures >= FAILURES_BEFORE_REST,
        failures=gate.failures if gate else 0,
        slow=gate is not None and gate.slow_until is not None and gate.slow_until > now,
        worker=age is not None and age < WORKER_SILENT,
    )


def _gate(vendor: Vendor) -> Gate | None:
    return getattr(vendor, "gate", None)


def _problem(vendor: Vendor) -> str:
    gate = _gate(vendor)
    return gate.problem if gate and gate.failures else ""


def reconciliations(
    organization: Organization, *, outcome: str = "", cause: str = "", q: str = "", cursor: str = ""
) -> KeysetPage[Reconciliation]:
    """`q` is a whole reference: for that there is an index."""
    found = Reconciliation.objects.filter(organization=organization).select_related("vendor")
    if q := clean(q).strip()[:255]:
        found = found.filter(vendor__in=Vendor.objects.filter(organization=organization), reference=q)
    if outcome == "missed":
        found = found.filter(missed=True)
    elif outcome in Found.values:
        found = found.filter(outcome=outcome)
    if cause in Cause.values:
        found = found.filter(cause=cause)
    return keyset_page(found, order=("-started_at", "-id"), cursor=cursor, filters=f"{outcome}\n{cause}\n{q}")


def told(vendors: Sequence[Vendor], since: datetime) -> dict[UUID, tuple[int, int]]:
    """Of each one's changes since then: how many no delivery had told of, and how many there were."""
    changes = Reconciliation.objects.filter(vendor__in=vendors, outcome="changed", finished_at__gte=since).order_by()
    counted = changes.values_list("vendor").annotate(missed=Count("pk", filter=Q(missed=True)), all=Count("pk"))
    return {vendor: (missed, number) for vendor, missed, number in counted}
