"""Writes about saved views. What a list opens with is a habit of one person and leaves no trail."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.kit.text import fold
from organizer.lists.models import FirstView, SavedView
from organizer.lists.queries import named

MOST = 50
"""Views that one person keeps of one list: they stand above it."""


class CouldNotSave(Exception):
    """The message says what to change."""

    def __init__(self, message: str, *, taken: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.taken = taken
        """Another view of this person has the name, and could be replaced."""


@transaction.atomic
def save(
    *, organization: Organization, by: User, listing: str, about: str, name: str, query: str,
    shared: bool = False, first: bool = False, replace: bool = False,
) -> SavedView:  # fmt: skip
    there = named(organization, by, listing, about, fold(name))
    if there and not replace:
        raise CouldNotSave(_("You have a view of this name already."), taken=True)
    if not there and _number(organization, by, listing) >= MOST:
        raise CouldNotSave(_("You keep %(n)s views of this list: delete one first.") % {"n": MOST})
    view = there or SavedView(organization=organization, owner=by, listing=listing, about=about)
    before = _said(view) if there else {}
    view.name, view.sort_name, view.query, view.shared = name, fold(name), query, shared
    _write(view)
    _note("view.changed" if there else "view.saved", view, by, before)
    if first:
        open_with(view=view, by=by)
    return view


@transaction.atomic
def change(*, view: SavedView, name: str, shared: bool, by: User) -> None:
    before = _said(view)
    was_seen = view.shared
    view.name, view.sort_name, view.shared = name, fold(name), shared
    _write(view)
    if was_seen and not shared:  # nobody else's list opens with what they cannot see
        FirstView.objects.filter(view=view).exclude(user=view.owner_id).delete()
    _note("view.changed", view, by, before)


@transaction.atomic
def delete(*, view: SavedView, by: User) -> None:
    _note("view.deleted", view, by, _said(view), gone=True)
    view.delete()


@transaction.atomic
def open_with(*, view: SavedView, by: User, on: bool = True) -> None:
    """The person's list opens with it from now on, or as everybody's does."""
    if not on:
        FirstView.objects.filter(user=by, view=view).delete()
        return
    FirstView.objects.update_or_create(
        user=by, organization=view.organization, listing=view.listing, about=view.about, defaults={"view": view}
    )


def _number(organization: Organization, by: User, listing: str) -> int:
    return SavedView.objects.filter(organization=organization, owner=by, listing=listing).count()


def _write(view: SavedView) -> None:
    try:
        with transaction.atomic():
            view.save()
    except IntegrityError:  # another tab was faster, or a view that is renamed meets one of the same name
        raise CouldNotSave(_("You have a view of this name already.")) from None


def _said(view: SavedView) -> dict[str, Any]:
    """What others may know of it."""
    return {"name": view.name, "query": view.query, "shared": view.shared} if view.shared else {"shared": False}


def _note(verb: str, view: SavedView, by: User, before: dict[str, Any], *, gone: bool = False) -> None:
    after = {} if gone else _said(view)
    audit.record(verb, target=view, organization=view.organization, by=by, before=before, after=after)
