"""Keys of an organizer's own shop: made and revoked by people, shown once, kept as a hash."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.http import Http404
from django.utils import timezone

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.orders.models import ShopKey

PREFIX = "foy_live_"
USE_NOTED_EVERY = timedelta(minutes=1)


def make_key(*, organization: Organization, name: str, by: User) -> str:
    """The key itself, which nobody sees again."""
    key = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        row = ShopKey.objects.create(
            organization=organization, name=name, sha256=_digest(key), prefix=key[: len(PREFIX) + 4], last4=key[-4:],
            by_name=str(by),
        )  # fmt: skip
        audit.record("shop_key.make", target=row, organization=organization, by=by, after={"key": _shown(row)})
    return key


def revoke(*, key: ShopKey, by: User) -> None:
    with transaction.atomic():
        if ShopKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=timezone.now()):
            audit.record(
                "shop_key.revoke", target=key, organization=key.organization, by=by, before={"key": _shown(key)}
            )


def keys(organization: Organization) -> Sequence[ShopKey]:
    return list(ShopKey.objects.filter(organization=organization).order_by("revoked_at", "-created_at"))


def load(organization: Organization, key_id: UUID) -> ShopKey:
    key = ShopKey.objects.filter(organization=organization, pk=key_id).select_related("organization").first()
    if key is None:
        raise Http404
    return key


def find(key: str) -> ShopKey | None:
    """Who has it, or nobody. That it is used is noted once a minute."""
    if not key.startswith(PREFIX):
        return None
    found = ShopKey.objects.filter(sha256=_digest(key), revoked_at=None).select_related("organization").first()
    if found:
        now = timezone.now()
        old = Q(used_at=None) | Q(used_at__lt=now - USE_NOTED_EVERY)
        if found.used_at is None or now - found.used_at > USE_NOTED_EVERY:
            ShopKey.objects.filter(old, pk=found.pk).update(used_at=now)
    return found


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _shown(row: ShopKey) -> str:
    return f"{row.prefix}…{row.last4}"
