"""Writes of attendees. Each runs in the request's transaction; rows are locked event, ticket class, attendee."""

from servers.event_api import guest_mail, queries, rules
from servers.event_api.errors import invalid, not_found, transition_refused
from servers.event_api.models import Attendee, Contact, Event, TicketClass
from servers.event_api.rules import Status
from servers.kit import clock
from servers.kit.ids import is_id, new_id


def move(*, attendee: Attendee, target: Status, notify: bool = False, message: str = "") -> Attendee:
    """Takes the attendee to a status, with its mail. Raises the contract's 422s; to where it is changes nothing."""
    seats = _lock_seats(attendee) if target == Status.VALID else None
    if target in (Status.REJECTED, Status.DELETED):
        _lock_event(attendee.event_id)  # it may end the upgrade of another row, whose approval ends this one
    row = _locked(attendee)
    current = Status(row.status)
    try:
        if not rules.changes(current, target):
            return row
        if seats and rules.needs_seat(current, target):
            _approve(row, *seats)
    except rules.Gone:
        raise not_found("Attendee") from None
    except rules.Refused as refused:
        raise transition_refused(refused.reason) from None
    _arrive(row, target)
    if notify:
        guest_mail.queue(row, target, message)
    return row


def resend(*, attendee: Attendee, message: str = "") -> Attendee:
    """The mail of the status that the ticket has, once more; nothing else changes."""
    row = _locked(attendee)
    if row.status == Status.DELETED:
        raise not_found("Attendee")
    guest_mail.queue(row, Status(row.status), message)
    return row


def cancel_upgrade(*, attendee: Attendee) -> Attendee:
    """The guest keeps the ticket they hold; approving this one is refused from now on."""
    row = _locked(attendee)
    if row.upgrade_status != Attendee.Upgrade.PENDING:
        raise transition_refused("There is no pending upgrade to cancel")
    row.upgrade_status, row.updated_at = Attendee.Upgrade.CANCELLED, clock.now()
    row.save(update_fields=["upgrade_status", "updated_at"])
    return row


def create(
    *,
    event: Event,
    ticket_class_id: str,
    contact: dict[str, str],
    quantity: int = 1,
    status: str = "",
    payment_method: str = "",
    send_email: bool = False,
) -> list[Attendee]:
    """Tickets for a contact. One invited already is upgraded first; a pending one of a ticket holder is an upgrade."""
    event = _lock_event(event.pk)
    chosen = _chosen_class(event, ticket_class_id)
    wants_approval = chosen.require_approval or event.require_approval
    target = Status(status or (Status.PENDING if wants_approval else Status.VALID))
    if target in rules.SOLD:
        _check_seats(event, chosen, wanted=quantity)
    person = _known(event, contact)
    # who waits for approval has paid only where the request says how
    pays = target in rules.SOLD or (target == Status.PENDING and payment_method)
    costs = chosen.cost > 0 and payment_method != "free" and pays
    made = _tickets(event, chosen, person, target, quantity)
    payment_id = f"pay_{new_id()}" if costs else None
    for row in made:
        row.payment_id = payment_id
        _arrive(row, target)
    if send_email:
        guest_mail.queue(made[0], target, "")
    return made


def _approve(row: Attendee, event: Event, ticket_class: TicketClass) -> None:
    """Checks what an approval needs, under the lock of the class it leads to, and follows a pending upgrade."""
    if row.upgrade_status == Attendee.Upgrade.CANCELLED:
        raise rules.Refused(rules.UPGRADE_CANCELLED)
    held = row.upgrade_of if row.upgrade_status == Attendee.Upgrade.PENDING else None
    gives_up = [held.pk] if held and held.status in rules.SOLD else []
    others = event.attendees.exclude(pk__in=gives_up)
    rules.check_seats(
        class_total=ticket_class.quantity_total,
        class_sold=queries.sold(others.filter(ticket_class=ticket_class)),
        event_total=event.capacity,
        event_sold=queries.sold(others) if event.capacity else 0,
    )
    if row.upgrade_status == Attendee.Upgrade.PENDING:
        row.ticket_class, row.upgrade_status = ticket_class, Attendee.Upgrade.DONE
        if held:
            _arrive(held, Status.DELETED)


