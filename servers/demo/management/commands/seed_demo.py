from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from servers.demo import logins, seed, suppliers
from servers.event_api.models import Attendee
from servers.kit import clock

MOST = 1_000_000


class Command(BaseCommand):
    help = (
        "Makes the organization `demo` with six events and their guests, and three suppliers of tickets."
        " Run again, it moves the dates to today."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--attendees", type=int, default=2000, metavar="N", help="counts the first time only")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["attendees"] <= MOST:
            raise CommandError(f"--attendees is a number from 0 to {MOST}.")
        organization = seed.seed(attendees=options["attendees"], now=clock.now())
        suppliers.seed(now=clock.now(), retail_url=settings.RETAIL_URL)
        logins.ensure(organization=organization, data=settings.DATA)
        guests = Attendee.objects.filter(event__organization=organization).count()
        self.stdout.write(f"{organization.name}: {organization.events.count()} events, {guests} guests")
