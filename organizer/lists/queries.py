"""The views of a list that a person may open."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from organizer.accounts.access import MANAGERS
from organizer.accounts.models import Membership, Organization, User
from organizer.lists import registry
from organizer.lists.models import FirstView, SavedView


@dataclass(frozen=True)
class ViewRow:
    view: SavedView
    by: Membership
    query: str
    """As its list understands it today."""
    first: bool = False
    current: bool = False

    @property
    def mine(self) -> bool:
        return self.view.owner_id == self.by.user_id

    @property
    def may_change(self) -> bool:
        """One's own; and what is shared is everybody's, so that it needs the right to share."""
        return self.by.role in MANAGERS if self.view.shared else self.mine


@dataclass(frozen=True)
class Views:
    """What stands above a list."""

    listing: str
    about: str
    query: str
    """The list's own, as it is shown now."""
    rows: Sequence[ViewRow]

    @property
    def current(self) -> ViewRow | None:
        return next((row for row in self.rows if row.current), None)

    @property
    def first(self) -> str | None:
        """What the list opens with, if the person said so; a view of this very object before one of all."""
        chosen = sorted((row for row in self.rows if row.first), key=lambda row: row.view.about, reverse=True)
        return chosen[0].query if chosen else None


def views(by: Membership, listing: str, about: str, query: str) -> Views:
    of = registry.registered(listing)
    mine = FirstView.objects.filter(view=OuterRef("pk"), user=by.user_id)
    found = visible(by).filter(listing=listing, about__in=["", about]).annotate(first=Exists(mine))
    rows = []
    for view in found.select_related("owner").order_by("sort_name", "id"):
        says = of.cleaned(view.query)
        rows.append(ViewRow(view, by, says, first=view.first, current=says == query))
    return Views(listing, about, query, rows)


def visible(by: Membership) -> QuerySet[SavedView]:
    """One's own, and what others share."""
    return SavedView.objects.filter(Q(owner=by.user_id) | Q(shared=True), organization=by.organization_id)


def view(by: Membership, view_id: UUID) -> ViewRow | None:
    found = visible(by).select_related("owner").filter(pk=view_id).first()
    of = registry.listing(found.listing) if found else None
    if found is None or of is None:
        return None
    first = FirstView.objects.filter(view=found, user=by.user_id).exists()
    return ViewRow(found, by, of.cleaned(found.query), first=first)


def named(organization: Organization, owner: User, listing: str, about: str, sort_name: str) -> SavedView | None:
    mine = SavedView.objects.filter(organization=organization, owner=owner, listing=listing, about=about)
    return mine.filter(sort_name=sort_name).first()
