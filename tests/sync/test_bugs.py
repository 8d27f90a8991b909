"""A bug of ours in one list: it is said there, and all else is read."""

from organizer.attendees.mirror import AttendeeNoun
from organizer.attendees.models import Attendee
from organizer.sync.models import Sweep


def test_one_list_that_breaks_us_does_not_hold_the_others(walking, provider, monkeypatch):
    provider.add_event("e1")
    provider.add_event("e2")
    provider.add_guests(2, "e1")
    provider.add_guests(2, "e2", first=5)
    links = AttendeeNoun.links

    def breaks(noun, connection, scope, items):
        if scope == "e1":
            raise RuntimeError("a bug")
        return links(noun, connection, scope, items)

    monkeypatch.setattr(AttendeeNoun, "links", breaks)
    walking.until_done(30)
    assert set(Attendee.objects.values_list("event__remote_id", flat=True)) == {"e2"}
    broken = Sweep.objects.get(noun="attendees", scope="e1")
    assert broken.failures == 1
    assert "could not be taken" in broken.problem
    monkeypatch.setattr(AttendeeNoun, "links", links)
    walking.again()
    assert Attendee.objects.count() == 4
