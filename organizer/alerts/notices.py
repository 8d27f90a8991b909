"""Whom a transition is told, and in which words: written with it, and sent by the worker when it is committed."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from organizer.accounts.access import ADMINS
from organizer.accounts.models import Membership, Organization, User
from organizer.alerts import words
from organizer.alerts.models import Alert, Channel, Hook, MailChoice, Move, Sending, State
from organizer.kit.ids import new_id

TEST = "alert.test"
KINDS = {State.OPEN: "alert.opened", State.RESOLVED: "alert.resolved"} | {
    State.ACKNOWLEDGED: "alert.acknowledged",
    State.IGNORED: "alert.ignored",
}


def write(move: Move, alert: Alert) -> Sequence[Sending]:
    """In the transaction of the move. What a person does is told to machines only: people see it on the page."""
    made = list(_hooks(move, alert))
    if move.by_id is None:
        made += _mails(move, alert)
    return Sending.objects.bulk_create(made)


def write_test(organization: Organization, now: datetime) -> Sending:
    text = _("A test. Nothing is wrong, and nothing is to be done.")
    body = _body(TEST, now, {"organization": organization.slug, "text": text, "url": address(organization)})
    return Sending.objects.create(
        organization=organization, channel=Channel.HOOK, kind=TEST, body=body, created_at=now, next_at=now
    )


def told_by_mail(organization: Organization) -> Sequence[User]:
    """Owners and admins, but for who has chosen otherwise."""
    chosen = dict(MailChoice.objects.filter(organization=organization).values_list("user", "on"))
    on = [user for user, wants in chosen.items() if wants]
    usual = Q(role__in=ADMINS) & ~Q(user__in=list(chosen))
    members = Membership.objects.filter(Q(user__in=on) | usual, organization=organization, user__is_active=True)
    return [one.user for one in members.select_related("user").order_by("user__email")]


def address(organization: Organization, alert: Alert | None = None) -> str:
    name, args = ("alerts:detail", [alert.pk]) if alert else ("alerts:index", [])
    return settings.PUBLIC_URL.rstrip("/") + reverse(name, args=[organization.slug, *args])


def _hooks(move: Move, alert: Alert) -> Iterator[Sending]:
    if Hook.objects.filter(organization=alert.organization_id, active=True).exists():
        kind = KINDS[State(move.after)]
        body = _body(kind, move.at, _data(move, alert))
        yield _sending(move, alert, Channel.HOOK, kind=kind, body=body)


def _mails(move: Move, alert: Alert) -> Iterator[Sending]:
    kind, subject, body = KINDS[State(move.after)], _subject(move, alert), _text(move, alert)
    for user in told_by_mail(alert.organization):
        yield _sending(move, alert, Channel.MAIL, kind=kind, user=user, subject=subject, body=body)


def _sending(move: Move, alert: Alert, channel: str, **of: Any) -> Sending:
    return Sending(
        pk=new_id(), organization_id=alert.organization_id, move=move, channel=channel, created_at=move.at,
        next_at=move.at, **of,
    )  # fmt: skip


def _data(move: Move, alert: Alert) -> dict[str, Any]:
    return {
        "id": str(alert.pk),
        "organization": alert.organization.slug,
        "supplier": alert.vendor.key if alert.vendor else None,
        "condition": alert.condition,
        "state": move.after,
        "before": move.before or None,
        "title": words.title(alert),
        "text": words.sentence(alert, move.at),
        "measured": alert.measured,
        "opened_at": alert.opened_at.isoformat(),
        "by": move.by_name or None,
        "note": move.note or None,
        "url": address(alert.organization, alert),
    }


def _body(kind: str, at: datetime, data: dict[str, Any]) -> str:
    return json.dumps({"type": kind, "timestamp": at.isoformat(), "data": data}, ensure_ascii=False)


def _subject(move: Move, alert: Alert) -> str:
    about = f"{alert.vendor.name}: {words.title(alert)}" if alert.vendor else words.title(alert)
    said = _("Over: %s") % about if move.after == State.RESOLVED else about
    return " ".join(f"[{alert.organization.name}] {said}".split())[:300]  # a line break would be another header


def _text(move: Move, alert: Alert) -> str:
    over = move.after == State.RESOLVED
    parts = [
        _("This is over. When it was last so:") if over else "",
        words.sentence(alert, move.at),
        "" if over else str(words.ADVICE[alert.condition]),  # type: ignore[index]
        _("Since %s") % f"{alert.opened_at:%Y-%m-%d %H:%M} UTC",
        _("What it is about, and what to do with it:") + f"\n{address(alert.organization, alert)}",
        _("Who gets these mails, and when, is set here:") + f"\n{address(alert.organization)}settings/",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"
