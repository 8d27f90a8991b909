"""Suppliers, and what they send through the receiver's own door."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.test import Client

from organizer.accounts.models import Organization, User
from organizer.webhooks import actions
from organizer.webhooks.models import Delivery, Outcome, Vendor
from organizer.webhooks.receiver import notes, signatures

SECRET = "a secret that the supplier was given"


def vendor(organization: Organization, by: User | None, key: str = "acme", auth: str = "hmac", **more: Any) -> Vendor:
    if auth == "hmac":
        more.setdefault("secret", SECRET)
    more = {"rate": 10_000, "burst": 10_000, "name": key.title()} | more
    return actions.add_vendor(organization=organization, key=key, auth=auth, by=by, **more)


@contextmanager
def _noted_at_once() -> Iterator[None]:
    """By this thread, whose transaction it is."""
    delay, notes.shared.delay = notes.shared.delay, 0
    try:
        yield
    finally:
        notes.shared.delay = delay


def posted(key: str, body: bytes, *, secret: str = SECRET, header: str = "X-Vendor-Signature", **headers: str) -> Any:
    """The receiver's answer. Headers are named as `X_Webhook_Id`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    signed = {header: signatures.sign(body, secret)} if secret else {}
    kind = named.pop("Content-Type", "application/json")
    with _noted_at_once():
        return Client().post(
            f"/api/webhooks/{key}", body, content_type=kind, headers=signed | named, CONTENT_LENGTH=str(len(body))
        )


def delivered(key: str, body: bytes | dict[str, Any], *, ago: timedelta = timedelta(0), **headers: str) -> Delivery:
    """One that was stored, some time ago."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    said = posted(key, body, **headers)
    assert said.status_code == 200, said.content
    found = Delivery.objects.order_by("-pk")[0]
    if ago:
        Delivery.objects.filter(pk=found.pk).update(received_at=found.received_at - ago)
        found.refresh_from_db()
    return found


def settle(delivery: Delivery, outcome: str, took: timedelta = timedelta(seconds=1.8)) -> Delivery:
    """As the room does that asks suppliers."""
    delivery.outcome, delivery.settled_at = Outcome(outcome).value, delivery.received_at + took
    delivery.save(update_fields=["outcome", "settled_at"])
    return delivery
