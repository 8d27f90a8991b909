"""Alerts that are there, and what was to be posted about them."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from organizer.accounts.models import Organization, User
from organizer.alerts import actions, transitions
from organizer.alerts.measuring import Finding
from organizer.alerts.models import Alert, Condition, Hook, Sending, SendingState
from organizer.alerts.rules import Verdict
from organizer.webhooks.models import Tally, Vendor

NOBODY = "http://127.0.0.1:9/alerts"
MEASURED: dict[str, dict[str, Any]] = {
    Condition.REJECTS: {"recent": 37, "usual": 2.1, "line": 20},
    Condition.NO_MATCH: {"settled": 40, "unmatched": 14, "share": 35},
    Condition.FAILED: {"failed": 23},
    Condition.WAITING: {"waiting": 412, "oldest": None},
    Condition.QUIET: {"last": None, "usual": 1200, "line": 7200},
    Condition.OLD_SECRET: {"number": 1, "last4": "abcd", "ends_at": None, "used_at": None},
    Condition.LATE: {"late": 12, "why": "it refuses our key", "problem": ""},
    Condition.GROWTH: {"rows": 240_000, "bytes": 1_200_000_000},
}


def finding(
    vendor: Vendor, condition: str = Condition.FAILED, *, at: datetime | None = None, **measured: Any
) -> Finding:
    at = at or timezone.now()
    said = {name: at.isoformat() if value is None else value for name, value in MEASURED[condition].items()}
    about = None if condition == Condition.GROWTH else vendor
    return Finding(Condition(condition), about, Verdict(True, said | measured), at - timedelta(hours=1))


def opened(vendor: Vendor, condition: str = Condition.FAILED, *, at: datetime | None = None, **measured: Any) -> Alert:
    """As the worker opens it."""
    found = finding(vendor, condition, at=at, **measured)
    alert = transitions.open_one(vendor.organization, found, at or timezone.now())
    assert alert
    return alert


def refused(vendor: Vendor, number: int, *, at: datetime) -> None:
    Tally.objects.create(of=vendor.pk.hex, minute=at, reason="signature_invalid", number=number)


def hooked(organization: Organization, by: User, url: str = NOBODY) -> tuple[Hook, str]:
    """And its secret."""
    secret = actions.keep_hook(organization=organization, url=url, by=by)
    return Hook.objects.get(organization=organization), secret


def given_up(organization: Organization, by: User) -> Sending:
    """A test that nobody took."""
    hook, _secret = hooked(organization, by)
    sending = actions.send_test(hook=hook, by=by)
    Sending.objects.filter(pk=sending.pk).update(state=SendingState.FAILED, problem="It answered 500.")
    sending.refresh_from_db()
    return sending
