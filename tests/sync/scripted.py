"""A provider in memory: the pages and refusals a test asks for, read by the client's own wire types."""

from datetime import timedelta

from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.connections.models import Connection, Health
from organizer.sync import leases, schedule
from organizer.sync.sweeps import Walk
from organizer.upstream.errors import NotFound
from organizer.upstream.event_api import attendees, envelope, events, ticket_classes
from organizer.upstream.transport import Answer


class Clock:
    def __init__(self):
        self.time = timezone.now()

    def __call__(self):
        return self.time

    def forward(self, seconds):
        self.time += timedelta(seconds=seconds)


class List:
    """One noun: `rows` by parent, pages of `size`, and what to raise on the way."""

    def __init__(self, provider, read):
        self.provider, self.read, self.rows = provider, read, {}
        self.size, self.asked, self.read_by_id = 200, [], []
        self.before = lambda number, status: None  # raise here
        self.before_get = lambda remote_id: None
        self.pagination = lambda total, pages: {"total": total, "total_pages": pages}
        self.visible = lambda row, status: True
        self.hidden = {}  # not listed, but answered by id

    def answer(self, parent, number, status):
        self.asked.append((parent, number, status))
        requested_at = self.provider.clock()
        self.before(number, status)
        rows = [row for row in self.rows.get(parent, []) if self.visible(row, status)]
        page = rows[(number - 1) * self.size : number * self.size]
        pages = -(-len(rows) // self.size)
        value = {"data": page, "pagination": self.pagination(len(rows), pages)}
        return envelope.many(Answer(200, value, requested_at), self.read, number)

    def get(self, *ids):
        remote_id = ids[-1]
        self.read_by_id.append(remote_id)
        self.before_get(remote_id)
        listed = [row for rows in self.rows.values() for row in rows if isinstance(row, dict)]
        for row in [*listed, *self.hidden.values()]:
            if row.get("id") == remote_id:
                return self.read(row)
        raise NotFound("not found")


class Events(List):
    def page(self, number, size=200, status=None):
        return self.answer("", number, status)


class UnderEvent(List):
    def page(self, event_id, number, size=200, status=None):
        return self.answer(event_id, number, status)


class Provider:
    def __init__(self, clock):
        self.clock = clock
        self.events = Events(self, events.read)
        self.ticket_classes = UnderEvent(self, ticket_classes.read)
        self.attendees = UnderEvent(self, attendees.read)

    def add_event(self, event_id="e1", **fields):
        start = (self.clock() + timedelta(days=2)).isoformat()
        row = {"id": event_id, "name": f"Event {event_id}", "status": "active", "start": {"utc": start}} | fields
        self.events.rows.setdefault("", []).append(row)

    def add_guests(self, number, event_id="e1", first=0, **fields):
        rows = [guest(f"t{i}", event_id=event_id, **fields) for i in range(first, first + number)]
        self.attendees.rows.setdefault(event_id, []).extend(rows)
        return rows


def guest(remote_id, **fields):
    return {
        "id": remote_id,
        "status": "valid",
        "first_name": f"Guest {remote_id}",
        "last_name": "Öst",
        "email": f"{remote_id}@x.example",
        "created_at": "2026-01-01T00:00:00Z",
    } | fields


def make_connection(slug="demo", **fields):
    organization, _ = Organization.objects.get_or_create(slug=slug, defaults={"name": slug})
    values = {"health": Health.WORKING, "url": "http://127.0.0.1:1/api/v1", "ciphertext": b"", "service": "events"}
    return Connection.objects.create(organization=organization, **(values | fields))


class Walking:
    """Steps a walk by hand, with the clock handed in."""

    def __init__(self, connection, provider):
        self.connection, self.provider, self.clock = connection, provider, provider.clock
        self.holder = leases.new_holder()
        assert leases.take(connection.pk, self.holder, self.clock())
        schedule.plan(connection, self.clock())
        self.walk = Walk(connection, provider, self.holder, self.clock, lambda: 0.5)

    def step(self):
        return self.walk.step()

    def until_done(self, most=200):
        """Steps until nothing is due; waits are skipped by moving the clock."""
        for _ in range(most):
            wait = self.step()
            if wait is None:
                return
            self.clock.forward(max(wait, 0.01))
        raise AssertionError("the walk did not end")

    def again(self, seconds=301):
        """A later walk of everything: all that is at rest is due."""
        self.clock.forward(seconds)
        self.connection.sweeps.filter(page=0, next_at__isnull=False).update(next_at=self.clock())
        self.until_done()
