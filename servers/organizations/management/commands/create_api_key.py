from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from servers.kit import writes
from servers.organizations import actions, scopes


class Command(BaseCommand):
    help = "Makes an API key of the event server, and the organization if it is new. Prints only the key."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", required=True, metavar="SLUG")
        parser.add_argument("--scopes", required=True, metavar="events:read,attendees:write", help="or: all")
        parser.add_argument("--name", default="Made by the command")
        parser.add_argument("--limit", default=actions.DEFAULT_LIMIT, metavar="REQUESTS/SECONDS")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            granted = list(scopes.ALL) if options["scopes"] == "all" else scopes.parse(options["scopes"])
            with writes.write():  # a refused key leaves no organization behind
                new = actions.create_key(
                    organization=actions.organization_named(slug=options["organization"]),
                    scopes=granted,
                    name=options["name"],
                    limit=options["limit"],
                )
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(new.secret)
