"""Who belongs where, and what was done."""

from collections.abc import Sequence
from dataclasses import dataclass

from organizer.accounts.models import AuditEntry, Membership, Organization, Role, User

AUDIT_PAGE = 50


@dataclass(frozen=True)
class AuditPage:
    entries: Sequence[AuditEntry]
    older: int | None
    """Where the next page begins, or None at the end of the trail."""
    newest: bool


def memberships(user: User) -> Sequence[Membership]:
    return list(Membership.objects.filter(user=user).select_related("organization").order_by("organization__name"))


def members(organization: Organization) -> Sequence[Membership]:
    return list(
        Membership.objects.filter(organization=organization)
        .select_related("user")
        .order_by("user__name", "user__email")
    )


def owners(organization: Organization) -> Sequence[User]:
    """Whom to ask for a right that is missing."""
    return list(User.objects.filter(memberships__organization=organization, memberships__role=Role.OWNER))


def audit_page(organization: Organization, *, before: str = "") -> AuditPage:
    """Newest first, paged by id: entries only ever join at the top."""
    entries = AuditEntry.objects.filter(organization=organization).order_by("-id")
    if before.isdecimal() and len(before) < 19:
        entries = entries.filter(id__lt=int(before))
    rows = list(entries[: AUDIT_PAGE + 1])
    shown = rows[:AUDIT_PAGE]
    return AuditPage(shown, shown[-1].id if len(rows) > AUDIT_PAGE else None, newest=not before)
