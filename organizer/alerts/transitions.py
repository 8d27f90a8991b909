"""The one way in which an alert changes: by compare-and-set, with its history and whom it is told, or not at all."""

from datetime import datetime
from typing import Any

from django.db import transaction

from organizer.accounts import audit
from organizer.accounts.models import User
from organizer.alerts import notices
from organizer.alerts.measuring import Finding
from organizer.alerts.models import Alert, Move, State

VERBS = {
    State.OPEN: "alert.open",
    State.ACKNOWLEDGED: "alert.acknowledge",
    State.RESOLVED: "alert.resolve",
    State.IGNORED: "alert.ignore",
}


def open_one(organization: Any, finding: Finding, now: datetime) -> Alert | None:
    """None where another process has opened it: the constraint lets one be."""
    of, condition = finding.key
    said = {
        "vendor": finding.vendor, "measured": finding.verdict.measured, "began_at": finding.began_at,
        "opened_at": now, "changed_at": now,
    }  # fmt: skip
    with transaction.atomic():
        alert, made = Alert.objects.get_or_create(
            organization=organization, of=of, condition=condition, closed=False, defaults=said
        )
        if not made:
            return None
        _tell(alert, before="", now=now, by=None, note="", silent=False)
    return alert


def move(
    alert: Alert,
    to: str,
    *,
    now: datetime,
    by: User | None = None,
    note: str = "",
    closed: bool = False,
    until: datetime | None = None,
    silent: bool = False,
) -> bool:
    """Whether it was this caller's to do: somebody else may have been quicker."""
    before = alert.state
    changes = {
        "state": to, "closed": closed, "changed_at": now, "ignored_until": until,
        "resolved_at": now if to == State.RESOLVED else None,
    }  # fmt: skip
    with transaction.atomic():
        if not Alert.objects.filter(pk=alert.pk, state=before, closed=False).update(**changes):
            return False
        for name, value in changes.items():
            setattr(alert, name, value)
        _tell(alert, before=before, now=now, by=by, note=note, silent=silent)
    return True


def _tell(alert: Alert, *, before: str, now: datetime, by: User | None, note: str, silent: bool) -> None:
    entry = Move.objects.create(
        alert=alert, at=now, before=before, after=alert.state, by=by, by_name=str(by) if by else "", note=note,
        until=alert.ignored_until, measured=alert.measured,
    )  # fmt: skip
    said = {"state": alert.state} | ({"note": note} if note else {})
    audit.record(
        VERBS[State(alert.state)], target=alert, organization=alert.organization, by=by,
        before={"state": before} if before else {}, after=said,
    )  # fmt: skip
    if not silent:
        notices.write(entry, alert)
