"""The kept counts say what counting would say, whatever happened."""

from collections import Counter

from django.db.models import Sum
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from organizer.attendees.models import Attendee, StatusCount
from organizer.attendees.rules import slot_of
from organizer.sync.models import Sweep
from tests.sync.scripted import Clock, Provider, Walking, guest, make_connection

EARLY, LATE = "2026-01-01T19:02:00Z", "2026-01-01T19:07:00Z"
arrivals = [("checked_in", EARLY), ("checked_in", LATE), ("checked_in", None), ("valid", LATE)]
statuses = st.sampled_from([*arrivals, *((one, None) for one in ("valid", "pending_approval", "rejected", "odd", ""))])
listings = st.dictionaries(st.sampled_from([f"t{n}" for n in range(6)]), statuses)
walks = st.lists(st.tuples(listings, listings, st.booleans()), min_size=1, max_size=5)


def counted():
    here = Attendee.objects.filter(gone_at=None)
    guests = here.values_list("event__remote_id", "ticket_class__remote_id", "status", "checked_in_at")
    return Counter((event, of, status, slot_of(status, at)) for event, of, status, at in guests)


def came(name, status, at):
    return guest(name, status=status, checked_in_at=at)


def kept():
    rows = StatusCount.objects.values_list("event__remote_id", "ticket_class__remote_id", "status", "slot")
    sums = rows.annotate(sum=Sum("count")).order_by()
    return Counter({tuple(figure): count for *figure, count in sums if count})


class TestCounts(TestCase):
    @settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
    @given(walks)
    def test_are_right_after_any_sequence_of_walks(self, sequence):
        """Guests come, go, change status and move to another event; a read by id finds them or not."""
        provider = Provider(Clock())
        provider.add_event("e1")
        provider.add_event("e2")
        provider.attendees.size = 2
        walking = Walking(make_connection(), provider)
        for first, second, answers_by_id in sequence:
            provider.attendees.rows = {
                "e1": [came(name, *said) for name, said in first.items()],
                "e2": [came(name, *said) for name, said in second.items() if name not in first],
            }
            known = {f"t{n}": guest(f"t{n}", status="deleted") for n in range(6)}
            provider.attendees.hidden = known if answers_by_id else {}
            Sweep.objects.filter(page=0).update(next_at=walking.clock())
            walking.until_done()
            assert kept() == counted()
