"""`/orders/{order_id}/fulfilment` and the tickets' files."""

from typing import Literal

from django.http import HttpResponse
from pydantic import BaseModel

from servers.kit.errors import json_response
from servers.kit.schemas import omitted
from servers.supplier_api import files, queries, shapes
from servers.supplier_api.actions import tickets
from servers.supplier_api.middleware import ApiRequest
from servers.supplier_api.routes import Routes

router = Routes()


class TicketData(BaseModel):
    id: str
    type: Literal["pdf", "qrcode", "barcode"]
    row: str | None
    seat: str | None
    value: str = omitted()
    download_url: str = omitted()


class FulfilmentData(BaseModel):
    status: Literal["pending", "partial", "available"]
    expected: int
    tickets: list[TicketData]


class FulfilmentAnswer(BaseModel):
    data: FulfilmentData


@router.read("/orders/{order_id}/fulfilment", answers=FulfilmentAnswer, refusals=(404,))
def get(request: ApiRequest, order_id: str) -> HttpResponse:
    return json_response({"data": shapes.fulfilment(queries.order(request.supplier, order_id))})


@router.read("/orders/{order_id}/tickets/{ticket_id}/file", answers=None, refusals=(404,))
def file(request: ApiRequest, order_id: str, ticket_id: str) -> HttpResponse:
    ticket = queries.ticket(queries.order(request.supplier, order_id), ticket_id)
    response = HttpResponse(tickets.content(ticket), content_type=files.content_type(ticket))
    response["Content-Disposition"] = f'attachment; filename="{files.name(ticket)}"'
    return response
