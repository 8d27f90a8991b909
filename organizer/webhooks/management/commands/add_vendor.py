import json
import sys
from argparse import ArgumentParser
from typing import Any, TextIO

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from organizer.accounts.models import Organization
from organizer.webhooks import actions, rules
from organizer.webhooks.models import Auth, Vendor


class Command(BaseCommand):
    help = "Makes a supplier that may deliver from the moment this returns. Secrets are best read from standard input."
    stealth_options = ("stdin",)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", required=True, metavar="SLUG")
        parser.add_argument("--key", required=True, metavar="VENDOR", help="the last part of its address")
        parser.add_argument("--name", default="", help="what people call it")
        parser.add_argument("--auth", required=True, choices=Auth.values)
        parser.add_argument("--secret", default="", help="that it signs with")
        parser.add_argument("--header", default=rules.SIGNATURE_HEADER, help="that the signature comes in")
        parser.add_argument("--allow", action="append", default=[], metavar="CIDR", help="may be given again")
        parser.add_argument("--orders-url", default="", help="ends in /api/vendor/v1")
        parser.add_argument("--orders-key", default="")
        parser.add_argument("--secret-stdin", action="store_true", help="reads the secret from the first line of stdin")
        parser.add_argument("--orders-key-stdin", action="store_true", help="reads the key from the next line of stdin")
        parser.add_argument(
            "--credentials-stdin", action="store_true", help='reads both as JSON: {"secret": …, "orders_key": …}'
        )

    def handle(self, *, organization: str, key: str, **options: Any) -> None:
        owner = Organization.objects.filter(slug=organization).first()
        if owner is None:
            raise CommandError(f"There is no organization {organization!r}. Make it with create_organization.")
        secret, orders_key = _secrets(options.get("stdin") or sys.stdin, options)
        try:
            vendor = actions.add_vendor(
                organization=owner, key=key, name=options["name"], auth=options["auth"], by=None, secret=secret,
                signature_header=options["header"], allowed=options["allow"], orders_url=options["orders_url"],
                orders_key=orders_key,
            )  # fmt: skip
        except actions.CouldNotSave as problem:
            raise CommandError(problem.message) from None
        self._say(vendor)

    def _say(self, vendor: Vendor) -> None:
        self.stdout.write(f"{vendor.name} delivers to {settings.PUBLIC_URL}/api/webhooks/{vendor.key}")


def _secrets(stdin: TextIO, options: dict[str, Any]) -> tuple[str, str]:
    if options["credentials_stdin"]:
        try:
            said = json.loads(stdin.readline())
            return str(said.get("secret", "")), str(said.get("orders_key", ""))
        except (ValueError, AttributeError):
            raise CommandError("There is no JSON object with the credentials on standard input.") from None
    secret = stdin.readline().strip() if options["secret_stdin"] else options["secret"]
    return secret, stdin.readline().strip() if options["orders_key_stdin"] else options["orders_key"]
