"""An organization with an event of many guests, written straight into the mirror: `gather(guests)`."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from itertools import batched
from typing import Any

from django.utils import timezone

from organizer.accounts.models import Membership, Organization, Role, User
from organizer.attendees import rules
from organizer.attendees.models import Attendee, StatusCount
from organizer.connections.models import Connection, Health, Service
from organizer.events.models import Event, TicketClass

FIRST = ["Anna", "Luca", "Łucja", "Jürgen", "Marie", "Øystein", "Zoë", "Tomás", "Priya", "Hạnh", "Дмитро", "美咲"]
LAST = ["Kowalska", "Lindqvist", "Nkosi", "Müller", "Brandt", "Okonkwo", "Sharma", "Yıldırım", "Nowak", "García"]
STATUSES = ["valid"] * 80 + ["checked_in"] * 10 + ["pending_approval"] * 5 + ["invited"] * 3 + ["rejected", "deleted"]
START = datetime(2026, 1, 1, tzinfo=UTC)
BATCH = 2_000


def gather(*sizes: int, rare: str) -> tuple[User, Organization, dict[int, Event]]:
    """One owner, one organization, an event of each size; one guest of each has `rare` in the name."""
    organization = Organization.objects.create(slug="bench", name="Bench")
    owner = User.objects.create_user("owner@bench.test")
    Membership.objects.create(organization=organization, user=owner, role=Role.OWNER)
    connection = Connection.objects.create(
        organization=organization, service=Service.EVENTS, url="http://127.0.0.1:9", health=Health.WORKING
    )
    return owner, organization, {size: _event(connection, size, rare) for size in sizes}


def _event(connection: Connection, size: int, rare: str) -> Event:
    of = {"organization": connection.organization, "connection": connection}
    starts = timezone.now() + timedelta(days=20)
    event = Event.objects.create(**of, remote_id=f"event-{size}", name=f"For {size:,}", status="active",
                                 starts_at=starts, sort_start=starts)  # fmt: skip
    classes = [TicketClass.objects.create(**of, event=event, remote_id=f"class-{size}-{number}", name=name)
               for number, name in enumerate(("General", "Supporter", "Press"))]  # fmt: skip
    chance = random.Random(size)  # noqa: S311 the same crowd each time
    counts: Counter[tuple[Any, ...]] = Counter()
    for some in batched(_payloads(size, chance, rare), BATCH):
        rows = [
            Attendee(**of, event=event, ticket_class=chance.choice(classes), remote_id=payload["id"],
                     payload=payload, **asdict(rules.effective(payload)))
            for payload in some
        ]  # fmt: skip
        Attendee.objects.bulk_create(rows)
        for row in rows:
            counts[row.ticket_class_id, row.status, rules.slot_of(row.status, row.checked_in_at)] += 1
    StatusCount.objects.bulk_create(
        StatusCount(event=event, ticket_class_id=ticket_class, status=status, slot=slot, count=count)
        for (ticket_class, status, slot), count in counts.items()
    )
    return event


def _payloads(size: int, chance: random.Random, rare: str) -> Iterator[dict[str, Any]]:
    for number in range(size):
        first, last, status = chance.choice(FIRST), chance.choice(LAST), chance.choice(STATUSES)
        registered = START + timedelta(seconds=chance.randrange(20_000_000))
        yield {
            "id": f"attendee-{size}-{number}",
            "first_name": first,
            "last_name": f"{last} {rare.title()}" if number == size // 2 else f"{last} {number % 977}",
            "email": f"guest{number}@mail{number % 31}.test",
            "company": f"House {number % 1_013}",
            "status": status,
            "barcode": f"FOY{number:09}",
            "ticket_class_name": "General",
            "created_at": registered.isoformat(),
            "checked_in_at": (registered + timedelta(days=1)).isoformat() if status == "checked_in" else None,
            "custom_fields": [{"name": f"field {n}", "value": "so it is"} for n in range(6)],
        }
