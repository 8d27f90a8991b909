import base64
import secrets
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from organizer.connections import actions, vault

ADVICE = """\
The key ring comes from the environment. Put a new key in front of it in FOYER_KEY_RING, separated by a comma,
and start every process again; then run this command once more, and it encrypts with the new key. A new key is:

{key}"""


class Command(BaseCommand):
    help = (
        "Makes a new encryption key and encrypts every stored secret with it, while everything runs. "
        "Broken off, it goes on where it was. Old keys stay in the ring: a backup may still need them."
    )

    def handle(self, **options: Any) -> None:
        try:
            if not self._reseal():
                self._rotate()
        except vault.CouldNotOpen as problem:
            raise CommandError(f"A stored secret does not open, so nothing more was changed. {problem}") from None

    def _rotate(self) -> None:
        ring = settings.FOYER_KEY_RING
        if not hasattr(ring, "grow"):
            fresh = f"{secrets.token_hex(4)}:{base64.b64encode(secrets.token_bytes(32)).decode()}"
            self.stdout.write(ADVICE.format(key=fresh))
            return
        ring.grow()
        self.stdout.write("There is a new encryption key. Back up secrets.toml: without it no stored secret opens.")
        self._reseal()

    def _reseal(self) -> int:
        """Encrypts what an older key of the ring did; returns how many secrets that were."""
        before = left = len(vault.sealed_with_old_key())
        while left:
            left = actions.reseal(limit=100)
            self.stdout.write(f"{before - left} of {before} secrets are encrypted with the newest key.")
        return before
