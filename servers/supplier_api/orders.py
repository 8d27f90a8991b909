"""`/orders`: found by the retail service's reference, read, placed."""

from typing import Annotated
from urllib.parse import quote

from django.http import HttpResponse
from ninja import Query
from pydantic import BaseModel, Field, StringConstraints

from servers.kit.errors import invalid, json_response
from servers.kit.schemas import Body
from servers.supplier_api import queries, shapes
from servers.supplier_api.actions import orders as actions
from servers.supplier_api.middleware import ApiRequest
from servers.supplier_api.routes import Routes
from servers.supplier_api.rules import Status

router = Routes()
HEADER = "Idempotency-Key"
_ASCII = "".join(map(chr, range(0x20, 0x7F)))
# no control characters, and nothing invisible at either end that a copy would lose
Reference = Annotated[
    str, StringConstraints(max_length=100, pattern=r"^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?$")
]


class ItemWanted(Body):
    listing_id: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    quantity: Annotated[int, Field(ge=1, le=100)]


class Customer(Body):
    name: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    email: Annotated[str, StringConstraints(max_length=254, pattern=r"^[^@\s]+@[^@\s]+$")]


class OrderCreate(Body):
    reference: Reference
    items: Annotated[list[ItemWanted], Field(min_length=1, max_length=20)]
    customer: Customer


class ItemData(BaseModel):
    id: str
    listing_id: str
    quantity: int
    price: float
    section: str
    row: str | None
    seats: list[str]


class OrderData(BaseModel):
    id: str
    reference: str
    status: Status
    currency: str
    total: float
    items: list[ItemData]
    rejection_reason: str | None
    created_at: str
    updated_at: str


class OrderAnswer(BaseModel):
    data: OrderData


class Count(BaseModel):
    count: int


class OrdersFound(BaseModel):
    data: list[OrderData]
    meta: Count


class OrderQuery(BaseModel):
    reference: Annotated[str, StringConstraints(min_length=1, max_length=500)]


@router.read("/orders", answers=OrdersFound)
def search(request: ApiRequest, query: Query[OrderQuery]) -> HttpResponse:
    found = queries.by_reference(request.supplier, query.reference)
    return json_response({"data": [shapes.order(row) for row in found], "meta": {"count": len(found)}})


@router.read("/orders/{order_id}", answers=OrderAnswer, refusals=(404,))
def get(request: ApiRequest, order_id: str) -> HttpResponse:
    return json_response({"data": shapes.order(queries.order(request.supplier, order_id))})


@router.write("/orders", answers=OrderAnswer, refusals=(422,))
def create(request: ApiRequest, body: OrderCreate) -> HttpResponse:
    """A reference is an order: the same body again is answered with the order as it is by now."""
    key = request.headers.get(HEADER)
    if key is not None and key not in (body.reference, quote(body.reference, safe=_ASCII)):
        raise invalid(HEADER, "The idempotency key of an order is its reference.", "reference")
    order, is_new = actions.place(
        supplier=request.supplier,
        reference=body.reference,
        items=[actions.Wanted(item.listing_id, item.quantity) for item in body.items],
        name=body.customer.name,
        email=body.customer.email,
    )
    response = json_response({"data": shapes.order(order)}, 201)
    if not is_new:
        response["Idempotent-Replay"] = "true"
    return response
