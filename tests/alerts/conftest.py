from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.alerts import watching
from organizer.webhooks.models import Delivery, Tally, Vendor
from tests.support import deliveries


@pytest.fixture
def now():
    """Not long ago, and in the middle of an hour, so that an hour before is another one."""
    return (timezone.now() - timedelta(hours=1)).replace(minute=30, second=0, microsecond=0)


@pytest.fixture
def vendor(cast) -> Vendor:
    return deliveries.vendor(cast.organization, cast.olive)


@pytest.fixture
def look(cast, now):
    """As the worker does each minute; `after` minutes from now."""

    def look_(after: float = 0) -> None:
        watching.look(cast.organization, now + timedelta(minutes=after))

    return look_


@pytest.fixture
def store(vendor, now):
    """Rows as the receiver leaves them, without its work."""
    numbers = iter(range(1_000_000))

    def store_(number: int = 1, *, ago: timedelta = timedelta(minutes=5), apart: timedelta = timedelta(0), **more):
        said = {"vendor": vendor, "outcome": "changed", "body_size": 1} | more
        made = [
            Delivery(
                organization_id=vendor.organization_id, dedupe_key=next(numbers).to_bytes(32), body_hash=bytes(32),
                auth="hmac", action="reconcile", reference="R-1", received_at=now - ago - n * apart, **said,
            )
            for n in range(number)
        ]  # fmt: skip
        return Delivery.objects.bulk_create(made)

    return store_


@pytest.fixture
def refuse(vendor, now):
    def refuse_(number: int, *, ago: timedelta = timedelta(minutes=5)) -> None:
        at = (now - ago).replace(second=0)
        tally, _made = Tally.objects.get_or_create(of=vendor.pk.hex, minute=at, reason="signature_invalid")
        Tally.objects.filter(pk=tally.pk).update(number=tally.number + number)

    return refuse_
