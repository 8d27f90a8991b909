"""Looks each minute, and changes what has become otherwise."""

import logging
from datetime import datetime

from organizer.accounts.models import Organization
from organizer.alerts import queries, rules, transitions
from organizer.alerts.measuring import Finding, Key, Look
from organizer.alerts.models import Alert
from organizer.webhooks.models import Vendor

log = logging.getLogger(__name__)


def look(organization: Organization, now: datetime) -> None:
    """May be done by several at once: each change is one's, and the others find it done."""
    standing = {
        (alert.of, alert.condition): alert
        for alert in Alert.objects.filter(organization=organization, closed=False).select_related(
            "vendor", "organization"
        )
    }
    seen: dict[Key, Finding] = {}
    for finding in Look(organization, queries.limits(organization), now, standing).findings():
        seen[finding.key] = finding
        if finding.verdict.holds and finding.key not in standing:
            transitions.open_one(organization, finding, now)
    for key, alert in standing.items():
        _follow(alert, seen.get(key), now)


def look_everywhere(now: datetime) -> None:
    """One organization's trouble is not the others'."""
    for organization in Organization.objects.filter(pk__in=Vendor.objects.values("organization")).order_by("pk"):
        try:
            look(organization, now)
        except Exception:
            log.exception("the suppliers of %s could not be looked at", organization.slug)


def _follow(alert: Alert, finding: Finding | None, now: datetime) -> None:
    """What was last measured stays when it is over: it says what it was about."""
    holds = finding is not None and finding.verdict.holds
    if finding is not None and holds and (not alert.holds or alert.measured != finding.verdict.measured):
        began = alert.began_at if alert.holds else finding.began_at
        changed = {"measured": finding.verdict.measured, "holds": True, "began_at": began}
        _note(alert, **changed)
    elif not holds and alert.holds:
        _note(alert, holds=False)
    step = rules.step(alert.state, holds=holds, ignored_until=alert.ignored_until, now=now)
    if step.state:
        transitions.move(alert, step.state, now=now, closed=step.closed, silent=step.silent)
    elif step.closed:
        Alert.objects.filter(pk=alert.pk, state=alert.state).update(closed=True)


def _note(alert: Alert, **changes: object) -> None:
    Alert.objects.filter(pk=alert.pk, closed=False).update(**changes)
    for name, value in changes.items():
        setattr(alert, name, value)
