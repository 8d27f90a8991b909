"""Orders for the demo: placed by the outbox as a person's are, at whatever its suppliers sell."""

import random
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from organizer.accounts.models import Organization
from organizer.connections import clients
from organizer.orders import actions, queries
from organizer.upstream.errors import UpstreamError
from organizer.upstream.supplier_api import Listing
from organizer.webhooks.models import Vendor

CUSTOMERS = (
    ("Aylin Şahin", "aylin.sahin@mail.test"),
    ("Bjørn Åkesson", "bjorn.akesson@mail.test"),
    ("Chloé Dubois", "chloe.dubois@mail.test"),
    ("Dmytro Шевченко", "dmytro@mail.test"),
    ("Esperanza Núñez", "esperanza.nunez@mail.test"),
    ("Farid Haddad", "farid.haddad@mail.test"),
)


class Command(BaseCommand):
    help = "Places a few orders of the organization “demo” at each of its suppliers; they move by themselves."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--each", type=int, default=3, metavar="N", help="so many at each supplier")

    def handle(self, *, each: int, **options: Any) -> None:
        demo = Organization.objects.filter(slug="demo").first()
        for vendor in queries.vendors(demo) if demo else []:
            try:
                placed = _place(vendor, each)
            except UpstreamError as problem:
                self.stderr.write(f"{vendor.name}: {problem.message}")
            else:
                self.stdout.write(f"{placed} orders are on their way to {vendor.name}.")


def _place(vendor: Vendor, each: int) -> int:
    assert vendor.connection  # noqa: S101 of `queries.vendors`
    with clients.supplier_api(vendor.connection, patience=5.0) as api:
        on_sale = [one for one in api.listings.page("", 1).items if one.available > 2]
    chance = random.Random()  # noqa: S311 not a secret
    for listing in chance.sample(on_sale, min(each, len(on_sale))):
        name, email = chance.choice(CUSTOMERS)
        item = actions.Item(listing.id, chance.randint(1, 2), _about(listing))
        actions.place(vendor=vendor, items=[item], name=name, email=email, by=None)
    return min(each, len(on_sale))


def _about(listing: Listing) -> dict[str, Any]:
    return {
        "event_name": listing.event_name,
        "section": listing.section,
        "price": str(listing.price),
        "currency": listing.currency,
    }
