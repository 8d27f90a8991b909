import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from organizer.accounts.models import Organization
from organizer.connections import actions, clients
from organizer.connections.models import Connection, Health, Service
from organizer.upstream.errors import Limited, NotYet

PATIENCE = 15.0


class Command(BaseCommand):
    help = "Connects an organization to a service. The API key is read from standard input, never from an argument."
    stealth_options = ("stdin",)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", required=True, metavar="SLUG")
        parser.add_argument("--service", required=True, choices=Service.values)
        parser.add_argument("--url", required=True, help="for the event API it ends in /api/v1")

    def handle(self, *, organization: str, service: str, url: str, **options: Any) -> None:
        owner = Organization.objects.filter(slug=organization).first()
        if owner is None:
            raise CommandError(f"There is no organization {organization!r}. Make it with create_organization.")
        try:
            connection = actions.add(
                organization=owner, service=service, url=url, key=_key(options.get("stdin") or sys.stdin), by=None
            )
        except actions.CouldNotConnect as problem:
            raise CommandError(problem.message) from None
        self._try(connection)
        self._say(connection)

    def _try(self, connection: Connection) -> None:
        try:
            with clients.event_api(connection, patience=PATIENCE) as api:
                actions.check(connection=connection, api=api if connection.service == Service.EVENTS else None)
        except (NotYet, Limited):
            self.stderr.write("The key's allowance is used up; the worker tries the connection later.")

    def _say(self, connection: Connection) -> None:
        what = f"{connection.get_service_display()} at {connection.url}"
        match connection.health:
            case Health.WORKING:
                missing = sorted(scope for scope, outcome in connection.scopes.items() if outcome == "denied")
                self.stdout.write(f"Connected: {what} works.")
                if missing:
                    self.stdout.write(f"The key lacks these scopes: {', '.join(missing)}.")
            case Health.KEY_REFUSED:
                raise CommandError(f"{what} refuses the key: {connection.health_message}")
            case Health.UNREACHABLE:
                self.stdout.write(f"Stored, but not reachable now: {what}. {connection.health_message}")
            case _:
                self.stdout.write(f"Stored: {what}.")


def _key(stdin: Any) -> str:
    return getpass.getpass("API key: ") if stdin.isatty() else stdin.readline()
