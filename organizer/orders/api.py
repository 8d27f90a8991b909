"""The API of an organizer's own shop: it places orders at suppliers and reads how they stand."""

import hashlib
import json
import time
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any
from uuid import UUID

from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from organizer.accounts.access import public
from organizer.kit import logs
from organizer.kit.text import clean
from organizer.orders import actions, shops
from organizer.orders.models import Order, ShopAnswer, ShopKey
from organizer.orders.work import ANSWERS_KEPT
from organizer.webhooks.models import Vendor

LARGEST, LIMIT, WINDOW = 64 * 1024, 60, 10
Text = StringConstraints(min_length=1, strip_whitespace=True, pattern=r"^[^\x00-\x1f\x7f]*$")


class ItemBody(BaseModel):
    model_config = ConfigDict(extra="forbid")
    listing_id: Annotated[str, Text, Field(max_length=100)]
    quantity: Annotated[int, Field(ge=1, le=100, strict=True)]


class CustomerBody(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Text, Field(max_length=200)]
    email: Annotated[str, Field(max_length=254, pattern=r"^[^@\s]+@[^@\s]+$")]


class OrderBody(BaseModel):
    model_config = ConfigDict(extra="forbid")
    vendor: Annotated[str, Text, Field(max_length=60)]
    items: Annotated[list[ItemBody], Field(min_length=1, max_length=20)]
    customer: CustomerBody
    reference: Annotated[str, Text, Field(max_length=100)] | None = None


class Refused(Exception):
    def __init__(self, status: int, error: str, message: str, *details: dict[str, str]) -> None:
        super().__init__(message)
        self.status, self.error, self.message, self.details = status, error, message, list(details)


Shown = Callable[..., HttpResponse]


