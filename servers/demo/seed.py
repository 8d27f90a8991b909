"""Writes the plan into the servers' own tables once; later runs move its dates, so that today's event is today."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import batched
from typing import Any

from django.db.models import F, Max, Model, QuerySet

from servers.demo import mailbox, moments, plan
from servers.demo.events import EVENTS, EventPlan
from servers.event_api.models import Attendee, Contact, Event, TicketClass
from servers.kit import writes
from servers.organizations import actions as organizations
from servers.organizations.models import Organization

SLUG, NAME = "demo", "Salon Mitte"
BATCH = 2000
DECIDED_AFTER = timedelta(hours=2)


def seed(*, attendees: int, now: datetime) -> Organization:
    """Idempotent. `attendees` counts only the first time."""
    with writes.write():
        organization = organizations.organization_named(slug=SLUG, name=NAME)
        if Event.objects.filter(pk=event_id(EVENTS[0])).exists():
            move_dates(now)
        else:
            for part in plan.make(attendees):
                _write_event(organization, part, now)
                if part.event.require_approval:
                    mailbox.write(event_id(part.event), now)
    return organization


def move_dates(now: datetime) -> None:
    """Each demo event goes to its day as seen from today, and all that belongs to it moves along."""
    for event in EVENTS:
        stored = Event.objects.filter(pk=event_id(event)).first()
        delta = moments.days_behind(event, stored.start_at, now) if stored else timedelta()
        if delta:
            own = {"event": event_id(event)}
            _move(Event.objects.filter(pk=event_id(event)), delta, now, "start_at", "end_at")
            _move(TicketClass.objects.filter(**own), delta, now, "sales_start", "sales_end")
            _move(Attendee.objects.filter(**own), delta, now, "checked_in_at", "refunded_at")


def event_id(event: EventPlan) -> str:
    return plan.make_id("event", event.key)


def class_id(event: EventPlan, class_key: str) -> str:
    return plan.make_id("class", event.key, class_key)


def _move(rows: QuerySet[Any], delta: timedelta, now: datetime, *fields: str) -> None:
    rows.update(**{field: F(field) + delta for field in ("created_at", "updated_at", *fields)})
    # what people changed since the last run may now lie in the future
    for field in ("created_at", "updated_at"):
        rows.filter(**{f"{field}__gt": now}).update(**{field: now})
    if "checked_in_at" in fields:
        last = rows.aggregate(last=Max("checked_in_at"))["last"]
        if last and last > now:
            rows.update(checked_in_at=F("checked_in_at") - (last - now))


def _write_event(organization: Organization, part: plan.EventGuests, now: datetime) -> None:
    Event.objects.bulk_create([_event(organization, part, now)])
    TicketClass.objects.bulk_create(_classes(part, now))
    contacts = _contacts(organization, part, now)
    _in_batches(Attendee, part.guests, lambda guest: _attendee(part.event, guest, contacts, now))


def _event(organization: Organization, part: plan.EventGuests, now: datetime) -> Event:
    event = part.event
    opened = moments.start(event, now) - timedelta(days=event.lead + 1)
    return Event(
        id=event_id(event),
        organization=organization,
        name=event.name,
        description=event.description,
        status=event.status,
        registration_status="closed" if event.day < 0 else "open",
        currency=event.currency,
        capacity=part.capacity(),
        start_at=moments.start(event, now),
        end_at=moments.end(event, now),
        timezone=event.timezone,
        venue=asdict(event.venue) if event.venue else None,
        location_type="virtual" if event.video_link else "physical",
        video_link=event.video_link,
        hidden=event.hidden,
        require_approval=event.require_approval,
        categories=list(event.categories),
        created_at=opened,
        updated_at=opened,
    )


def _classes(part: plan.EventGuests, now: datetime) -> list[TicketClass]:
    event, start = part.event, moments.start(part.event, now)
    opened = start - timedelta(days=event.lead + 1)
    return [
        TicketClass(
            id=class_id(event, planned.key),
            event_id=event_id(event),
            name=planned.name,
            description=planned.description,
            kind=planned.kind,
            currency=event.currency.upper(),
            cost=planned.cost,
            free=planned.cost == 0,
            quantity_total=part.seats(planned),
            sales_start=start - timedelta(days=planned.sales_days[0]) if planned.sales_days else None,
            sales_end=start - timedelta(days=planned.sales_days[1]) if planned.sales_days else None,
            minimum_per_order=planned.minimum,
            maximum_per_order=planned.maximum,
            require_approval=planned.require_approval,
            hide_on_event_page=planned.hidden,
            created_at=opened + timedelta(seconds=number),
            updated_at=opened + timedelta(seconds=number),
        )
        for number, planned in enumerate(event.classes)
    ]


def _contacts(organization: Organization, part: plan.EventGuests, now: datetime) -> dict[str, str]:
    """Contact ids by e-mail; a person with several tickets is one contact."""
    start = moments.start(part.event, now)
    people: dict[str, plan.Guest] = {}
    for guest in part.guests:
        people.setdefault(guest.person.email, guest)
    ids = dict(organization.contacts.values_list("email", "pk"))
    fresh = [guest for email, guest in people.items() if email not in ids]
    ids |= {guest.person.email: plan.make_id("contact", guest.person.email) for guest in fresh}
    _in_batches(
        Contact,
        fresh,
        lambda guest: Contact(
            id=ids[guest.person.email],
            organization=organization,
            email=guest.person.email,
            first_name=guest.person.first_name,
            last_name=guest.person.last_name,
            created_at=start + guest.registered,
            updated_at=start + guest.registered,
        ),
    )
    return ids


def _attendee(event: EventPlan, guest: plan.Guest, contacts: dict[str, str], now: datetime) -> Attendee:
    registered = moments.start(event, now) + guest.registered
    checked_in = moments.arrival(event, guest.checked_in, now) if guest.checked_in is not None else None
    decided = registered if guest.status in ("invited", "pending_approval") else registered + DECIDED_AFTER
    upgrade = guest.upgrade
    return Attendee(
        id=guest.id,
        event_id=event_id(event),
        ticket_class_id=class_id(event, guest.class_key),
        contact_id=contacts[guest.person.email],
        status=guest.status,
        barcode=guest.barcode,
        first_name=guest.person.first_name,
        last_name=guest.person.last_name,
        email=guest.person.email,
        company=guest.person.company,
        checked_in_at=checked_in,
        payment_id=f"pay_{guest.id}" if guest.paid else None,
        refunded_at=decided if guest.paid and guest.status == "rejected" else None,
        upgrade_from_id=class_id(event, upgrade.from_class) if upgrade else None,
        upgrade_to_id=class_id(event, upgrade.to_class) if upgrade else None,
        upgrade_of_id=upgrade.held if upgrade else None,
        upgrade_status=upgrade.status if upgrade else None,
        created_at=registered,
        updated_at=checked_in or decided,
    )


def _in_batches[T](model: type[Model], items: Iterable[T], build: Callable[[T], Model]) -> None:
    """So that a hundred thousand guests are never all in memory as rows."""
    for batch in batched(items, BATCH):
        model._default_manager.bulk_create([build(item) for item in batch])
