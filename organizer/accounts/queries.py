"""Who belongs where, and what was done."""

from collections.abc import Sequence
from dataclasses import dataclass

from organizer.accounts import words
from organizer.accounts.models import AuditEntry, Membership, Organization, Role, User

AUDIT_PAGE = 50


@dataclass(frozen=True)
class AuditRow:
    entry: AuditEntry

    @property
    def what(self) -> str:
        return words.what(self.entry.verb)

    @property
    def on(self) -> str:
        """Many have no name: how many they are is said beside."""
        return "" if self.entry.target_type == "sync.batch" else self.entry.target_name

    @property
    def changes(self) -> list[str]:
        return words.changes(self.entry.before, self.entry.after)


@dataclass(frozen=True)
class AuditPage:
    rows: Sequence[AuditRow]
    older: int | None
    """Where the next page begins, or None at the end of the trail."""
    newest: bool


def memberships(user: User) -> Sequence[Membership]:
    known: Sequence[Membership] | None = getattr(user, "known_memberships", None)
    if known is not None:  # read with the user, by `people`
        return known
    mine = Membership.objects.filter(user=user).select_related("user", "organization")
    return list(mine.order_by("organization__name"))


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
    return AuditPage(
        [AuditRow(entry) for entry in shown], shown[-1].id if len(rows) > AUDIT_PAGE else None, newest=not before
    )
