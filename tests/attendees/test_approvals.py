import csv
import html
import io
import re

from django.utils import timezone

from organizer.attendees.models import Attendee
from tests.support import mirror

APPROVALS = "/o/harbour/approvals/"


def names(answer):
    return [row.guest.name for row in answer.context["guests"].rows]


def pending(event, name, **fields):
    return mirror.guest(event, first_name=name, last_name="Waits", status="pending_approval", **fields)


def test_shows_who_waits_at_all_events(olive, event):
    other = mirror.event(event.connection, name="Winter supper")
    pending(event, "Ada", created_at="2026-03-01T00:00:00Z")
    pending(other, "Bob", created_at="2026-03-02T00:00:00Z")
    mirror.guest(event, status="invited")
    mirror.guest(event, status="valid")
    answer = olive.get(APPROVALS)
    assert names(answer) == ["Bob Waits", "Ada Waits"]
    assert "2 guests wait for an answer" in answer.content.decode()


def test_filters_by_event(olive, event):
    other = mirror.event(event.connection, name="Winter supper")
    pending(event, "Ada")
    pending(other, "Bob")
    answer = olive.get(APPROVALS, {"event": str(other.pk)})
    assert names(answer) == ["Bob Waits"]
    assert [(tab.name, tab.count, tab.current) for tab in answer.context["tabs"]] == [
        ("", 2, False), (event.name, 1, False), ("Winter supper", 1, True),
    ]  # fmt: skip


def test_leaves_out_who_is_gone(olive, event):
    gone = pending(event, "Ada")
    Attendee.objects.filter(pk=gone.pk).update(gone_at=timezone.now())
    assert names(olive.get(APPROVALS)) == []


def test_walks_them_all_once(olive, event):
    for number in range(120):
        pending(event, f"Ada {number}")
    seen, after = [], ""
    while True:
        page = olive.get(APPROVALS, {"after": after}).context["guests"].page
        seen += [guest.name for guest in page.rows]
        after = page.next_cursor
        if not after:
            break
    assert (len(seen), len(set(seen))) == (120, 120)


def test_is_counted_in_the_navigation(olive, event):
    pending(event, "Ada")
    assert '<span class="count">1</span>' in olive.get("/o/harbour/").content.decode()


def test_asks_as_many_queries_for_many_as_for_one(olive, event, django_assert_max_num_queries):
    for number in range(60):
        pending(event, f"Ada {number}")
    with django_assert_max_num_queries(11):
        olive.get(APPROVALS)


def test_knows_no_event_of_another_organization(olive, cast, event):
    theirs = mirror.event(mirror.connection(cast.elsewhere))
    assert olive.get(APPROVALS, {"event": str(theirs.pk)}).status_code == 404


def test_are_of_all_events_for_what_is_no_id(olive, cast, event):
    pending(event, "Ana")
    assert names(olive.get(APPROVALS, {"event": "x"})) == ["Ana Waits"]


def test_keeps_another_organizations_guests_out(olive, cast, event):
    pending(mirror.event(mirror.connection(cast.elsewhere)), "Sam")
    answer = olive.get(APPROVALS)
    assert names(answer) == []
    assert "Nobody waits" in answer.content.decode()


class TestTheCard:
    def test_helps_to_decide(self, olive, event):
        press = mirror.ticket_class(event, name="Press", quantity_total=40, quantity_sold=6)
        before = mirror.event(event.connection, name="Last year")
        mirror.guest(before, email="ada@mail.test", status="checked_in")
        mirror.guest(mirror.event(event.connection), email="ADA@mail.test", status="rejected")
        ada = mirror.guest(event, press, email="ada@mail.test", status="pending_approval")
        page = " ".join(olive.get(f"/o/harbour/guests/{ada.pk}/card/").content.decode().split())
        assert "34 of 40" in page
        assert "2 other events, came to 1" in page
        assert f"/o/harbour/guests/{ada.pk}/decide/approve/" in page

    def test_is_of_ones_own_guests(self, olive, cast):
        theirs = mirror.guest(mirror.event(mirror.connection(cast.elsewhere)))
        assert olive.get(f"/o/harbour/guests/{theirs.pk}/card/").status_code == 404


