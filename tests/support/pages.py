"""An organization with one of everything, and the address of every view in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from organizer.accounts.models import Organization, User
from organizer.alerts.models import Alert, Sending
from organizer.attendees.models import Attendee, MessageTemplate
from organizer.connections.models import Connection, Health
from organizer.events.models import Event, TicketClass
from organizer.imports import actions as imports
from organizer.imports import reading
from organizer.imports.models import Import
from organizer.lists import actions
from organizer.lists.models import SavedView
from organizer.orders import actions as orders
from organizer.orders import bulks, choosing, shops
from organizer.orders.models import Bulk, ShopKey, Ticket
from organizer.sync import batches
from organizer.sync.models import Batch, Command
from organizer.webhooks import actions as webhooks
from organizer.webhooks.models import Delivery, Vendor
from tests.support import alerts, deliveries, mirror, routes
from tests.support.cast import Cast

ROUTES = {route.name: route for route in routes.walk() if route.of_an_organization}
TAKEN_ALONG = {"attendees:export", "attendees:export_for_event", "attendees:export_approvals", "attendees:paper"}
TAKEN_ALONG |= {"webhooks:export", "webhooks:download", "orders:ticket"}
PARTS = {
    "attendees:batch", "attendees:card", "attendees:changes", "attendees:choose", "attendees:message", "attendees:row",
    "attendees:work", "door:state", "events:state", "imports:refused", "webhooks:checklist", "webhooks:news",
    "webhooks:secrets",
}  # fmt: skip
PARTS |= {"alerts:log"}
PARTS |= TAKEN_ALONG
"""What htmx asks for inside of pages: the page around it says how old it is, and what is wrong. Files need no frame."""
FORMS = {
    "attendees:add", "attendees:correct", "attendees:new_template", "attendees:template", "attendees:templates",
    "events:new", "events:edit", "events:copy", "events:cancel", "events:delete", "events:new_class",
    "events:edit_class", "events:delete_class",
}  # fmt: skip
"""They show nothing of the mirror that could be old."""


@dataclass(frozen=True)
class Place:
    slug: str
    connection: Connection
    event: Event
    ticket_class: TicketClass
    guest: Attendee
    command: Command
    read_at: datetime
    batch: Batch
    view: SavedView
    template: MessageTemplate
    file: Import
    vendor: Vendor
    delivery: Delivery
    ticket: Ticket
    shop_key: ShopKey
    bulk: Bulk
    alert: Alert
    sending: Sending
    cast: Cast | None = None
    """Its people, where `furnish` made it."""

    def url(self, name: str) -> str:
        """The address of a view, its arguments filled with this organization's objects."""
        known = {
            "slug": self.slug,
            "connection_id": self.connection.pk,
            "event_id": self.event.pk,
            "class_id": self.ticket_class.pk,
            "attendee_id": self.guest.pk,
            "seq": self.command.pk,
            "batch_id": self.batch.pk,
            "view_id": self.view.pk,
            "kind": "approve",
            "template_id": self.template.pk,
            "import_id": self.file.pk,
            "vendor_id": self.vendor.pk,
            "delivery_id": self.delivery.pk,
            "order_id": self.ticket.order_id,
            "ticket_id": self.ticket.pk,
            "key_id": self.shop_key.pk,
            "bulk_id": self.bulk.pk,
            "alert_id": self.alert.pk,
            "sending_id": self.sending.pk,
        }
        return reverse(name, kwargs={argument: known[argument] for argument in ROUTES[name].arguments})


@contextmanager
def undone() -> Iterator[None]:
    """Whoever asks next finds everything as it was."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def furnish(cast: Cast) -> Place:
    """One connection, one event, one class, guests of every status; all read an hour ago."""
    connection = mirror.connection(cast.organization)
    event = mirror.event(connection)
    general = mirror.ticket_class(event)
    statuses = ("pending_approval", "valid", "checked_in", "rejected", "deleted", "something_new")
    guests = [mirror.guest(event, general, status=status) for status in statuses]
    hour_ago = timezone.now() - timedelta(hours=1)
    mirror.swept(connection, "events", at=hour_ago)
    for noun in ("ticket_classes", "attendees"):
        mirror.swept(connection, noun, str(event.remote_id), at=hour_ago)
    parked = mirror.command(guests[0], state="parked")
    batch = batches.start("attendees.approve", [guests[-1].pk], connection=connection, by=None, params={})
    view = a_view(cast.organization, cast.olive)
    vendor = deliveries.vendor(cast.organization, cast.olive)
    ticket = a_ticket(cast.organization)
    return Place(
        cast=cast, slug=cast.organization.slug, connection=connection, event=event, ticket_class=general,
        guest=guests[0], command=parked, read_at=hour_ago, batch=batch, view=view,
        template=a_template(cast.organization),
        file=a_file(event, general, cast.olive), vendor=vendor,
        delivery=deliveries.delivered(vendor.key, {"event": "order.accepted", "reference": "R-1"}),
        ticket=ticket, shop_key=a_shop_key(cast.organization, cast.olive), bulk=a_bulk(ticket, cast.olive),
        alert=alerts.opened(vendor), sending=alerts.given_up(cast.organization, cast.olive),
    )  # fmt: skip


def a_ticket(organization: Organization) -> Ticket:
    """Of an order that nothing waits for; it has no file."""
    vendor = webhooks.add_vendor(
        organization=organization, key="printer", name="Printer", auth="ip", allowed=["127.0.0.1"], by=None,
        orders_url=f"{mirror.NOBODY}/api/vendor/v1", orders_key="sup_live_" + "k" * 32,
    )  # fmt: skip
    Connection.objects.filter(pk=vendor.connection_id).update(health=Health.WORKING)
    order = orders.place(vendor=vendor, items=[orders.Item("listing", 1)], name="Zoë", email="zoe@x.test", by=None)
    Command.objects.filter(target_id=order.pk).update(state="done")
    return Ticket.objects.create(
        organization=organization, order=order, remote_id="t1", value="CODE", fetched_at=timezone.now()
    )


def a_bulk(ticket: Ticket, by: User) -> Bulk:
    """Of that ticket's order; it is over."""
    chosen = choosing.Chosen(choosing.Asked("orders"), [(ticket.order.vendor_id, ticket.order.reference)])
    bulk = bulks.start(chosen=chosen, organization=ticket.organization, by=by)
    bulks.cancel(bulk=bulk, by=by)
    return bulk


def a_shop_key(organization: Organization, by: User) -> ShopKey:
    shops.make_key(organization=organization, name="Shop", by=by)
    return ShopKey.objects.get(organization=organization)


def a_view(organization: Organization, owner: User) -> SavedView:
    """One that everybody there may open."""
    return actions.save(
        organization=organization, by=owner, listing="guests", about="", name="Going", query="?status=valid",
        shared=True,
    )  # fmt: skip


def a_template(organization: Organization) -> MessageTemplate:
    return MessageTemplate.objects.create(organization=organization, name="Welcome", text="Hello {first_name}")


def a_file(event: Event, ticket_class: TicketClass, by: User) -> Import:
    """Of guests, tried out."""
    data = b"email,name\nnew@mail.test,Nina New\nno address,Otto\n"
    found = imports.take(event=event, file_name="guests.csv", table=reading.read(BytesIO(data), len(data)), by=by)
    choices = {"fields": ["email", "name"], "ticket_class": ticket_class.remote_id, "status": "valid"}
    imports.try_out(found=found, choices=choices, by=by)
    return found
