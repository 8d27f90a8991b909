"""Reads for the pages of alerts, and how many there are for the frame of every page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Count, OuterRef, Prefetch, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import Http404

from organizer.accounts.models import Membership, Organization
from organizer.alerts import notices, rules
from organizer.alerts.models import Alert, Attempt, Channel, Condition, Hook, Move, Sending, State, Watch
from organizer.kit.paging import KeysetPage, keyset_page
from organizer.webhooks import rules as webhooks
from organizer.webhooks.models import Tally, Vendor

CURRENT = "current"
STATES = (CURRENT, *State.values, "all")
LOGGED = 20


@dataclass(frozen=True)
class Asked:
    """What the list is filtered by; the address says it, and whatever it does not understand is left out."""

    state: str = CURRENT
    vendor: str = ""
    """Its key."""
    condition: str = ""

    @classmethod
    def read(cls, parameters: Mapping[str, Any]) -> "Asked":
        state, vendor = parameters.get("state", ""), parameters.get("vendor", "")
        condition = parameters.get("condition", "")
        return cls(
            state=state if state in STATES else CURRENT,
            vendor=vendor if webhooks.KEY.fullmatch(vendor) else "",
            condition=condition if condition in Condition.values else "",
        )

    @property
    def narrowed(self) -> bool:
        return bool(self.vendor or self.condition)

    def address(self, **changes: str) -> str:
        changed = replace(self, **changes)
        return "?" + urlencode([(name, value) for name, value in vars(changed).items() if value])


def limits(organization: Organization) -> rules.Limits:
    watch = Watch.objects.filter(organization=organization).first()
    return rules.Limits.read(watch.limits if watch else {})


def open_count(organization: Organization) -> int:
    """For the frame of every page, whose own query brings it along (`note_open`)."""
    known: int | None = getattr(organization, "open_alerts", None)
    if known is None:
        known = all_open().filter(organization=organization).count()
        note_open(organization, known)
    return known


def note_open(organization: Organization, number: int) -> None:
    """Who has counted them with something else saves a query."""
    organization.open_alerts = number  # type: ignore[attr-defined]


def all_open() -> QuerySet[Alert]:
    return Alert.objects.filter(state=State.OPEN)


def number_open() -> Coalesce:
    """Beside other numbers, in a query about organizations."""
    mine = all_open().filter(organization=OuterRef("pk")).order_by()
    return Coalesce(Subquery(mine.values("organization").annotate(n=Count("pk")).values("n")), 0)


def newest_open(organization: Organization) -> Alert | None:
    rows = all_open().filter(organization=organization).select_related("vendor", "organization")
    return rows.order_by("-opened_at", "-id").first()


def of_vendor(vendor: Vendor) -> Sequence[Alert]:
    """What stands at the top of its page: those that are not over."""
    mine = Alert.objects.filter(vendor=vendor, state__in=rules.CURRENT).select_related("vendor", "organization")
    return list(mine.order_by("-opened_at"))


def page(organization: Organization, asked: Asked, cursor: str) -> KeysetPage[Alert]:
    rows = Alert.objects.filter(organization=organization).select_related("vendor", "organization")
    if asked.state == CURRENT:
        rows = rows.filter(state__in=rules.CURRENT)
    elif asked.state != "all":
        rows = rows.filter(state=asked.state)
    if asked.vendor:
        rows = rows.filter(vendor__key=asked.vendor)
    if asked.condition:
        rows = rows.filter(condition=asked.condition)
    return keyset_page(rows, order=("-opened_at", "-id"), cursor=cursor, filters=asked.address())


def counts(organization: Organization) -> dict[str, int]:
    by_state = dict(Alert.objects.filter(organization=organization).values_list("state").annotate(n=Count("pk")))
    current = sum(by_state.get(state, 0) for state in rules.CURRENT)
    return by_state | {CURRENT: current, "all": sum(by_state.values())}


def load(organization: Organization, alert_id: UUID) -> Alert:
    """Another organization's alert does not exist."""
    found = Alert.objects.filter(organization=organization, pk=alert_id).select_related("vendor", "organization")
    alert = found.first()
    if alert is None:
        raise Http404
    return alert


def chosen(organization: Organization, ids: Sequence[UUID]) -> Sequence[Alert]:
    mine = Alert.objects.filter(organization=organization, pk__in=ids).select_related("vendor", "organization")
    return list(mine.order_by("opened_at", "id"))


def moves(alert: Alert) -> Sequence[Move]:
    """Newest first, each with whom it was told."""
    told = Prefetch("sendings", Sending.objects.select_related("user").order_by("channel", "id"))
    return list(Move.objects.filter(alert=alert).prefetch_related(told).order_by("-at", "-id"))


def refused_by_reason(alert: Alert, until: datetime) -> Sequence[tuple[str, int]]:
    """Of the time that it is about."""
    minutes = Tally.objects.filter(of=alert.of, minute__gte=alert.began_at - timedelta(minutes=1), minute__lte=until)
    counted = minutes.values_list("reason").annotate(sum=Sum("number")).order_by("-sum", "reason")
    return [(reason, number) for reason, number in counted]


def hook(organization: Organization) -> Hook | None:
    return Hook.objects.filter(organization=organization).select_related("organization").first()


def load_hook(organization: Organization) -> Hook:
    found = hook(organization)
    if found is None:
        raise Http404
    return found


def sendings(organization: Organization) -> Sequence[Sending]:
    """The newest posts to its address, each with what was tried."""
    mine = Sending.objects.filter(organization=organization, channel=Channel.HOOK)
    tried = Prefetch("attempts", Attempt.objects.order_by("-at", "-id"))
    rows = mine.select_related("move__alert__vendor", "move__alert__organization").prefetch_related(tried)
    return list(rows.order_by("-id")[:LOGGED])


def load_sending(organization: Organization, sending_id: UUID) -> Sending:
    found = Sending.objects.filter(organization=organization, pk=sending_id, channel=Channel.HOOK).first()
    if found is None:
        raise Http404
    return found


@dataclass(frozen=True)
class MailRow:
    member: Membership
    on: bool


def mail_rows(organization: Organization) -> Sequence[MailRow]:
    told = {user.pk for user in notices.told_by_mail(organization)}
    members = Membership.objects.filter(organization=organization).select_related("user")
    return [MailRow(one, one.user_id in told) for one in members.order_by("user__name", "user__email")]