class TestColumnsAndViews:
    def head(self, answer):
        return re.findall(r'<th scope="col"[^>]*>([^<]+)</th>', answer.content.decode())

    def test_are_chosen_in_the_address(self, olive, event):
        pending(event, "Ada", company="Analytical Engines", barcode="FOY-1")
        usual = olive.get(APPROVALS)
        assert self.head(usual) == ["Guest", "Status", "Event", "Class", "Registered"]
        chosen = olive.get(APPROVALS, {"columns": ["company", "code"]})
        assert self.head(chosen) == ["Guest", "Company", "Code"]
        said = chosen.content.decode()
        assert "Analytical Engines" in said
        assert "FOY-1" in said
        assert event.name not in said.partition('id="guest-list"')[2].partition("</table>")[0]

    def test_do_not_offer_when_somebody_came_who_waits(self, olive, event):
        assert "checked_in" not in {column.key for column in olive.get(APPROVALS).context["offered"]}
        assert self.head(olive.get(APPROVALS, {"columns": "checked_in"})) == []
        pending(event, "Ada")
        assert self.head(olive.get(APPROVALS, {"columns": "checked_in"})) == ["Guest"]

    def test_stay_on_a_row_that_is_decided(self, olive, event):
        ada = pending(event, "Ada", company="Analytical Engines")
        here = f"http://testserver{APPROVALS}?columns=company&columns=status"
        answer = olive.post(
            f"/o/harbour/guests/{ada.pk}/decide/approve/?in=approvals", {"seen": "pending_approval"},
            HTTP_HX_REQUEST="true", HTTP_HX_CURRENT_URL=here,
        )  # fmt: skip
        row = answer.content.decode().partition("</tbody>")[0]
        assert "Analytical Engines" in row
        assert "Approved" in row
        assert event.name not in row

    def test_narrow_by_search_class_and_day(self, olive, event):
        press = mirror.ticket_class(event, name="Press")
        pending(event, "Ada", created_at="2026-03-01T00:00:00Z")
        bob = mirror.guest(event, press, first_name="Bob", last_name="Waits", status="pending_approval",
                           created_at="2026-03-05T00:00:00Z")  # fmt: skip
        mirror.guest(event, press, first_name="Bob", last_name="Goes", status="valid")
        assert names(olive.get(APPROVALS, {"q": "bob"})) == ["Bob Waits"]
        assert names(olive.get(APPROVALS, {"since": "2026-03-03"})) == ["Bob Waits"]
        assert names(olive.get(APPROVALS, {"event": str(event.pk), "class": str(press.pk)})) == ["Bob Waits"]
        assert names(olive.get(APPROVALS, {"status": "valid"})) == ["Bob Waits", "Ada Waits"]
        found = olive.get(APPROVALS, {"q": "nobody"}).content.decode()
        assert "Nobody matches" in found
        assert "Nobody waits" not in found
        assert bob.status == "pending_approval"

    def test_everybody_is_whom_the_filters_show(self, olive, event):
        ada, bob = pending(event, "Ada"), pending(event, "Bob")
        page = olive.get(APPROVALS, {"q": "bob"}).content.decode()
        assert '<input type="hidden" name="filters" value="?q=bob">' in page
        said = {"everybody": "1", "in": "approvals", "filters": "?q=bob"}
        olive.post("/o/harbour/guests/decide/reject/", said)
        statuses = dict(Attendee.objects.values_list("pk", "status"))
        assert (statuses[ada.pk], statuses[bob.pk]) == ("pending_approval", "rejected")

    def test_everybody_of_an_event_is_never_everybody_of_all(self, olive, event):
        ada, bob = pending(event, "Ada"), pending(mirror.event(event.connection), "Bob")
        said = {"everybody": "1", "in": "approvals", "filters": f"?event={event.pk}"}
        olive.post("/o/harbour/guests/decide/reject/", said)
        statuses = dict(Attendee.objects.values_list("pk", "status"))
        assert (statuses[ada.pk], statuses[bob.pk]) == ("rejected", "pending_approval")

    def test_are_exported_as_they_are_shown(self, olive, event):
        ada = pending(event, "Ada", company="Analytical Engines", created_at="2026-03-01T00:00:00Z")
        pending(event, "Bob", company="Babbage", created_at="2026-03-02T00:00:00Z")
        asked = {"q": "waits", "columns": ["company", "email"]}
        page = olive.get(APPROVALS, asked)
        link = re.search(r'href="([^"]+/export/[^"]+as=csv)"', page.content.decode())[1]
        file = b"".join(olive.get(html.unescape(link)).streaming_content).decode("utf-8-sig")
        first, *rows = csv.reader(io.StringIO(file, newline=""))
        assert first == ["Guest", "E-mail", "Company"]
        assert [row[0] for row in rows] == names(page) == ["Bob Waits", "Ada Waits"]
        assert rows[1] == ["Ada Waits", ada.email, "Analytical Engines"]

    def test_are_kept_as_a_view_that_the_list_opens_with(self, olive, event):
        pending(event, "Ada")
        said = {"listing": "approvals", "name": "By company", "query": "?columns=company&status=valid", "first": "on"}
        answer = olive.post("/o/harbour/views/save/", said)
        assert answer["Location"] == f"{APPROVALS}?columns=name&columns=company"
        assert olive.get(APPROVALS)["Location"] == answer["Location"]
        assert [row.current for row in olive.get(answer["Location"]).context["views"].rows] == [True]
        assert olive.get(f"{APPROVALS}?status=").status_code == 200

    def test_a_view_of_one_event_stands_above_that_event_alone(self, olive, event):
        press, other = mirror.ticket_class(event, name="Press"), mirror.event(event.connection, name="Winter supper")
        pending(event, "Ada")
        pending(other, "Bob")
        query = f"?event={event.pk}&class={press.pk}"
        said = {"listing": "approvals", "about": str(event.pk), "name": "Press", "query": query, "first": "on"}
        assert olive.post("/o/harbour/views/save/", said)["Location"] == APPROVALS + query
        views = {asked: [row.view.name for row in olive.get(APPROVALS + asked).context["views"].rows]
                 for asked in ("?status=", f"?event={other.pk}", f"?event={event.pk}&status=")}  # fmt: skip
        assert [*views.values()] == [[], [], ["Press"]]
        assert olive.get(f"{APPROVALS}?event={event.pk}")["Location"] == APPROVALS + query
        assert olive.get(APPROVALS).status_code == 200

    def test_tabs_keep_the_columns_and_leave_the_class_behind(self, olive, event):
        press, other = mirror.ticket_class(event), mirror.event(event.connection, name="Winter supper")
        pending(event, "Ada")
        pending(other, "Bob")
        asked = {"event": str(event.pk), "class": str(press.pk), "columns": ["name", "company"]}
        every, _here, there = olive.get(APPROVALS, asked).context["tabs"]
        assert every.address == "?columns=name&columns=company"
        assert there.address == f"?event={other.pk}&columns=name&columns=company"
        assert olive.get(APPROVALS).context["tabs"][0].address == ""
