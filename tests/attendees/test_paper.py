"""A guest list to print: by name, with a box to tick."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.attendees.exports import MOST_ON_PAPER
from tests.support import mirror

NAMES = re.compile(r"<td><b><bdi>(.*?)</bdi></b></td>")


def at(event):
    return f"/o/harbour/events/{event.pk}/guests/print/"


def paper(client, event, query=""):
    return client.get(f"{at(event)}?{query}").content.decode()


@pytest.fixture
def crowd(event):
    for first, status in (
        ("Zoe", "valid"),
        ("Ängie", "checked_in"),
        ("Bob", "rejected"),
        ("Ada", "valid"),
        ("Pia", "pending_approval"),
    ):
        mirror.guest(
            event, first_name=first, last_name="", status=status, barcode=f"CODE-{first}", ticket_class_name="Press"
        )


def test_is_in_the_order_of_names_of_who_may_come_in(olive, event, crowd):
    assert NAMES.findall(paper(olive, event, "sort=checked_in")) == ["Ada", "Ängie", "Zoe"]


def test_shows_the_status_that_was_asked_for(olive, event, crowd):
    said = paper(olive, event, "status=pending_approval")
    assert NAMES.findall(said) == ["Pia"]
    assert "Pending" in said


def test_keeps_to_search_and_classes(olive, event, crowd):
    assert NAMES.findall(paper(olive, event, "q=zoe")) == ["Zoe"]
    press = mirror.ticket_class(event, name="Balcony")
    mirror.guest(event, press, first_name="Eve", last_name="")
    said = paper(olive, event, f"class={press.pk}")
    assert NAMES.findall(said) == ["Eve"]
    assert "Balcony" in said


def test_has_a_head_with_event_day_and_count(olive, event, crowd):
    mirror.swept(event.connection, "attendees", event.remote_id, at=timezone.now() - timedelta(hours=1))
    said = " ".join(re.sub("<[^>]+>", " ", paper(olive, event)).split())
    assert "Spring opening" in said
    assert f"{event.starts_at:%Y}" in said
    assert "3 guests · going and checked in" in said
    assert "as of" in said


def test_has_a_box_for_each_and_says_who_is_in(olive, event, crowd):
    said = paper(olive, event)
    assert said.count('class="tick') == 3
    assert said.count("is-in") == 1
    assert "CODE-Ada" in said
    assert "<thead>" in said


def test_has_nothing_of_the_frame(olive, event, crowd):
    said = paper(olive, event)
    assert 'class="side"' not in said
    assert "htmx" not in said


def test_says_when_nobody_is_on_it(olive, event):
    assert "Nobody is on this list." in paper(olive, event)


def test_says_where_it_stops(olive, event):
    first = mirror.guest(event)
    rows = [
        type(first)(
            organization_id=first.organization_id, connection_id=first.connection_id, event=event, status="valid",
            remote_id=f"many-{number}", name=f"Guest {number:05}", sort_name=f"guest {number:05}",
        )
        for number in range(MOST_ON_PAPER)
    ]  # fmt: skip
    type(first).objects.bulk_create(rows, batch_size=500)
    said = paper(olive, event)
    assert len(NAMES.findall(said)) == MOST_ON_PAPER
    assert "Only the first 5,000 by name" in said


def test_is_of_one_organization(olive, cast):
    assert olive.get(at(mirror.event(mirror.connection(cast.elsewhere)))).status_code == 404