def of_a_shop(view: Shown) -> Shown:
    """By a shop's key, within its limit, answered as JSON whatever comes of it."""

    @public
    @csrf_exempt
    @wraps(view)
    def answered(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        headers: dict[str, str] = {}
        try:
            key = _key(request)
            logs.organization_id.set(str(key.organization_id))
            headers = _counted(key)
            response = view(request, key, **kwargs)
        except Refused as refusal:
            said: dict[str, Any] = {"error": refusal.error, "message": refusal.message}
            response = _json(said | ({"details": refusal.details} if refusal.details else {}), refusal.status)
            if refusal.status == 429:
                headers = _limits(0)
                response["Retry-After"] = headers["RateLimit-Reset"]
        for name, value in headers.items():
            response[name] = value
        return response

    return answered


@of_a_shop
def orders(request: HttpRequest, key: ShopKey) -> HttpResponse:
    if request.method == "POST":
        return _place(request, key)
    if request.method not in ("GET", "HEAD"):
        raise Refused(405, "method_not_allowed", "Send a GET or a POST.")
    reference = request.GET.get("reference", "")
    if not reference:
        problem = {"path": "reference", "message": "Say which order you look for.", "code": "required"}
        raise Refused(400, "Validation failed", "The request is not valid; see details.", problem)
    found = Order.objects.filter(organization=key.organization, reference=reference).select_related("vendor")
    return _json({"data": [shape(one) for one in found[:20]]})


@of_a_shop
def order(request: HttpRequest, key: ShopKey, order_id: UUID) -> HttpResponse:
    if request.method not in ("GET", "HEAD"):
        raise Refused(405, "method_not_allowed", "Send a GET.")
    found = Order.objects.filter(organization=key.organization, pk=order_id).select_related("vendor").first()
    if found is None:
        raise Refused(404, "Order not found", "There is no order with this id.")
    return _json({"data": shape(found)})


def shape(order: Order) -> dict[str, Any]:
    return {
        "id": str(order.pk),
        "reference": order.reference,
        "vendor": order.vendor.key,
        "status": order.state,
        "currency": order.currency or None,
        "total": float(order.total) if order.currency else None,
        "items": order.payload.get("items")
        or [{"listing_id": one["listing_id"], "quantity": one["quantity"]} for one in order.wanted],
        "customer": {"name": order.customer_name, "email": order.customer_email},
        "rejection_reason": order.rejection_reason or order.outbox.get("reason") or None,
        "tickets": {"expected": order.tickets_expected, "available": order.tickets.exclude(fetched_at=None).count()},
        "created_at": order.placed_at.isoformat(),
    }


def _place(request: HttpRequest, key: ShopKey) -> HttpResponse:
    raw = _body(request)
    wanted = _read(raw)
    vendor = (
        Vendor.objects.filter(organization=key.organization, key=wanted.vendor).select_related("connection").first()
    )
    if vendor is None:
        problem = {"path": "vendor", "message": "There is no supplier with this key.", "code": "unknown"}
        raise Refused(400, "Validation failed", "The request is not valid; see details.", problem)
    idempotency_key = request.headers.get("Idempotency-Key", "")
    if len(idempotency_key) > 255:
        raise Refused(400, "invalid_idempotency_key", "An Idempotency-Key has at most 255 characters.")
    if not idempotency_key:
        return _json({"data": shape(_placed(key, vendor, wanted))}, 201)
    digest = hashlib.sha256(raw).hexdigest()
    ShopAnswer.objects.filter(key=key, idempotency_key=idempotency_key, at__lt=timezone.now() - ANSWERS_KEPT).delete()
    try:
        with transaction.atomic():
            row = ShopAnswer.objects.create(key=key, idempotency_key=idempotency_key, digest=digest)
            row.answer = {"data": shape(_placed(key, vendor, wanted))}
            row.save(update_fields=["answer"])
    except IntegrityError:
        known = ShopAnswer.objects.get(key=key, idempotency_key=idempotency_key)
        if known.digest != digest:
            raise Refused(400, "idempotency_key_reuse", "This key was used with another body.") from None
        response = _json(known.answer, 201)
        response["Idempotent-Replay"] = "true"
        return response
    return _json(row.answer, 201)


def _placed(key: ShopKey, vendor: Vendor, wanted: OrderBody) -> Order:
    try:
        return actions.place(
            vendor=vendor, items=[actions.Item(one.listing_id, one.quantity) for one in wanted.items],
            name=wanted.customer.name, email=wanted.customer.email, reference=wanted.reference or "", by=None,
            by_name=f"{key.name} ({key.prefix}…)",
        )  # fmt: skip
    except actions.CouldNotPlace as problem:
        raise Refused(409, problem.error, problem.message) from None


def _body(request: HttpRequest) -> bytes:
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > LARGEST:
        raise Refused(413, "payload_too_large", "A body has at most 64 KB.")
    return request.body


def _read(raw: bytes) -> OrderBody:
    try:
        said = json.loads(raw)
    except (ValueError, RecursionError):
        raise Refused(400, "invalid_json", "The body is not JSON.") from None
    if isinstance(said, dict) and clean(json.dumps(said, ensure_ascii=False)) != json.dumps(said, ensure_ascii=False):
        raise Refused(400, "invalid_json", "The body holds characters that cannot be stored.")
    try:
        return OrderBody.model_validate(said)
    except ValidationError as error:
        details = [
            {"path": ".".join(str(part) for part in one["loc"]), "message": one["msg"], "code": one["type"]}
            for one in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise Refused(400, "Validation failed", "The request is not valid; see details.", *details) from None


def _key(request: HttpRequest) -> ShopKey:
    bearer = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
    own = request.headers.get("X-API-KEY", "").strip()
    if not (bearer or own):
        raise Refused(401, "Missing API key", "Send your key as X-API-KEY.")
    found = None if bearer and own and bearer != own else shops.find(own or bearer)
    if found is None:
        raise Refused(401, "Invalid or revoked API key", "This key is not valid, or no longer.")
    return found


def _counted(key: ShopKey) -> dict[str, str]:
    """Fixed windows, for all processes that share a cache."""
    name = f"shop:{key.pk}:{int(time.time()) // WINDOW}"
    cache.add(name, 0, timeout=2 * WINDOW)
    try:
        used = cache.incr(name)
    except ValueError:  # the cache was emptied between the two
        used = 1
    if used > LIMIT:
        raise Refused(429, "rate_limit_exceeded", "Too many requests with this key.")
    return _limits(LIMIT - used)


def _limits(left: int) -> dict[str, str]:
    reset = WINDOW - int(time.time()) % WINDOW
    return {"RateLimit-Limit": str(LIMIT), "RateLimit-Remaining": str(left), "RateLimit-Reset": str(reset)}


def _json(data: Any, status: int = 200) -> HttpResponse:
    body = json.dumps(data, ensure_ascii=False)
    return HttpResponse(body, status=status, content_type="application/json", headers={"Cache-Control": "no-store"})
