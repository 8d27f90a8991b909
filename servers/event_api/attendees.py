"""`/events/{event_id}/attendees`."""

from typing import Annotated, Literal

from django.http import HttpResponse
from ninja import Query
from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from servers.event_api import paging, queries, rules, shapes
from servers.event_api.actions import attendees as actions
from servers.event_api.errors import json_response
from servers.event_api.middleware import ApiRequest
from servers.event_api.models import Attendee
from servers.event_api.routes import Routes
from servers.event_api.schemas import Body, DeletedAnswer, Pagination, omitted

router = Routes()
PATH = "/events/{event_id}/attendees"
MAX_MESSAGE = 10_000
STATUSES = tuple(status.value for status in rules.Status)
AnyStatus = Literal["invited", "pending_approval", "valid", "checked_in", "rejected", "deleted"]
Message = Annotated[str, StringConstraints(max_length=MAX_MESSAGE)]
MAX_EMAIL = 254


def _lower(email: str) -> str:
    lower = email.lower()
    if len(lower) > MAX_EMAIL:  # some letters are two in lower case
        raise ValueError(f"An address has at most {MAX_EMAIL} characters.")
    return lower


Email = Annotated[
    str,
    StringConstraints(
        max_length=MAX_EMAIL,
        pattern=r"^[^@\s\x00-\x20\x7f<>()\[\],;:\"\\]+@[^@\s\x00-\x20\x7f<>()\[\],;:\"\\]+$",
    ),
    AfterValidator(_lower),
]
PersonName = Annotated[str, StringConstraints(max_length=120)]


class AttendeeUpdate(Body):
    status: Literal["valid", "checked_in", "pending_approval", "rejected", "deleted"]
    notify_guest: bool = False
    custom_message: Message = ""


class MailAgain(Body):
    custom_message: Message = ""


class ContactFields(Body):
    email: Email
    first_name: PersonName = ""
    last_name: PersonName = ""


class AttendeeCreate(Body):
    ticket_class_id: str
    contact: ContactFields
    quantity: Annotated[int, Field(ge=1, le=100)] = 1
    status: Literal["valid", "pending_approval", "checked_in", "invited"] = omitted()
    payment_method: Literal["cash", "free", "external"] = omitted()
    send_email: bool = False


class Upgrade(BaseModel):
    from_ticket_class_id: str
    to_ticket_class_id: str
    status: Literal["pending", "cancelled", "done"]


class AttendeeData(BaseModel):
    id: str
    status: AnyStatus
    event_id: str
    ticket_class_id: str
    ticket_class_name: str
    barcode: str
    first_name: str
    last_name: str
    email: str
    company: str | None
    checked_in_at: str | None
    payment_id: str | None
    refunded_at: str | None
    contact_id: str | None
    upgrade: Upgrade | None
    created_at: str
    updated_at: str


class AttendeeAnswer(BaseModel):
    data: AttendeeData


class AttendeePage(BaseModel):
    data: list[AttendeeData]
    pagination: Pagination


class AttendeesMade(BaseModel):
    data: list[AttendeeData]
    payment_id: str | None
    quantity: int


class AttendeeQuery(paging.PageQuery):
    status: Annotated[
        str,
        paging.one_of(*STATUSES),
        Field(description="Comma-separated.", json_schema_extra=paging.list_pattern(*STATUSES)),
    ] = "valid,checked_in"


@router.read(PATH, scope="attendees:read", answers=AttendeePage)
def list_(request: ApiRequest, event_id: str, query: Query[AttendeeQuery]) -> HttpResponse:
    event = queries.event(request.key, event_id)
    wanted = set(query.status.split(","))
    rows = Attendee.objects.filter(event=event.pk)
    if wanted != set(STATUSES):
        rows = rows.filter(status__in=wanted)
    ids, total = paging.page_of_ids(rows, query)
    return paging.answer([shapes.attendee_row(*found) for found in queries.attendees(ids)], query, total)


@router.read(PATH + "/{attendee_id}", scope="attendees:read", answers=AttendeeAnswer)
def get(request: ApiRequest, event_id: str, attendee_id: str) -> HttpResponse:
    return _answer(queries.attendee(queries.event(request.key, event_id), attendee_id))


@router.write("POST", PATH, scope="attendees:write", answers=AttendeesMade, status=201, refusals=(422,))
def create(request: ApiRequest, event_id: str, body: AttendeeCreate) -> HttpResponse:
    event = queries.event(request.key, event_id, writing=True)
    made = actions.create(event=event, **body.model_dump(exclude_unset=True))
    data = [shapes.attendee(one) for one in made]
    return json_response({"data": data, "payment_id": made[0].payment_id, "quantity": len(made)}, 201)


@router.write("PATCH", PATH + "/{attendee_id}", scope="attendees:write", answers=AttendeeAnswer, refusals=(422,))
def update(request: ApiRequest, event_id: str, attendee_id: str, body: AttendeeUpdate) -> HttpResponse:
    attendee = queries.attendee(queries.event(request.key, event_id, writing=True), attendee_id)
    target = rules.Status(body.status)
    message = body.custom_message if body.notify_guest else ""
    return _answer(actions.move(attendee=attendee, target=target, notify=body.notify_guest, message=message))


@router.write("DELETE", PATH + "/{attendee_id}", scope="attendees:write", answers=DeletedAnswer, refusals=(422,))
def delete(request: ApiRequest, event_id: str, attendee_id: str) -> HttpResponse:
    attendee = queries.attendee(queries.event(request.key, event_id, writing=True), attendee_id)
    actions.move(attendee=attendee, target=rules.Status.DELETED)
    return json_response({"data": {"deleted": True, "id": attendee.id}})


@router.write(
    "POST", PATH + "/{attendee_id}/cancel-upgrade", scope="attendees:write", answers=AttendeeAnswer, refusals=(422,)
)
def cancel_upgrade(request: ApiRequest, event_id: str, attendee_id: str) -> HttpResponse:
    attendee = queries.attendee(queries.event(request.key, event_id, writing=True), attendee_id)
    return _answer(actions.cancel_upgrade(attendee=attendee))


@router.write("POST", PATH + "/{attendee_id}/resend", scope="attendees:write", answers=AttendeeAnswer)
def resend(request: ApiRequest, event_id: str, attendee_id: str, body: MailAgain) -> HttpResponse:
    attendee = queries.attendee(queries.event(request.key, event_id, writing=True), attendee_id)
    return _answer(actions.resend(attendee=attendee, message=body.custom_message))


def _answer(row: Attendee) -> HttpResponse:
    return json_response({"data": shapes.attendee(row)})
