"""The outbox with its sender in hand: an API that answers as told, a clock that a test moves."""

import json
from dataclasses import dataclass
from typing import Any

from organizer.sync import leases, outbox
from organizer.sync.models import Command
from organizer.sync.sender import Sender
from organizer.upstream.errors import NotFound, UpstreamError
from organizer.upstream.event_api import attendees
from organizer.upstream.transport import Answer


@dataclass(frozen=True)
class Sent:
    method: str
    path: str
    body: Any
    key: str


class Api:
    """Does what it is asked, unless `script` holds something else: errors to raise, values to answer, functions."""

    def __init__(self, clock):
        self.clock, self.attendees = clock, self
        self.sent, self.read, self.script = [], [], []
        self.statuses = {}  # by the guest's id, as the provider has it
        self.known = {}  # and what else it holds of them

    def send(self, method, path, body, *, scope, idempotency_key):
        self.sent.append(Sent(method, path, json.loads(body) if body else None, idempotency_key))
        step = self.script.pop(0) if self.script else self.obey
        value = step(self.sent[-1]) if callable(step) else step
        if isinstance(value, UpstreamError):
            raise value
        return Answer(200, value, self.clock())

    def obey(self, sent):
        guest = sent.path.rsplit("/", 1)[-1]
        if sent.method == "DELETE":
            self.statuses[guest] = "deleted"
            return {"data": {"deleted": True, "id": guest}}
        self.statuses[guest] = sent.body["status"]
        return {"data": self._guest(guest)}

    def obey_and_break(self, error):
        """It was done, and nobody hears of it."""

        def step(sent):
            self.obey(sent)
            return error

        return step

    def get(self, event_id, guest):
        self.read.append(guest)
        if guest not in self.statuses:
            raise NotFound("Attendee not found", "Attendee not found")
        return attendees.read(self._guest(guest))

    def _guest(self, guest):
        held = self.known.get(guest, {"first_name": "Ada", "last_name": "Answered"})
        return held | {"id": guest, "status": self.statuses[guest]}


class Engine:
    def __init__(self, connection, clock):
        self.connection, self.clock, self.api = connection, clock, Api(clock)
        self.lanes = []

    def sender(self):
        """As a process that starts now: it knows the connection as it is now."""
        self.connection.refresh_from_db()
        return Sender(self.connection, self._open, leases.new_holder(), self.clock, lambda: 0.5)

    def _open(self, lane):
        self.lanes.append(lane)
        return self.api

    def put(self, kind, guest, **options):
        guest.refresh_from_db()
        return outbox.put(f"attendees.{kind}", guest, by=None, now=self.clock(), **options)

    def step(self):
        return self.sender().step()

    def run(self, most=100):
        """Until nothing is to be sent; waits are skipped by moving the clock."""
        for _ in range(most):
            wait = self.step()
            if wait is None or wait == float("inf"):
                return
            self.clock.forward(max(wait, 0.01))
        raise AssertionError("the outbox did not become empty")

    @property
    def bodies(self):
        return [sent.body for sent in self.api.sent]


def state(command):
    return Command.objects.values_list("state", flat=True).get(pk=command.pk)


def states(*commands):
    return [state(command) for command in commands]
