"""Columns that a person chose: on the page, in its links, and in a row that is swapped."""

import re

import pytest

from tests.support import mirror

HEADS = re.compile(r"<th[^>]*>(.*?)</th>", re.S)


def at(event):
    return f"/o/harbour/events/{event.pk}/guests/"


def heads(client, address):
    said = client.get(address).content.decode()
    return [text for one in HEADS.findall(said) if (text := " ".join(re.sub("<[^>]+>", " ", one).split()))]


@pytest.fixture
def guest(event):
    return mirror.guest(
        event, first_name="Ada", last_name="King", company="Acme & Sons", barcode="FOY-77", status="pending_approval"
    )


def test_are_the_usual_ones_unless_said(olive, event, guest):
    assert heads(olive, at(event)) == ["Guest", "Status", "Class", "Registered", "Checked in", "More"]
    assert heads(olive, "/o/harbour/guests/") == ["Guest", "Status", "Event", "Registered", "Checked in", "More"]


def test_are_shown_as_chosen(olive, event, guest):
    address = f"{at(event)}?columns=company&columns=code"
    assert heads(olive, address) == ["Guest", "Company", "Code", "Decide", "More"]
    said = olive.get(address).content.decode()
    assert "Acme &amp; Sons" in said
    assert "FOY-77" in said
    assert guest.email not in said


def test_stay_in_every_link_of_the_page(olive, event, guest):
    said = olive.get(f"{at(event)}?columns=company").content.decode()
    tabs = re.search(r'id="guest-tabs".*?</nav>', said, re.S)[0]
    assert re.findall(r'href="([^"]+)"', tabs) == [
        one for one in re.findall(r'href="([^"]+)"', tabs) if "columns=name&amp;columns=company" in one
    ]
    assert '<input type="hidden" name="columns" value="company" form="guest-search">' in said


@pytest.mark.parametrize("query", ["columns=nonsense", "columns=", "columns=%00", "columns=event"])
def test_leave_out_what_is_not_one(olive, event, guest, query):
    assert heads(olive, f"{at(event)}?{query}") in (["Guest", "Decide", "More"], heads(olive, at(event)))


def test_of_the_usual_choice_say_nothing_in_the_address(olive, event, guest):
    query = "&".join(f"columns={one}" for one in ("email", "status", "class", "registered", "checked_in"))
    page = olive.get(f"{at(event)}?{query}")
    assert page.context["filters"].plain


def test_hold_for_a_row_that_is_swapped(olive, event, guest):
    here = f"http://testserver{at(event)}?columns=company&columns=code"
    htmx = {"HTTP_HX_REQUEST": "true", "HTTP_HX_CURRENT_URL": here, "HTTP_HX_TARGET": f"attendee-{guest.pk}"}
    asked = f"/o/harbour/guests/{guest.pk}/decide/approve/?in=event"
    row = olive.post(asked, {"seen": "pending_approval"}, **htmx).content.decode()
    whole = olive.get(f"{at(event)}?columns=company&columns=code").content.decode()
    assert "FOY-77" in row
    assert guest.email not in row
    assert row.count("<td") == re.search(r"<tbody.*?</tbody>", whole, re.S)[0].count("<td")


def test_keep_a_page_where_it_was(olive, event):
    """A page belongs to a filter and an order, and not to columns."""
    for number in range(60):
        mirror.guest(event, first_name=f"Ada {number:02}")
    after = olive.get(at(event)).context["guests"].page.next_cursor
    page = olive.get(at(event), {"after": after, "columns": "code"}).context["guests"].page
    assert not page.restarted
    assert len(page.rows) == 10


def test_cost_no_query_more(olive, event, guest, django_assert_max_num_queries):
    olive.get(at(event))
    with django_assert_max_num_queries(10):
        olive.get(f"{at(event)}?" + "&".join(f"columns={one}" for one in ("company", "code", "id", "first_name")))
