from collections.abc import Iterator

import pytest

from organizer.webhooks import actions
from organizer.webhooks.models import Vendor
from tests.webhooks import live
from tests.webhooks.live import SECRET, Supplier


@pytest.fixture(scope="session")
def receiver_url(django_db_setup: None, django_db_blocker) -> Iterator[str]:
    with django_db_blocker.unblock(), live.receiver() as url:
        yield url


@pytest.fixture
def add(cast):
    """Makes a vendor; limits are wide, since tests send many."""

    def add_(key: str = "acme", auth: str = "hmac", **more) -> Vendor:
        limits = {name: more.pop(name) for name in list(more) if name in ("rate", "burst", "same_body_for", "active")}
        if auth == "hmac":
            more.setdefault("secret", SECRET)
        vendor = actions.add_vendor(organization=cast.organization, key=key, name=key, auth=auth, by=cast.olive, **more)
        Vendor.objects.filter(pk=vendor.pk).update(**{"rate": 10_000, "burst": 10_000} | limits)
        vendor.refresh_from_db()
        return vendor

    return add_


@pytest.fixture
def vendor(add) -> Vendor:
    return add()


@pytest.fixture
def supplier(receiver_url, vendor) -> Supplier:
    return Supplier(receiver_url)
