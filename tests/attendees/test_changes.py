"""An open list: rows that somebody else decided about change in their places, new ones are announced."""

import re

import pytest

from organizer.attendees import actions
from organizer.attendees.models import Attendee, StatusCount
from tests.support import mirror


@pytest.fixture
def bob(event):
    return mirror.guest(event, first_name="Bob", last_name="Waits", status="pending_approval")


class Open:
    """A list as a browser has it open."""

    def __init__(self, client, address):
        self.client = client
        page = client.get(address).content.decode()
        self.address = re.search(r'id="guest-news"[^>]* hx-get="([^"]+)"', page)[1].replace("&amp;", "&")
        self.rows = re.findall(r'name="row" value="([^"]+)"', page)
        self.tag = ""

    def asks(self):
        rows = "".join(f"&row={row}" for row in self.rows)
        known = {"HTTP_IF_NONE_MATCH": self.tag} if self.tag else {}
        answer = self.client.get(self.address + rows, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="guest-news", **known)
        self.tag = answer.get("ETag", self.tag)
        return answer

    @property
    def changed(self):
        return changed_in(self.asks().content.decode())


def changed_in(said):
    return re.findall(r'<tbody id="attendee-([0-9a-f-]+)"[^>]* hx-swap-oob="morph"', said)


def decide(guest, cast, kind="approve"):
    actions.decide(
        organization=guest.organization, attendee_id=guest.pk, kind=kind, seen=guest.status, by=cast.max, params={}
    )


@pytest.fixture(params=["/o/harbour/events/{}/guests/", "/o/harbour/guests/", "/o/harbour/approvals/"])
def open_list(request, olive, event, ada, bob):
    return Open(olive, request.param.format(event.pk))


def test_says_nothing_while_nothing_changes(open_list):
    first = open_list.asks()
    assert (first.status_code, first.content.strip()) == (200, b"")
    again = open_list.asks()
    assert (again.status_code, again.content) == (304, b"")


def test_shows_the_row_that_somebody_else_decided_about(open_list, ada, cast):
    decide(ada, cast)
    said = open_list.asks().content.decode()
    assert changed_in(said) == [str(ada.pk)]
    assert "Approved, " in said


def test_is_still_once_the_row_is_shown(olive, event, ada, cast):
    shown = Open(olive, f"/o/harbour/events/{event.pk}/guests/")
    decide(ada, cast)
    shown.rows = re.findall(r'name="row" value="([^"]+)"', shown.asks().content.decode())
    assert shown.changed == []


@pytest.mark.parametrize(
    "changes", [{"name": "Ada Lovelace"}, {"status": "rejected"}, {"ticket_class_name": "Press"}, {"outbox": {"x": 1}}]
)
def test_notices_whatever_the_row_shows(olive, event, ada, changes):
    shown = Open(olive, f"/o/harbour/events/{event.pk}/guests/")
    Attendee.objects.filter(pk=ada.pk).update(**changes)
    assert shown.changed == [str(ada.pk)]


def test_announces_who_is_new(open_list, event):
    for name in ("Cleo", "Dan"):
        mirror.guest(event, first_name=name, status="pending_approval")
    said = open_list.asks().content.decode()
    assert "2 new, show them" in said
    assert "Cleo" not in said


def test_says_nothing_of_who_left(open_list, bob):
    StatusCount.objects.create(event=bob.event, status="pending_approval", count=-1)
    assert 'class="news"' not in open_list.asks().content.decode()


def test_carries_rows_where_a_parser_keeps_them(open_list, event, ada, cast):
    """A tbody behind a link would be none."""
    decide(ada, cast)
    mirror.guest(event, status="pending_approval")
    mirror.guest(event, status="pending_approval")
    said = open_list.asks().content.decode()
    assert re.search(r"</a>\s*<template>\s*<tbody", said)


def test_knows_no_row_of_another_organization(olive, cast, event, ada):
    theirs = mirror.guest(mirror.event(mirror.connection(cast.elsewhere)))
    shown = Open(olive, f"/o/harbour/events/{event.pk}/guests/")
    shown.rows = [f"{theirs.pk}.0", "nonsense", "..", ""]
    assert shown.changed == []


def test_asks_a_handful_of_queries_for_a_whole_page(olive, event, cast, django_assert_max_num_queries):
    for number in range(50):
        mirror.guest(event, status="pending_approval", last_name=f"Guest {number}")
    shown = Open(olive, f"/o/harbour/events/{event.pk}/guests/")
    with django_assert_max_num_queries(4):
        assert shown.asks().status_code == 200
