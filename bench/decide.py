"""Puts decisions into the outbox of the demo, as its pages would: `python -m bench.decide NUMBER SKIP`."""

import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")


def main(number: int, skip: int) -> None:
    import django

    django.setup()
    from organizer.accounts.models import Organization, User
    from organizer.attendees import actions
    from organizer.attendees.models import Attendee

    demo, by = Organization.objects.get(slug="demo"), User.objects.get(email="owner@demo.test")
    going = Attendee.objects.filter(organization=demo, connection__live=True, status="valid").order_by("pk")
    chosen = list(going.values_list("pk", flat=True)[skip : skip + number])
    assert len(chosen) == number
    quiet = {"notify_guest": False}
    if number > 1:
        actions.decide_about_many(organization=demo, ids=chosen, kind="return", by=by, params=quiet)
    else:
        actions.decide(organization=demo, attendee_id=chosen[0], kind="return", seen="valid", by=by, params=quiet)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
