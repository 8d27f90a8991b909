import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction

from organizer.accounts import actions, passwords
from organizer.accounts.models import Organization, Role, User

ORGANIZATION = ("demo", "Salon Mitte")
PEOPLE = (
    ("owner@demo.test", "Olive Brandt", Role.OWNER),
    ("admin@demo.test", "Ada Novák", Role.ADMIN),
    ("manager@demo.test", "Max Øvergaard", Role.MANAGER),
    ("door@demo.test", "Dora Kovalchuk", Role.DOOR),
    ("viewer@demo.test", "Vera Haddad", Role.VIEWER),
)


class Command(BaseCommand):
    help = "Makes the organization “demo” with one person of each role. Run again, it only follows FOYER_DEMO_PASSWORD."

    def handle(self, *args: Any, **options: Any) -> None:
        password = passwords.demo(settings.DATA)
        slug, name = ORGANIZATION
        with transaction.atomic():
            organization = Organization.objects.filter(slug=slug).first()
            organization = organization or actions.create_organization(slug=slug, name=name, by=None)
            for email, person, role in PEOPLE:
                user = User.objects.filter(email=email).first()
                user = user or actions.create_user(email=email, name=person, password=password, by=None)
                _follow(user, password)
                actions.add_member(organization=organization, user=user, role=role, by=None)
        self.stdout.write(f"The demo is at {settings.PUBLIC_URL}/o/{slug}/; sign in as {PEOPLE[0][0]}.")
        self.stdout.write(f"Its password is in {settings.DATA / passwords.DEMO_FILE} or FOYER_DEMO_PASSWORD.")


def _follow(user: User, password: str) -> None:
    """The one that the environment names holds from now on; one from the file never undoes a person's own change."""
    if os.environ.get("FOYER_DEMO_PASSWORD") and not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
