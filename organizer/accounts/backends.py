"""Who asks, and what they are where: one statement, since every request begins with it."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend

from organizer.accounts.models import Membership, Organization, User
from organizer.kit import quick

USER = quick.Columns(User, "u", tuple(field.name for field in User._meta.concrete_fields))
MEMBERSHIP = quick.Columns(Membership, "m", tuple(field.name for field in Membership._meta.concrete_fields))
ORGANIZATION = quick.Columns(Organization, "o", tuple(field.name for field in Organization._meta.concrete_fields))
JOINED = (
    f"SELECT {USER}, {MEMBERSHIP}, {ORGANIZATION} FROM accounts_user u"  # noqa: S608 names of our own
    " JOIN accounts_membership m ON m.user_id = u.id JOIN accounts_organization o ON o.id = m.organization_id"
    " WHERE u.id = %s ORDER BY o.name"
)


class PersonBackend(AuthenticationBackend):
    def get_user(self, user_id: Any) -> User | None:
        """With `known_memberships`, for `queries.memberships`."""
        rows = list(quick.read(JOINED, [quick.value(User, "id", user_id)], USER, MEMBERSHIP, ORGANIZATION))
        if not rows:
            return super().get_user(user_id)
        user = rows[0][0]
        for _user, membership, organization in rows:
            membership.organization = organization
        user.known_memberships = [membership for _user, membership, _organization in rows]
        return user if self.user_can_authenticate(user) else None
