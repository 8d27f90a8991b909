from collections.abc import Sequence
from typing import Any

from django.conf import settings

from organizer.accounts.models import AuditEntry, Organization, User
from organizer.kit import quick


def record(
    verb: str,
    *,
    target: Any,
    organization: Organization | None,
    by: User | None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> AuditEntry:
    """Call it inside the change's own transaction, so that neither exists without the other."""
    entry = _entry(verb, target=target, organization_id=organization.pk if organization else None, by=by)
    entry.before, entry.after = before or {}, after or {}
    entry.save()
    return entry


def draft(
    verb: str, *, target: Any, organization_id: Any, by: User, before: dict[str, Any], after: dict[str, Any]
) -> AuditEntry:
    """For who writes it together with all else, in the change's own transaction."""
    entry = _entry(verb, target=target, organization_id=organization_id, by=by)
    entry.before, entry.after = before, after
    return entry


def record_many(verb: str, *, targets: Sequence[Any], by: User | None, after: dict[str, Any]) -> None:
    """One act on many rows, each of which says whose it is: an entry for each, in one statement."""
    record_each(verb, [(target, after) for target in targets], by=by)


def record_each(verb: str, targets: Sequence[tuple[Any, dict[str, Any]]], *, by: User | None) -> None:
    """The same where each came out otherwise."""
    entries = []
    for target, after in targets:
        entry = _entry(verb, target=target, organization_id=target.organization_id, by=by)
        entry.after = after
        entries.append(entry)
    AuditEntry.objects.bulk_create(entries)


def _entry(verb: str, *, target: Any, organization_id: Any, by: User | None) -> AuditEntry:
    return quick.new(
        AuditEntry,
        organization_id=organization_id,
        by_id=by.pk if by else None,
        by_name=str(by) if by else "system",
        source=settings.PROCESS,
        verb=verb,
        target_type=target._meta.label_lower,
        target_id=str(target.pk),
        target_name=str(target)[:200],
    )
