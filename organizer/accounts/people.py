"""Who asks, and what they are where: read with their session in one statement, since every request begins with it."""

from collections.abc import Iterable
from contextvars import ContextVar
from datetime import datetime
from typing import Any

from organizer.accounts.models import Membership, Organization, Session, User
from organizer.kit import quick

SESSION = quick.Columns(Session, "s", tuple(field.name for field in Session._meta.concrete_fields))
PERSON = (
    quick.Columns(User, "u", tuple(field.name for field in User._meta.concrete_fields)),
    quick.Columns(Membership, "m", tuple(field.name for field in Membership._meta.concrete_fields)),
    quick.Columns(Organization, "o", tuple(field.name for field in Organization._meta.concrete_fields)),
)
_JOINED = (
    " LEFT JOIN accounts_membership m ON m.user_id = u.id LEFT JOIN accounts_organization o ON o.id = m.organization_id"
)
_COLUMNS = ", ".join(str(columns) for columns in PERSON)
OF_USER = f"SELECT {_COLUMNS} FROM accounts_user u {_JOINED} WHERE u.id = %s ORDER BY o.name"  # noqa: S608 names of our own
OF_SESSION = (
    f"SELECT {SESSION}, {_COLUMNS} FROM accounts_session s"  # noqa: S608 names of our own
    f" LEFT JOIN accounts_user u ON u.id = s.user_id {_JOINED}"
    " WHERE s.session_key = %s AND s.expire_date > %s ORDER BY o.name"
)
_came_along: ContextVar[User | None] = ContextVar("came_along", default=None)


def of_session(key: str | None, now: datetime) -> Session | None:
    """What it says of the person is kept for `of_user`, which Django asks next."""
    params = [key, quick.value(Session, "expire_date", now)]
    rows = list(quick.read(OF_SESSION, params, SESSION, *PERSON))
    _came_along.set(_person(row[1:] for row in rows))
    return rows[0][0] if rows else None


def of_user(user_id: Any) -> User | None:
    """With `known_memberships`, for `queries.memberships`."""
    person = _came_along.get()
    _came_along.set(None)  # once: what is asked later is read again
    if person and str(person.pk) == str(user_id):
        return person
    return _person(quick.read(OF_USER, [quick.value(User, "id", user_id)], *PERSON))


def _person(rows: Iterable[tuple[Any, ...]]) -> User | None:
    person, memberships = None, []
    for user, membership, organization in rows:
        person = person or user
        if membership.pk is not None:
            membership.organization = organization
            membership.user = person
            memberships.append(membership)
    if person is None or person.pk is None:  # nobody has signed in by this session
        return None
    person.known_memberships = memberships
    return person
