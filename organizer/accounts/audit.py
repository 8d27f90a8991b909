from typing import Any

from django.conf import settings

from organizer.accounts.models import AuditEntry, Organization, User


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
    return AuditEntry.objects.create(
        organization=organization,
        by=by,
        by_name=str(by) if by else "system",
        source=settings.PROCESS,
        verb=verb,
        target_type=target._meta.label_lower,
        target_id=str(target.pk),
        target_name=str(target)[:200],
        before=before or {},
        after=after or {},
    )
