"""Runs under the servers' settings: `python -m bench.big_event SLUG GUESTS` writes one event with many guests."""

import os
import sys
from datetime import UTC, datetime, timedelta

os.environ["DJANGO_SETTINGS_MODULE"] = "servers.settings"


def main(slug: str, guests: int) -> None:
    import django

    django.setup()
    from servers.event_api.models import Attendee, Event, TicketClass
    from servers.organizations.actions import organization_named

    start = datetime.now(UTC) + timedelta(days=20)
    organization = organization_named(slug=slug, name=slug.title())
    event = Event.objects.create(organization=organization, name="Big", start_at=start, end_at=start)
    admission = TicketClass.objects.create(event=event, name="Regular")
    rows = (
        Attendee(
            event=event, ticket_class=admission, status="valid", first_name=f"Given {number % 97}",
            last_name=f"Family {number}", email=f"guest{number}@mail.test",
        )
        for number in range(guests)
    )  # fmt: skip
    Attendee.objects.bulk_create(rows, batch_size=2000)
    sys.stdout.write(event.pk)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
