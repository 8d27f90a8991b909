"""`python -m tests.support.programme`: a year of events for the demo, as if a provider had told of them."""

import os
import random
from datetime import UTC, datetime, timedelta

NAMES = [
    "Cities After Dark", "Winter Supper", "Reading: Олена Стяжкіна", "夜の音楽会", "מוזיקה בלילה", "Jazz",
    "A workshop about the many ways to fold a programme so that it still fits on one page",
    "Open studio", "Jazz, and then more jazz", "Members' breakfast",
]  # fmt: skip
ZONES = ["Europe/Berlin"] * 6 + ["America/Los_Angeles", "Asia/Tokyo"]


def utc(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def fill() -> None:
    from django.utils import timezone

    from organizer.accounts.models import Organization
    from tests.support import mirror

    organization = Organization.objects.get(slug="demo")
    connection = mirror.connection(organization)
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    chance = random.Random(7)

    def add(name: str, start: datetime, hours: float = 3, *, zone: str = "Europe/Berlin", **fields) -> None:
        times = {"start": {"utc": utc(start), "timezone": zone}}
        if hours:
            times["end"] = {"utc": utc(start + timedelta(hours=hours)), "timezone": zone}
        mirror.event(connection, name=name, **({"status": "active", "capacity": 240} | times | fields))

    for day in range(-180, 200):
        for _ in range(chance.choice([0, 0, 1, 1, 2])):
            start = today + timedelta(days=day, hours=chance.choice([9, 13, 18, 19]), minutes=chance.choice([0, 30]))
            status = chance.choice(["active"] * 7 + ["draft", "cancelled"])
            add(chance.choice(NAMES), start, 3, zone=chance.choice(ZONES), status=status)
    for number in range(20):
        add(f"Tour {number + 1}", today + timedelta(days=2, hours=8, minutes=30 * number), 0.5)
    add("Long night", today + timedelta(days=-1, hours=21), 7)
    add("Festival of the quarter", today + timedelta(days=3, hours=10), 76)
    add("On now", datetime.now(UTC) - timedelta(hours=1), 3)
    mirror.swept(connection, "events", at=timezone.now())


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    import django

    django.setup()
    fill()
