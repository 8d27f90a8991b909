"""`/events`."""

from datetime import datetime
from typing import Annotated, Literal

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from ninja import Query
from pydantic import BaseModel, Field, StringConstraints

from servers.event_api import paging, queries, shapes
from servers.event_api.actions import events as actions
from servers.event_api.errors import json_response, nothing_to_change
from servers.event_api.middleware import ApiRequest
from servers.event_api.models import Event
from servers.event_api.routes import Routes
from servers.event_api.schemas import (
    Amount,
    Body,
    Count,
    DeletedAnswer,
    Link,
    Pagination,
    Text,
    When,
    WhenAnswer,
    Word,
    omitted,
)
from servers.kit import clock

router = Routes()
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"\S")]
Location = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"\S")]
Currency = Annotated[str, StringConstraints(pattern="^[A-Za-z]{3}$")]
Words = Annotated[list[Word], Field(max_length=100)]
PlaceText = Annotated[str, StringConstraints(max_length=500)] | None
STATUSES = ("draft", "active", "cancelled", "completed")
TIMES = ("upcoming", "ongoing", "past")


class Venue(Body):
    name: PlaceText = None
    address: PlaceText = None
    city: PlaceText = None
    state: PlaceText = None
    country: PlaceText = None
    latitude: Annotated[float, Field(ge=-90, le=90)] | None = None
    longitude: Annotated[float, Field(ge=-180, le=180)] | None = None


class EventFields(Body):
    """What both creating and updating take."""

    description: Text | None = None
    currency: Currency = omitted()
    capacity: Count = omitted()
    status: Literal["draft", "active", "cancelled"] = omitted()
    registration_status: Literal["open", "closed"] = omitted()
    venue: Venue | None = None
    video_link: Link | None = None
    cover_image: Link | None = None
    hidden: bool = omitted()
    require_approval: bool = omitted()
    tax_inclusive: bool = omitted()
    allow_rsvp: bool = omitted()
    required_contact_method: Literal["none", "email", "email_and_phone"] = omitted()
    remove_service_fees: bool = omitted()
    restricted_list_ids: Words = omitted()
    space_id: Word = omitted()
    categories: Words = omitted()


class EventCreate(EventFields):
    name: Name
    start: When
    end: When
    location: Location
    status: Literal["draft", "active"] = omitted()
    ticket_price: Amount = omitted()


class EventUpdate(EventFields):
    name: Name = omitted()
    start: When = omitted()
    end: When | None = None
    location: Location = omitted()


class EventData(BaseModel):
    id: str
    name: str
    description: str | None
    status: Literal["draft", "active", "cancelled", "completed", "deleted"]
    registration_status: Literal["open", "closed"]
    url: str
    currency: str
    capacity: int
    tickets_sold: int
    start: WhenAnswer
    end: WhenAnswer | None
    venue: Venue | None
    location_type: Literal["physical", "virtual"] | None
    video_link: str | None
    cover_image: str | None
    hidden: bool
    require_approval: bool
    tax_inclusive: bool
    allow_rsvp: bool
    required_contact_method: Literal["none", "email", "email_and_phone"]
    remove_service_fees: bool
    restricted_list_ids: list[str]
    space_id: str
    categories: list[str]
    created_at: str
    updated_at: str


class EventAnswer(BaseModel):
    data: EventData


class EventPage(BaseModel):
    data: list[EventData]
    pagination: Pagination


class EventQuery(paging.PageQuery):
    status: Annotated[
        str,
        paging.one_of(*STATUSES, *TIMES),
        Field(
            description="Comma-separated. Statuses widen each other, so do times; both together must hold.",
            json_schema_extra=paging.list_pattern(*STATUSES, *TIMES),
        ),
    ] = ",".join(STATUSES)


@router.read("/events", scope="events:read", answers=EventPage)
def list_(request: ApiRequest, query: Query[EventQuery]) -> HttpResponse:
    now = clock.now()
    rows = _filtered(Event.objects.filter(organization=request.key.organization_id), query.status, now)
    ids, total = paging.page_of_ids(rows, query)
    found, sold = Event.objects.in_bulk(ids), queries.sold_by("event_id", ids)
    return paging.answer([shapes.event(found[key], sold.get(key, 0), now) for key in ids], query, total)


@router.read("/events/{event_id}", scope="events:read", answers=EventAnswer)
def get(request: ApiRequest, event_id: str) -> HttpResponse:
    return _answer(queries.event(request.key, event_id))


@router.write("POST", "/events", scope="events:write", answers=EventAnswer)
def create(request: ApiRequest, body: EventCreate) -> HttpResponse:
    return _answer(actions.create(organization=request.key.organization, **body.sent()))


@router.write("PATCH", "/events/{event_id}", scope="events:write", answers=EventAnswer)
def update(request: ApiRequest, event_id: str, body: EventUpdate) -> HttpResponse:
    event = queries.event(request.key, event_id, writing=True)
    if not body.sent():
        raise nothing_to_change()
    return _answer(actions.update(event=event, **body.sent()))


@router.write("DELETE", "/events/{event_id}", scope="events:write", answers=DeletedAnswer)
def delete(request: ApiRequest, event_id: str) -> HttpResponse:
    event = queries.event(request.key, event_id)
    actions.delete(event=event)
    return json_response({"data": {"deleted": True, "id": event.id}})


def _answer(event: Event) -> HttpResponse:
    return json_response({"data": shapes.event(event, queries.sold(event.attendees.all()), clock.now())})


def _filtered(rows: QuerySet[Event], words: str, now: datetime) -> QuerySet[Event]:
    over = Q(end_at__lte=now) | Q(end_at=None, start_at__lte=now - shapes.OPEN_END)
    meaning = {
        "draft": Q(status="draft"),
        "active": Q(status="active") & ~over,
        "cancelled": Q(status="cancelled"),
        "completed": Q(status="active") & over,
        "upcoming": Q(start_at__gt=now),
        "ongoing": Q(start_at__lte=now) & ~over,
        "past": over,
    }
    asked = words.split(",")
    for group in (STATUSES, TIMES):
        chosen = Q()
        for word in set(group).intersection(asked):
            chosen |= meaning[word]
        rows = rows.filter(chosen)
    return rows.exclude(status=Event.Status.DELETED)
