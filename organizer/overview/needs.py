"""What somebody has to do something about, as the first page lists it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from organizer.accounts.models import Organization
from organizer.alerts import queries as alerts
from organizer.alerts import words as alert_words
from organizer.attendees.models import Attendee
from organizer.connections.models import Connection
from organizer.kit import quick
from organizer.orders import bulks
from organizer.overview.queries import began_before, still
from organizer.overview.rules import Check
from organizer.sync import batches, queries, registry
from organizer.sync.batches import Progress
from organizer.sync.models import OPEN, Command, State


@dataclass(frozen=True)
class Need:
    """`level` is one of the four meanings; without a `url` the person cannot mend it."""

    level: str
    title: str
    text: str = ""
    url: str = ""


@dataclass(frozen=True)
class Work:
    """A bulk that goes on, with its bar."""

    progress: Progress | bulks.Progress
    key: UUID
    by_name: str
    title: str
    url: str

    @property
    def done_share(self) -> float:
        return 100 * self.progress.done / max(self.progress.total, 1)

    @property
    def failed_share(self) -> float:
        return 100 * self.progress.failed / max(self.progress.total, 1)


@dataclass(frozen=True)
class Numbers:
    """Of what somebody has to look at, and of what waits to be sent; all by one query."""

    refused: int
    parked: int
    unrecorded: int
    odd: int
    unsent: int
    alerts: int


def numbers(organization: Organization, now: datetime | None = None) -> Numbers:
    now = now or timezone.now()
    [row] = quick.worded(_numbers, organization.pk, now, began_before(now))
    return Numbers(*row)


def _numbers(organization_id: UUID, now: datetime, began: datetime) -> QuerySet[Organization]:
    mine = Command.objects.filter(organization=OuterRef("pk"))
    unseen = mine.filter(seen_at=None)
    flagged = Attendee.objects.filter(organization=OuterRef("pk"), connection__live=True, needs_attention=True)
    return Organization.objects.filter(pk=organization_id).values_list(
        _number(unseen.filter(state=State.REFUSED)),
        _number(unseen.filter(state=State.PARKED)),
        _number(flagged.filter(outbox__state="unrecorded")),
        _number(flagged.filter(still("event__", now=now, began=began), outbox={})),
        _number(mine.filter(state__in=OPEN)),
        alerts.number_open(),
    )


def needs(
    organization: Organization, *, numbers: Numbers, connections: Sequence[Connection], worker: Check, is_admin: bool
) -> list[Need]:
    """Admins are led to the outbox, who else decides about guests to the guests that need attention."""
    found = [] if worker.ok else [Need("warn", _worker(worker), worker.words)]
    box = reverse("sync:outbox", args=[organization.slug])
    odd = reverse("attendees:index", args=[organization.slug]) + "?odd=1"
    urls = {state: f"{box}?tab={state}" if is_admin else odd for state in State.values}
    found += _failed(organization, numbers, urls)
    found += _of_guests(numbers, odd)
    found += _held(organization, connections, f"{box}?tab=held" if is_admin else "")
    if is_admin:
        found += _alerts(organization, numbers.alerts)
    return found


def under_way(organization: Organization, *, is_admin: bool) -> list[Work]:
    found = [
        Work(now, now.batch.pk, now.batch.by_name, _title(now), _batch_url(organization, now))
        for now in batches.under_way(organization)
    ]
    return [*found, *_reconciling(organization, is_admin=is_admin)]


def _reconciling(organization: Organization, *, is_admin: bool) -> Iterator[Work]:
    for bulk in bulks.under_way(organization):
        title = ngettext("Asking about %(n)d order", "Asking about %(n)d orders", bulk.total) % {"n": bulk.total}
        url = reverse("orders:bulk", args=[organization.slug, bulk.pk]) if is_admin else ""
        yield Work(bulks.Progress.of(bulk), bulk.pk, bulk.by_name, title, url)


def _worker(check: Check) -> str:
    return _("The worker cannot keep up") if check.reports else _("The worker does not report")


def _number(rows: QuerySet[Any]) -> Coalesce:
    """How many of the organization's; the query asks for them beside other numbers."""
    return Coalesce(Subquery(rows.order_by().values("organization").annotate(n=Count("pk")).values("n")), 0)


def _failed(organization: Organization, numbers: Numbers, urls: dict[str, str]) -> Iterator[Need]:
    if refused := numbers.refused:
        newest = queries.unseen(organization).filter(state=State.REFUSED).order_by("-seq").first()
        title = ngettext("%(n)d change was refused", "%(n)d changes were refused", refused) % {"n": refused}
        yield Need("stop", title, _in_words(newest) if newest else "", urls[State.REFUSED])
    if parked := numbers.parked:
        title = ngettext("%(n)d change is parked", "%(n)d changes are parked", parked) % {"n": parked}
        yield Need("warn", title, _("Nobody knows whether it was done. A person has to say."), urls[State.PARKED])


def _of_guests(numbers: Numbers, url: str) -> Iterator[Need]:
    """An admission stands, whatever the provider says; but somebody should know."""
    if missing := numbers.unrecorded:
        one, many = "%(n)d check-in is not recorded at the provider", "%(n)d check-ins are not recorded at the provider"
        title = ngettext(one, many, missing) % {"n": missing}
        yield Need("stop", title, _("The guests are inside; the provider does not know."), url)
    if odd := numbers.odd:
        title = ngettext("%(n)d guest needs a look", "%(n)d guests need a look", odd) % {"n": odd}
        yield Need("warn", title, _("No longer found at the provider, or its answer was odd."), url)


def _held(organization: Organization, connections: Sequence[Connection], url: str) -> Iterator[Need]:
    if not any(queries.hold(one) or queries.denied(one) for one in connections):
        return
    by_key = {one.pk: one for one in connections}
    held = queries.held(organization, connections).values_list("connection_id", "scope")
    reasons: Counter[str] = Counter()
    for connection_id, scope, count in held.annotate(n=Count("pk")).order_by():
        reasons[queries.hold(by_key[connection_id], scope)] += count
    for reason, count in reasons.items():
        title = ngettext("%(n)d change waits", "%(n)d changes wait", count) % {"n": count}
        mended = _("Nothing is lost: it goes on by itself as soon as that is mended.")
        yield Need("warn", title, f"{reason} {mended}", url)


def _alerts(organization: Organization, number: int) -> Iterator[Need]:
    """The newest says what it is about."""
    newest = alerts.newest_open(organization) if number else None
    if newest is not None:
        title = ngettext("%(n)d alert is open", "%(n)d alerts are open", number) % {"n": number}
        text = f"{newest}. {alert_words.sentence(newest, timezone.now())}"
        of_one = reverse("alerts:detail", args=[organization.slug, newest.pk])
        yield Need("warn", title, text, of_one if number == 1 else reverse("alerts:index", args=[organization.slug]))


def _in_words(command: Command) -> str:
    words = registry.kind(command.kind).words
    return f"{words[:1].upper()}{words[1:]} {command.target_name}: {command.reason}"


def _title(progress: Progress) -> str:
    words = registry.kind(progress.batch.kind).words
    guests = ngettext("%(n)d guest", "%(n)d guests", progress.total) % {"n": progress.total}
    return f"{words[:1].upper()}{words[1:]} {guests}"


def _batch_url(organization: Organization, progress: Progress) -> str:
    try:
        return reverse("attendees:batch", kwargs={"slug": organization.slug, "batch_id": progress.batch.pk})
    except NoReverseMatch:
        return ""
