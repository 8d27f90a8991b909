"""Who calls: a vendor with the secrets that count now, in one read and without a memory of it.

A new vendor, a rotation and signing switched on hold at once, in every process.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from organizer.connections import vault
from organizer.kit import quick
from organizer.webhooks.models import Purpose, Vendor, VendorSecret

_VENDOR = quick.Columns(
    Vendor,
    "v",
    (
        "id", "organization", "key", "active", "auth", "signature_header", "allowed", "id_headers", "rate", "burst",
        "same_body_for",
    ),
)  # fmt: skip
_SECRET = quick.Columns(VendorSecret, "s", ("id", "organization", "purpose", "number", "ciphertext", "used_at"))
_SQL = f"""SELECT {_VENDOR}, {_SECRET} FROM {Vendor._meta.db_table} v
  LEFT JOIN {VendorSecret._meta.db_table} s
    ON s.vendor_id = v.id AND s.purpose = '{Purpose.SIGNING}' AND (s.ends_at IS NULL OR s.ends_at > %s)
  WHERE v.key = %s ORDER BY s.number DESC"""  # noqa: S608 names of our own


@dataclass(frozen=True)
class Caller:
    vendor: Vendor
    secrets: Sequence[VendorSecret]
    """Newest first."""

    def opened(self) -> list[str]:
        return [vault.opened(secret) for secret in self.secrets]


def find(key: str, now: datetime) -> Caller | None:
    rows = list(quick.read(_SQL, [quick.value(VendorSecret, "ends_at", now), key], _VENDOR, _SECRET))
    return Caller(rows[0][0], [secret for _, secret in rows if secret.pk]) if rows else None
