"""The address of every page of the running stack, by a name that reads well in a test's id or a picture's file."""

from uuid import UUID

from servers.demo import plan
from tests.support.stack import Stack

AN_EVENT = "SELECT event_id FROM attendees_attendee GROUP BY event_id ORDER BY count(*) DESC LIMIT 1"
LISTING = plan.make_id("listing", "platzwerk", "next-week", "circle")
ASK = {
    "event": AN_EVENT,
    "guest": f"SELECT id FROM attendees_attendee WHERE event_id = ({AN_EVENT}) LIMIT 1",  # noqa: S608
    "connection": "SELECT id FROM connections_connection WHERE live LIMIT 1",
    "vendor": "SELECT id FROM webhooks_vendor WHERE key = 'acme'",
    "alert": "SELECT id FROM alerts_alert LIMIT 1",
    "delivery": "SELECT id FROM webhooks_delivery WHERE duplicates > 0 LIMIT 1",
    "told": "SELECT id FROM webhooks_delivery WHERE outcome = 'changed' ORDER BY id DESC LIMIT 1",
    "order": "SELECT order_id FROM orders_ticket LIMIT 1",
    "waiting_order": "SELECT id FROM orders_order WHERE state = 'pending' LIMIT 1",
    "rejected_order": "SELECT id FROM orders_order WHERE state = 'rejected' LIMIT 1",
}

PATHS = {
    "overview": "/o/demo/",
    "events": "/o/demo/events/",
    "calendar": "/o/demo/events/calendar/",
    "week": "/o/demo/events/calendar/?week=now",
    "empty-month": "/o/demo/events/calendar/?month=2040-02",
    "subscribe": "/o/demo/events/calendar/feed/",
    "event": "/o/demo/events/{event}/",
    "ticket-classes": "/o/demo/events/{event}/ticket-classes/",
    "new-event": "/o/demo/events/new/",
    "edit-event": "/o/demo/events/{event}/edit/",
    "copy-event": "/o/demo/events/{event}/copy/",
    "delete-event": "/o/demo/events/{event}/delete/",
    "new-class": "/o/demo/events/{event}/ticket-classes/new/",
    "today": "/o/demo/events/{event}/today/",
    "guests": "/o/demo/events/{event}/guests/",
    "guests-with-columns": "/o/demo/events/{event}/guests/?columns=company&columns=code&columns=id",
    "paper": "/o/demo/events/{event}/guests/print/?q=an",
    "add-guest": "/o/demo/events/{event}/guests/add/",
    "import": "/o/demo/events/{event}/import/",
    "messages": "/o/demo/settings/messages/",
    "new-message": "/o/demo/settings/messages/new/",
    "all-guests": "/o/demo/guests/",
    "approvals": "/o/demo/approvals/",
    "nobody-found": "/o/demo/guests/?q=zzzzzz",
    "guest": "/o/demo/guests/{guest}/",
    "choose": "/o/demo/guests/{guest}/choose/",
    "doors": "/o/demo/door/?choose",
    "desk": "/o/demo/door/{event}/",
    "desk-search": "/o/demo/door/{event}/?q=an",
    "deliveries": "/o/demo/webhooks/",
    "deliveries-of-one": "/o/demo/webhooks/?range=7d&outcome=waiting&vendor=acme&event=order.accepted&auth=hmac&odd=1",
    "deliveries-found": "/o/demo/webhooks/?q=R-1",
    "no-delivery-found": "/o/demo/webhooks/?q=zzzzzz",
    "delivery": "/o/demo/webhooks/deliveries/{delivery}/",
    "delivery-raw": "/o/demo/webhooks/deliveries/{delivery}/?as=raw",
    "delivery-hex": "/o/demo/webhooks/deliveries/{delivery}/?as=hex",
    "erase-body": "/o/demo/webhooks/deliveries/{delivery}/erase/",
    "rejected": "/o/demo/webhooks/rejected/",
    "suppliers": "/o/demo/webhooks/suppliers/",
    "new-supplier": "/o/demo/webhooks/suppliers/new/",
    "supplier": "/o/demo/webhooks/suppliers/{vendor}/",
    "edit-supplier": "/o/demo/webhooks/suppliers/{vendor}/edit/",
    "test-delivery": "/o/demo/webhooks/suppliers/{vendor}/test/",
    "deliveries-with-columns": "/o/demo/webhooks/?range=7d&columns=id&columns=source&columns=size&columns=settled",
    "bulk": "/o/demo/orders/bulks/new/?of=deliveries&filters=%3Frange%3D7d",
    "rotate-secret": "/o/demo/webhooks/suppliers/{vendor}/rotate/",
    "delivery-that-changed": "/o/demo/webhooks/deliveries/{told}/",
    "orders": "/o/demo/orders/",
    "no-order-found": "/o/demo/orders/?q=zzzzzz",
    "new-order": f"/o/demo/orders/new/?vendor=platzwerk&add={LISTING}",
    "order": "/o/demo/orders/{order}/",
    "waiting-order": "/o/demo/orders/{waiting_order}/",
    "rejected-order": "/o/demo/orders/{rejected_order}/",
    "reconciliations": "/o/demo/orders/reconciliations/",
    "no-reconciliation": "/o/demo/orders/reconciliations/?outcome=ambiguous",
    "shop-keys": "/o/demo/settings/shop-keys/",
    "alerts": "/o/demo/webhooks/alerts/",
    "alerts-of-all-times": "/o/demo/webhooks/alerts/?state=all&vendor=acme&condition=failed",
    "alert": "/o/demo/webhooks/alerts/{alert}/",
    "alert-settings": "/o/demo/webhooks/alerts/settings/",
    "connections": "/o/demo/settings/connections/",
    "outbox": "/o/demo/settings/outbox/",
    "add-connection": "/o/demo/settings/connections/add/",
    "replace-key": "/o/demo/settings/connections/{connection}/key/",
    "remove-connection": "/o/demo/settings/connections/{connection}/remove/",
    "members": "/o/demo/settings/members/",
    "audit": "/o/demo/settings/audit/",
    "health": "/o/demo/settings/health/",
    "password": "/accounts/password/change/",
    "sign-out": "/accounts/logout/",
    "not-found": "/o/demo/nowhere/",
}

ABOUT_SUPPLIERS = [name for name, path in PATHS.items() if path.startswith(("/o/demo/webhooks/", "/o/demo/orders/"))]


def of(stack: Stack, name: str) -> str:
    values = {part: ask for part, ask in ASK.items() if f"{{{part}}}" in PATHS[name]}
    found = {part: stack.ask(ask) for part, ask in values.items()}
    return stack.url + PATHS[name].format(**{part: _key(value) for part, value in found.items()})


def _key(value: str | int) -> UUID | int:
    return value if isinstance(value, int) else UUID(str(value))
