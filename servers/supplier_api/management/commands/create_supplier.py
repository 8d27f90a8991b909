import json
from argparse import ArgumentParser, BooleanOptionalAction
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from servers.kit import writes
from servers.organizations.actions import parse_limit
from servers.supplier_api.actions import suppliers
from servers.supplier_api.models import Supplier

FIELDS = {
    "name": "name", "notify": "notify_url", "auth": "auth", "header": "signature_header", "prefix": "has_prefix",
    "moves": "moves", "step": "step_seconds", "reject_each": "rejects_each",
}  # fmt: skip


class Command(BaseCommand):
    help = (
        "Makes a supplier, or changes what is named of a known one, and gives it a new orders key and signing secret."
        " Prints them as one line of JSON; they are shown nowhere else."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", metavar="KEY", help="its name in addresses: small letters, digits and -")
        parser.add_argument("--name", metavar="N")
        parser.add_argument("--notify", metavar="URL", help="where the retail service is told of moves")
        parser.add_argument("--auth", choices=Supplier.Auth.values)
        parser.add_argument("--header", metavar="H", help="of the signature")
        parser.add_argument("--prefix", action="store_true", default=None, help="sha256= before the signature")
        parser.add_argument("--moves", action=BooleanOptionalAction, help="orders go on by themselves")
        parser.add_argument("--step", type=int, metavar="SECONDS", help="between such moves")
        parser.add_argument("--reject-each", type=int, metavar="N", help="each N-th is rejected; 0 for none")
        parser.add_argument("--limit", metavar="REQUESTS/SECONDS")

    def handle(self, *args: Any, **options: Any) -> None:
        fields = {field: options[name] for name, field in FIELDS.items() if options[name] is not None}
        try:
            if options["limit"]:
                fields["limit_requests"], fields["limit_seconds"] = parse_limit(options["limit"])
            with writes.write():
                credentials = suppliers.issue(supplier=suppliers.set_up(key=options["key"], **fields))
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps({"orders_key": credentials.orders_key, "secret": credentials.secret}))
