"""What somebody has to do something about, as the first page lists it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from organizer.accounts.models import Organization
from organizer.attendees.models import Attendee
from organizer.connections.models import Connection
from organizer.overview.rules import Check
from organizer.sync import batches, queries, registry
from organizer.sync.batches import Progress
from organizer.sync.models import Command, State


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

    progress: Progress
    title: str
    url: str

    @property
    def done_share(self) -> float:
        return 100 * self.progress.done / max(self.progress.total, 1)

    @property
    def failed_share(self) -> float:
        return 100 * self.progress.failed / max(self.progress.total, 1)


def needs(organization: Organization, *, worker: Check, is_admin: bool) -> list[Need]:
    """Admins are led to the outbox, who else decides about guests to the guests that need attention."""
    found = [] if worker.ok else [Need("warn", _worker(worker), worker.words)]
    box = reverse("sync:outbox", args=[organization.slug])
    odd = reverse("attendees:index", args=[organization.slug]) + "?odd=1"
    found += _failed(organization, {state: f"{box}?tab={state}" if is_admin else odd for state in State.values})
    found += _unrecorded(organization, odd)
    found += _held(organization, f"{box}?tab=held" if is_admin else "")
    return found


def under_way(organization: Organization) -> list[Work]:
    return [Work(now, _title(now), _batch_url(organization, now)) for now in batches.under_way(organization)]


def _worker(check: Check) -> str:
    return _("The worker cannot keep up") if check.reports else _("The worker does not report")


def _failed(organization: Organization, urls: dict[str, str]) -> Iterator[Need]:
    unseen = queries.unseen(organization)
    counts = dict(unseen.values_list("state").annotate(n=Count("pk")).order_by())
    if refused := counts.get(State.REFUSED, 0):
        newest = unseen.filter(state=State.REFUSED).order_by("-seq").first()
        title = ngettext("%(n)d change was refused", "%(n)d changes were refused", refused) % {"n": refused}
        yield Need("stop", title, _in_words(newest) if newest else "", urls[State.REFUSED])
    if parked := counts.get(State.PARKED, 0):
        title = ngettext("%(n)d change is parked", "%(n)d changes are parked", parked) % {"n": parked}
        yield Need("warn", title, _("Nobody knows whether it was done. A person has to say."), urls[State.PARKED])


def _unrecorded(organization: Organization, url: str) -> Iterator[Need]:
    """The admission stands, whatever the provider says; but somebody should know."""
    flagged = Attendee.objects.filter(event__organization=organization, connection__live=True, needs_attention=True)
    if missing := flagged.filter(outbox__state="unrecorded").count():
        one, many = "%(n)d check-in is not recorded at the provider", "%(n)d check-ins are not recorded at the provider"
        title = ngettext(one, many, missing) % {"n": missing}
        yield Need("stop", title, _("The guests are inside; the provider does not know."), url)


def _held(organization: Organization, url: str) -> Iterator[Need]:
    connections = {one.pk: one for one in Connection.objects.filter(organization=organization)}
    if not any(queries.hold(one) or queries.denied(one) for one in connections.values()):
        return
    held = queries.held(organization).values_list("connection_id", "scope").annotate(n=Count("pk")).order_by()
    reasons: Counter[str] = Counter()
    for connection_id, scope, count in held:
        reasons[queries.hold(connections[connection_id], scope)] += count
    for reason, count in reasons.items():
        title = ngettext("%(n)d change waits", "%(n)d changes wait", count) % {"n": count}
        mended = _("Nothing is lost: it goes on by itself as soon as that is mended.")
        yield Need("warn", title, f"{reason} {mended}", url)


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
