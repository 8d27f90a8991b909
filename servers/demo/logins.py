"""Who signs in to the demo: members of its organization, and the operator of the installation."""

import os
from pathlib import Path

from servers.demo import password
from servers.organizations.models import Member, Organization, User

MEMBERS = {
    "owner@demo.test": ("Olive", "Brandt", Member.Role.ADMIN),
    "admin@demo.test": ("Ada", "Novák", Member.Role.ADMIN),
    "manager@demo.test": ("Max", "Øvergaard", Member.Role.MEMBER),
}
OPERATOR = "operator"


def ensure(*, organization: Organization, data: Path) -> None:
    """Makes who is missing. A password that the environment names holds from now on; else nobody's is changed."""
    for email, (first_name, last_name, role) in MEMBERS.items():
        user = _ensure(data, email, email=email, first_name=first_name, last_name=last_name)
        Member.objects.get_or_create(organization=organization, user=user, defaults={"role": role})
    _ensure(data, OPERATOR, is_staff=True, is_superuser=True)


def _ensure(data: Path, username: str, **fields: str | bool) -> User:
    user, made = User.objects.get_or_create(username=username, defaults=fields)
    given = os.environ.get(password.VARIABLE)
    if made or (given and not user.check_password(given)):
        user.set_password(password.read_or_make(data))
        user.save(update_fields=["password"])
    return user
