"""An organization at the real event server with its event and guests, and the dashboard's mirror of them."""

import sqlite3
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.attendees.models import Attendee
from organizer.connections import actions as connections
from organizer.connections import clients
from organizer.connections.models import Connection, Health, Service
from organizer.connections.probe import EVENT_SCOPES
from organizer.sync import actions as sync
from organizer.upstream.event_api import EventApi
from organizer.upstream.limits import NoLimit
from organizer.upstream.transport import Transport
from tests.support.event_server import EventServer

_numbers = count(1)
UNLIMITED = "100000/10"


class Clock:
    """The dashboard's own time, which a test moves."""

    def __init__(self) -> None:
        self.moved = timedelta()

    def __call__(self) -> datetime:
        return timezone.now() + self.moved

    def forward(self, **duration: float) -> None:
        self.moved += timedelta(**duration)


class Provider:
    def __init__(self, server: EventServer, *, url: str = "", limit: str | None = UNLIMITED) -> None:
        self.server, self.slug = server, f"provider-{next(_numbers)}"
        self.key = server.make_key(self.slug, EVENT_SCOPES, limit)
        self.url = f"{url or server.url}/api/v1"
        transport = Transport(f"{server.url}/api/v1", self.own_key(), limiter=NoLimit(), allow_private=True)
        self.api = EventApi(transport)
        self.event = self.api.events.create(_event(), idempotency_key="event")
        classes = self.api.ticket_classes.page(self.event.id, 1)
        self.ticket_class = classes.items[0].id

    def own_key(self) -> str:
        """For the test's own questions, which are not the dashboard's."""
        return self.server.make_key(self.slug, EVENT_SCOPES, UNLIMITED)

    def add_guests(self, number: int, status: str = "pending_approval") -> None:
        place = f"/events/{self.event.id}/attendees"
        for n in range(number):
            body = {
                "ticket_class_id": self.ticket_class,
                "contact": {"email": f"guest-{n}@x.test", "first_name": f"Guest {n}", "last_name": "Öst"},
                "status": status,
            }
            self.api._transport.request(
                "POST", place, scope="attendees:write", body=body, idempotency_key=f"{status}{n}"
            )

    def connect(self, organization: Organization) -> Connection:
        """A working connection with its mirror read."""
        made = connections.add(organization=organization, service=Service.EVENTS, url=self.url, key=self.key, by=None)
        Connection.objects.filter(pk=made.pk).update(health=Health.WORKING)
        made.refresh_from_db()
        self.mirror(made)
        return made

    def replace_key(self, connection: Connection, key: str, by: Any) -> None:
        """As a person does it in Settings, and the worker's check of it."""
        replaced = connections.replace_key(connection=connection, key=key, by=by)
        with clients.event_api(replaced) as api:
            connections.check(connection=replaced, api=api)

    def mirror(self, connection: Connection, clock: Any = timezone.now) -> None:
        while sync.walk(connection.pk, now=clock) is not None:
            pass

    def statuses(self) -> dict[str, str]:
        """What the server says now, by guest."""
        found: dict[str, str] = {}
        page, number = self.api.attendees.page(self.event.id, 1), 1
        while page.items:
            found |= {guest.id: guest.status for guest in page.items}
            number += 1
            page = self.api.attendees.page(self.event.id, number)
        return found

    def mails(self) -> list[tuple[str, str]]:
        """To whom, and what was said in it."""
        asked = """SELECT m."to", m.text FROM mail_outgoingmail m JOIN organizations_organization o
                   ON o.id = m.organization_id WHERE o.slug = ? ORDER BY m.id"""
        with sqlite3.connect(self.server.data / "servers.sqlite3", timeout=20) as database:
            return database.execute(asked, [self.slug]).fetchall()


def _event() -> dict[str, Any]:
    start = timezone.now().replace(microsecond=0) + timedelta(days=2)
    return {
        "name": "Spring opening",
        "start": {"utc": start.isoformat(), "timezone": "Europe/Berlin"},
        "end": {"utc": (start + timedelta(hours=3)).isoformat(), "timezone": "Europe/Berlin"},
        "location": "Harbour Street 1",
        "require_approval": True,
    }


def drain(connection: Connection, clock: Clock, most: int = 2000) -> None:
    """Sends until nothing waits that may be sent; waits are skipped by moving the clock."""
    for _ in range(most):
        wait = sync.send(connection.pk, now=clock)
        if wait is None:
            return
        clock.forward(seconds=wait + 0.01)
    raise AssertionError("the outbox did not become empty")


def guest(name: str) -> Attendee:
    return Attendee.objects.select_related("event").get(first_name=name)
