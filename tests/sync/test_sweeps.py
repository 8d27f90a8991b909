from django.db.models import Sum

from organizer.attendees.models import Attendee, StatusCount
from organizer.events.models import Event, TicketClass
from organizer.sync.models import Sweep


def sweep(noun="attendees", scope="e1"):
    return Sweep.objects.get(noun=noun, scope=scope)


def counts(event="e1"):
    figures = StatusCount.objects.filter(event__remote_id=event).values_list("status")
    return dict(figures.annotate(sum=Sum("count")).order_by().filter(sum__gt=0))


def test_mirrors_events_classes_and_guests(walking, provider):
    provider.add_event()
    provider.ticket_classes.rows["e1"] = [{"id": "c1", "name": "Standard", "cost": 10}]
    provider.add_guests(450, ticket_class_id="c1")
    provider.add_guests(3, first=1000, status="pending_approval")
    walking.until_done()
    assert Event.objects.get().name == "Event e1"
    assert TicketClass.objects.get().cost == 10
    assert Attendee.objects.count() == 453
    assert Attendee.objects.filter(ticket_class__remote_id="c1").count() == 450
    assert counts() == {"valid": 450, "pending_approval": 3}
    assert sweep().finished_at == sweep().started_at
    assert sweep().page == 0


def test_asks_for_every_status(walking, provider):
    provider.add_event()
    walking.until_done()
    status = provider.attendees.asked[0][2]
    assert set(status.split(",")) == {
        "valid", "checked_in", "pending_approval", "invited", "rejected", "deleted",
    }  # fmt: skip


def test_writes_only_what_changed(walking, provider, django_assert_max_num_queries):
    provider.add_event()
    rows = provider.add_guests(150)
    walking.until_done()
    rows[7]["status"] = "checked_in"
    walking.again()
    assert sweep().counts["changed"] == 1
    assert counts() == {"valid": 149, "checked_in": 1}


def test_a_page_costs_few_queries(walking, provider, django_assert_max_num_queries):
    provider.add_event()
    provider.add_guests(200)
    walking.step()  # events
    walking.step()  # classes
    with django_assert_max_num_queries(30):
        walking.step()
    assert Attendee.objects.count() == 200
