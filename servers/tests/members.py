"""People who sign in on the servers' pages."""

from django.test import Client

from servers.organizations.models import Member, Organization, User

PASSWORD = "correct horse battery"


def member_of(organization: Organization, password: str | None = None) -> User:
    username = f"owner@{organization.slug}.test"
    user = User.objects.create_user(username, email=username, password=password)
    Member.objects.create(organization=organization, user=user)
    return user


def browser_of(organization: Organization) -> Client:
    """A browser in which a new member of the organization has signed in."""
    client = Client(raise_request_exception=False)
    client.force_login(member_of(organization))
    return client
