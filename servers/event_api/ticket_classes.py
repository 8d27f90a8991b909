"""`/events/{event_id}/ticket-classes`."""

from typing import Annotated, Literal

from django.http import HttpResponse
from ninja import Query
from pydantic import BaseModel, Field, StringConstraints

from servers.event_api import paging, queries, shapes
from servers.event_api.actions import ticket_classes as actions
from servers.event_api.errors import json_response, nothing_to_change
from servers.event_api.middleware import ApiRequest
from servers.event_api.models import TicketClass
from servers.event_api.routes import Routes
from servers.event_api.schemas import Amount, Body, Count, DeletedAnswer, Moment, Pagination, Text, omitted

router = Routes()
Name = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"\S")]
Currency = Annotated[str, StringConstraints(pattern="^[A-Za-z]{3}$")]
PerOrder = Annotated[int, Field(ge=1, le=100)]
PATH = "/events/{event_id}/ticket-classes"


class TicketClassFields(Body):
    description: Text | None = None
    kind: Literal["fixed", "donation", "pay_what_you_want"] = omitted()
    currency: Currency = omitted()
    cost: Amount = omitted()
    free: bool = omitted()
    quantity_total: Count = omitted()
    sales_start: Moment | None = None
    sales_end: Moment | None = None
    minimum_per_order: PerOrder = omitted()
    maximum_per_order: PerOrder = omitted()
    require_approval: bool = omitted()
    hide_on_event_page: bool = omitted()


class TicketClassCreate(TicketClassFields):
    name: Name


class TicketClassUpdate(TicketClassFields):
    name: Name = omitted()


class TicketClassData(BaseModel):
    id: str
    event_id: str
    name: str
    description: str | None
    status: Literal["active", "deleted"]
    kind: Literal["fixed", "donation", "pay_what_you_want"]
    currency: str
    cost: float
    price: float
    free: bool
    quantity_total: int
    quantity_sold: int
    sales_start: str | None
    sales_end: str | None
    minimum_per_order: int
    maximum_per_order: int
    require_approval: bool
    hide_on_event_page: bool
    created_at: str
    updated_at: str


class TicketClassAnswer(BaseModel):
    data: TicketClassData


class TicketClassPage(BaseModel):
    data: list[TicketClassData]
    pagination: Pagination


@router.read(PATH, scope="ticket_classes:read", answers=TicketClassPage)
def list_(request: ApiRequest, event_id: str, query: Query[paging.PageQuery]) -> HttpResponse:
    event = queries.event(request.key, event_id)
    ids, total = paging.page_of_ids(event.ticket_classes.filter(status=TicketClass.Status.ACTIVE), query)
    found, sold = TicketClass.objects.in_bulk(ids), queries.sold_by("ticket_class_id", ids)
    return paging.answer([shapes.ticket_class(found[key], sold.get(key, 0)) for key in ids], query, total)


@router.read(PATH + "/{ticket_class_id}", scope="ticket_classes:read", answers=TicketClassAnswer)
def get(request: ApiRequest, event_id: str, ticket_class_id: str) -> HttpResponse:
    return _answer(queries.ticket_class(queries.event(request.key, event_id), ticket_class_id))


@router.write("POST", PATH, scope="ticket_classes:write", answers=TicketClassAnswer)
def create(request: ApiRequest, event_id: str, body: TicketClassCreate) -> HttpResponse:
    event = queries.event(request.key, event_id, writing=True)
    return _answer(actions.create(event=event, **body.sent()))


@router.write("PATCH", PATH + "/{ticket_class_id}", scope="ticket_classes:write", answers=TicketClassAnswer)
def update(request: ApiRequest, event_id: str, ticket_class_id: str, body: TicketClassUpdate) -> HttpResponse:
    event = queries.event(request.key, event_id, writing=True)
    ticket_class = queries.ticket_class(event, ticket_class_id, active=True)
    if not body.sent():
        raise nothing_to_change()
    return _answer(actions.update(event=event, ticket_class=ticket_class, **body.sent()))


@router.write("DELETE", PATH + "/{ticket_class_id}", scope="ticket_classes:write", answers=DeletedAnswer)
def delete(request: ApiRequest, event_id: str, ticket_class_id: str) -> HttpResponse:
    event = queries.event(request.key, event_id, writing=True)
    ticket_class = queries.ticket_class(event, ticket_class_id)
    actions.delete(ticket_class=ticket_class)
    return json_response({"data": {"deleted": True, "id": ticket_class.id}})


def _answer(row: TicketClass) -> HttpResponse:
    return json_response({"data": shapes.ticket_class(row, queries.sold(row.attendees.all()))})
