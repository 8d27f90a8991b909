import getpass
import os
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from organizer.accounts import actions, passwords
from organizer.accounts.models import Role, User


class Command(BaseCommand):
    help = (
        "Makes an organization and its owner. A new owner's password comes from FOYER_OWNER_PASSWORD, "
        "from a prompt, or is made and printed once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="its name in addresses: /o/<slug>/")
        parser.add_argument("--name", required=True)
        parser.add_argument("--owner", required=True, metavar="EMAIL")
        parser.add_argument("--owner-name", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = User.objects.filter(email__iexact=options["owner"].strip()).first()
        password, made = ("", False) if owner else _password()
        try:
            with transaction.atomic():
                organization = actions.create_organization(slug=options["slug"], name=options["name"], by=None)
                owner = owner or actions.create_user(
                    email=options["owner"], name=options["owner_name"], password=password, by=None
                )
                actions.add_member(organization=organization, user=owner, role=Role.OWNER, by=None)
        except actions.CouldNotCreate as problem:
            raise CommandError(str(problem)) from None
        self.stdout.write(f"{organization.name} is at /o/{organization.slug}/ and {owner.email} owns it.")
        if made:
            self.stdout.write(f"Password, shown this once: {password}")


def _password() -> tuple[str, bool]:
    """The password, and whether it was made here and must be shown."""
    if given := os.environ.get("FOYER_OWNER_PASSWORD"):
        return given, False
    if sys.stdin.isatty() and (typed := getpass.getpass("Password of the owner (empty: one is made): ")):
        return typed, False
    return passwords.new(), True
