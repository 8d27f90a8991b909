"""The people of the tests. Olive owns, Max manages, Dora works the door, Sam is a stranger from elsewhere."""

from dataclasses import dataclass

from organizer.accounts.models import Membership, Organization, Role, User

PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Cast:
    organization: Organization
    elsewhere: Organization
    olive: User
    max: User
    dora: User
    sam: User


def person(name: str, organization: Organization | None = None, role: Role = Role.OWNER) -> User:
    user = User.objects.create_user(f"{name.lower()}@{organization.slug if organization else 'nowhere'}.test", PASSWORD)
    if organization:
        Membership.objects.create(organization=organization, user=user, role=role)
    return user


def gather() -> Cast:
    here = Organization.objects.create(slug="harbour", name="Harbour Hall")
    elsewhere = Organization.objects.create(slug="elsewhere", name="Elsewhere")
    return Cast(
        organization=here,
        elsewhere=elsewhere,
        olive=person("Olive", here, Role.OWNER),
        max=person("Max", here, Role.MANAGER),
        dora=person("Dora", here, Role.DOOR),
        sam=person("Sam", elsewhere, Role.OWNER),
    )