def _arrive(row: Attendee, target: Status) -> None:
    now = clock.now()
    if target == Status.REJECTED and row.payment_id:
        row.refunded_at = now
    if target in (Status.REJECTED, Status.DELETED):
        _end_upgrades(row)
    row.checked_in_at = now if target == Status.CHECKED_IN else None
    row.status, row.updated_at = target, now
    row.save()


def _end_upgrades(row: Attendee) -> None:
    """No upgrade waits on a ticket that is not held any more."""
    pending = Attendee.Upgrade.PENDING
    if row.upgrade_status == pending:
        row.upgrade_status = Attendee.Upgrade.CANCELLED
    row.upgrades.filter(upgrade_status=pending).update(
        upgrade_status=Attendee.Upgrade.CANCELLED, updated_at=clock.now()
    )


def _locked(attendee: Attendee) -> Attendee:
    row = Attendee.objects.select_for_update(no_key=True).get(pk=attendee.pk)
    row.ticket_class = attendee.ticket_class if row.ticket_class_id == attendee.ticket_class_id else row.ticket_class
    return row


def _lock_seats(attendee: Attendee) -> tuple[Event, TicketClass]:
    """The event and the class that an approval leads to, locked: nobody else approves into them meanwhile."""
    event = _lock_event(attendee.event_id)
    upgrade_to, current = Attendee.objects.values_list("upgrade_to", "ticket_class").get(pk=attendee.pk)
    ticket_class = TicketClass.objects.select_for_update(no_key=True).get(pk=upgrade_to or current)
    return event, ticket_class


def _lock_event(event_id: str) -> Event:
    event = Event.objects.select_for_update(no_key=True).get(pk=event_id)
    if event.status == Event.Status.DELETED:  # by another request, while this one waited
        raise not_found("Event")
    return event


def _chosen_class(event: Event, class_id: str) -> TicketClass:
    active = event.ticket_classes.filter(status=TicketClass.Status.ACTIVE)
    chosen = is_id(class_id) and active.select_for_update(no_key=True).filter(pk=class_id).first()
    if not chosen:
        raise invalid("ticket_class_id", "This event has no such ticket class.", "ticket_class")
    return chosen


def _check_seats(event: Event, chosen: TicketClass, *, wanted: int) -> None:
    try:
        rules.check_seats(
            class_total=chosen.quantity_total,
            class_sold=queries.sold(chosen.attendees.all()),
            event_total=event.capacity,
            event_sold=queries.sold(event.attendees.all()) if event.capacity else 0,
            wanted=wanted,
        )
    except rules.Refused as refused:
        raise transition_refused(refused.reason) from None


def _known(event: Event, contact: dict[str, str]) -> Contact:
    """The contact of this address, made or brought up to date."""
    names = {name: contact[name] for name in ("first_name", "last_name") if contact.get(name)}
    known, _ = Contact.objects.update_or_create(
        organization_id=event.organization_id,
        email=contact["email"],
        defaults=names | {"updated_at": clock.now()},
    )
    return known


def _tickets(event: Event, chosen: TicketClass, person: Contact, target: Status, quantity: int) -> list[Attendee]:
    made = []
    own = event.attendees.select_for_update(no_key=True).filter(contact=person)
    invited = own.filter(status=Status.INVITED).order_by("created_at", "id").first()
    if invited and target != Status.INVITED:
        invited.ticket_class = chosen
        invited.first_name, invited.last_name = person.first_name, person.last_name
        made.append(invited)
    held = own.filter(status__in=rules.SOLD).exclude(ticket_class=chosen).order_by("created_at", "id").first()
    while len(made) < quantity:
        made.append(_ticket(event, chosen, person))
    if target == Status.PENDING and held and quantity == 1 and not invited:
        _make_upgrade(made[0], held, chosen)
    return made


def _ticket(event: Event, chosen: TicketClass, person: Contact) -> Attendee:
    return Attendee(
        event=event,
        ticket_class=chosen,
        contact=person,
        email=person.email,
        first_name=person.first_name,
        last_name=person.last_name,
    )


def _make_upgrade(row: Attendee, held: Attendee, chosen: TicketClass) -> None:
    """Until it is approved the new ticket stays in the class of the one that is held."""
    row.ticket_class = row.upgrade_from = held.ticket_class
    row.upgrade_to, row.upgrade_of, row.upgrade_status = chosen, held, Attendee.Upgrade.PENDING
