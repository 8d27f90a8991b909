"""Reads for the pages of orders."""

from collections.abc import Sequence
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
from organizer.webhooks.models import Reconciliation, Vendor

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
    q = clean(q).strip()[:100]
    mine = Order.objects.filter(organization=organization)
    if vendor:
        mine = mine.filter(vendor__key=vendor)
    by_state = dict(mine.values_list("state").annotate(n=Count("pk")).order_by())
    counts: dict[str, int] = by_state | {
        "": sum(by_state.values()),
        "open": sum(n for state, n in by_state.items() if state not in rules.FINAL),
        "late": mine.filter(is_late(now)).count(),
        "unexpected": mine.filter(unexpected_move=True).count(),
    }
    rows = matching(organization, tab=tab, q=q, vendor=vendor, now=now)
    page = keyset_page(rows.select_related("vendor"), order=("-id",), cursor=cursor, filters=f"{tab}\n{q}\n{vendor}")
    return OrderList(
        tabs=[Tab(name, counts.get(name, 0), name == tab) for name in TABS],
        page=page,
        tab=tab,
        q=q,
        late=lateness(organization, now) if counts["late"] else [],
    )


def matching(organization: Organization, *, tab: str, q: str, vendor: str, now: datetime) -> QuerySet[Order]:
    """All that a list shows, in any order."""
    rows = Order.objects.filter(_in_tab(tab, now), organization=organization)
    if vendor:
        rows = rows.filter(vendor__key=vendor)
    for word in fold(clean(q).strip()[:100]).split():
        rows = rows.filter(search__contains=word)
    return rows


def _in_tab(tab: str, now: datetime) -> Q:
    match tab:
        case "":
            return Q()
        case "open":
            return ~Q(state__in=rules.FINAL)
        case "late":
            return is_late(now)
        case "unexpected":
            return Q(unexpected_move=True)
    return Q(state=tab)


def is_late(now: datetime) -> Q:
    """As `rules.is_late` says of each of the two checks."""
    state = Q(state_due_at__isnull=False, state_read_at__lt=now - rules.STATE_EVERY - rules.SLOT)
    limit = now - rules.FULFILMENT_EVERY - rules.SLOT
    return state | Q(fulfilment_due_at__isnull=False, fulfilment_read_at__lt=limit)


def late(organization: Organization, now: datetime) -> QuerySet[Order]:
    return Order.objects.filter(is_late(now), organization=organization)


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
    organization: Organization, *, outcome: str = "", cause: str = "", cursor: str = ""
) -> KeysetPage[Reconciliation]:
    found = Reconciliation.objects.filter(organization=organization).select_related("vendor")
    if outcome == "missed":
        found = found.filter(missed=True)
    elif outcome:
        found = found.filter(outcome=outcome)
    if cause:
        found = found.filter(cause=cause)
    return keyset_page(found, order=("-started_at", "-id"), cursor=cursor, filters=f"{outcome}\n{cause}")


def told(vendors: Sequence[Vendor], since: datetime) -> dict[UUID, tuple[int, int]]:
    """Of each one's changes since then: how many no delivery had told of, and how many there were."""
    changes = Reconciliation.objects.filter(vendor__in=vendors, outcome="changed", finished_at__gte=since).order_by()
    counted = changes.values_list("vendor").annotate(missed=Count("pk", filter=Q(missed=True)), all=Count("pk"))
    return {vendor: (missed, number) for vendor, missed, number in counted}
