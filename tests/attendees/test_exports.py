"""A file holds exactly what the list shows: every page of it, in its order, with its columns."""

import csv
import io

import openpyxl
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from organizer.accounts.models import AuditEntry, Role
from organizer.attendees.models import Attendee
from tests.support import mirror
from tests.support.cast import person

USUAL = ["Guest", "E-mail", "Status", "Class", "Registered (UTC)", "Checked in (UTC)"]


def at(event):
    return f"/o/harbour/events/{event.pk}/guests/"


def sent(answer):
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def table(client, address, query=""):
    """The CSV's rows, its head first; XLSX must hold the same."""
    text = sent(client.get(f"{address}export/?{query}&as=csv")).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    book = openpyxl.load_workbook(io.BytesIO(sent(client.get(f"{address}export/?{query}&as=xlsx"))))
    cells = [["" if cell is None else str(cell) for cell in row] for row in book.active.iter_rows(values_only=True)]
    assert cells == rows
    return rows


def on_the_pages(client, address, query):
    """Names as the list shows them, page after page."""
    names, after = [], ""
    while True:
        page = client.get(f"{address}?{query}&after={after}").context["guests"].page
        names += [guest.name for guest in page.rows]
        after = page.next_cursor
        if not after:
            return names


@pytest.fixture
def crowd(event):
    """More than a page, of two classes and every status; several registered in the same second."""
    press, general = mirror.ticket_class(event, name="Press"), mirror.ticket_class(event, name="General")
    for number in range(70):
        status = ("valid", "checked_in", "pending_approval", "rejected", "brand_new")[number % 5]
        mirror.guest(
            event, press if number % 3 else general, first_name=f"Ada{number:03}", last_name="Ångström", status=status,
            created_at=f"2026-03-{number % 7 + 1:02}T10:00:00Z", company="=cmd()",
            ticket_class_name="Press" if number % 3 else "General",
            checked_in_at="2026-03-09T10:00:00Z" if status == "checked_in" else None,
        )  # fmt: skip
    gone = mirror.guest(event, first_name="Gone", last_name="Guest")
    Attendee.objects.filter(pk=gone.pk).update(gone_at=timezone.now(), needs_attention=True)
    return {"press": press, "general": general}


class TestRows:
    @pytest.mark.parametrize(
        "query",
        [
            "", "status=valid", "sort=name", "sort=checked_in", "q=ada00", "q=ada+ng&sort=name", "odd=1",
            "since=2026-03-02&until=2026-03-04", "status=brand_new&sort=name", "q=nobody",
        ],
    )  # fmt: skip
    def test_are_those_of_the_list_in_its_order(self, olive, event, crowd, query):
        names = [row[0] for row in table(olive, at(event), query)[1:]]
        assert names == on_the_pages(olive, at(event), query)
        assert ("Gone Guest" in names) == (query == "odd=1")

    def test_are_of_the_classes_that_were_chosen(self, olive, event, crowd):
        rows = table(olive, at(event), f"class={crowd['press'].pk}&sort=name")
        assert {row[3] for row in rows[1:]} == {"Press"}

    def test_are_of_all_events_where_the_list_is(self, olive, event, crowd):
        other = mirror.event(event.connection, name="Autumn closing")
        mirror.guest(other, first_name="Bob", last_name="Elsewhere")
        rows = table(olive, "/o/harbour/guests/")
        assert rows[0][3] == "Event"
        assert [row[0] for row in rows[1:]] == on_the_pages(olive, "/o/harbour/guests/", "")
        assert {row[3] for row in rows[1:]} == {"Spring opening", "Autumn closing"}

    def test_are_who_waits_on_approvals(self, olive, event, crowd):
        other = mirror.event(event.connection, name="Autumn closing")
        mirror.guest(other, first_name="Bob", last_name="Waits", status="pending_approval")
        rows = table(olive, "/o/harbour/approvals/")
        assert rows[0] == ["Guest", "E-mail", "Status", "Event", "Class", "Registered (UTC)"]
        assert [row[0] for row in rows[1:]] == on_the_pages(olive, "/o/harbour/approvals/", "")
        of_one = table(olive, "/o/harbour/approvals/", f"event={other.pk}")
        assert [row[0] for row in of_one[1:]] == ["Bob Waits"]

    def test_are_none_but_for_the_head_where_nobody_matches(self, olive, event):
        assert table(olive, at(event), "q=zzz") == [USUAL]

    def test_come_in_slices_that_are_asked_for_what_they_show(self, olive, event):
        for number in range(3):
            mirror.guest(event, first_name=f"Ada {number}", last_name="King")
        with CaptureQueriesContext(connection) as queries:
            sent(olive.get(f"{at(event)}export/?columns=name&columns=code"))
        said = [one["sql"] for one in queries if '"barcode"' in one["sql"]]
        assert len(said) == 1
        assert '"payload"' not in said[0]


class TestCells:
    def test_are_the_columns_that_were_chosen_in_their_order(self, olive, event):
        mirror.guest(event, first_name="Ada", last_name="King", company="Acme", barcode="FOY1", status="checked_in")
        rows = table(olive, at(event), "columns=status&columns=code&columns=company&columns=first_name")
        assert rows == [
            ["Guest", "First name", "Company", "Code", "Status"],
            ["Ada King", "Ada", "Acme", "FOY1", "Checked in"],
        ]

    def test_say_times_on_the_clock_of_the_person_who_asks(self, olive, event):
        mirror.guest(event, first_name="Ada", last_name="King", created_at="2026-10-25T00:30:00Z")
        olive.cookies["foyer_zone"] = "Europe/Berlin"
        head, row = table(olive, at(event))
        assert head[4] == "Registered (Berlin)"
        assert row[4] == "2026-10-25 02:30:00"

    def test_leave_empty_what_is_not_known(self, olive, event):
        mirror.guest(event, first_name="Ada", last_name="King", created_at=None)
        assert table(olive, at(event))[1][4:] == ["", ""]

    def test_compute_nothing(self, olive, event):
        mirror.guest(event, first_name="=HYPERLINK(1)", last_name="", company="@x")
        text = sent(olive.get(f"{at(event)}export/?columns=company")).decode()
        assert "'=HYPERLINK(1),'@x" in text
        book = openpyxl.load_workbook(io.BytesIO(sent(olive.get(f"{at(event)}export/?columns=company&as=xlsx"))))
        assert [(cell.value, cell.data_type) for cell in book.active[2]] == [("=HYPERLINK(1)", "s"), ("@x", "s")]

    def test_say_an_unknown_status_as_it_came(self, olive, event):
        mirror.guest(event, status="brand_new")
        assert table(olive, at(event))[1][2] == "brand_new"


class TestFile:
    @pytest.mark.parametrize(("kind", "mime"), [("csv", "text/csv; charset=utf-8"), ("xlsx", "spreadsheetml.sheet")])
    def test_says_event_and_day(self, olive, event, kind, mime):
        answer = olive.get(f"{at(event)}export/?as={kind}")
        day = timezone.localdate().isoformat()
        assert answer["Content-Disposition"] == f'attachment; filename="Spring opening guests {day}.{kind}"'
        assert answer["Content-Type"].endswith(mime)
        assert answer["Cache-Control"] == "no-store"

    def test_says_the_day_however_long_the_event_is_called(self, olive, event):
        long = mirror.event(event.connection, name="Night " * 60)
        assert timezone.localdate().isoformat() in olive.get(f"{at(long)}export/")["Content-Disposition"]

    def test_is_of_two_kinds(self, olive, event):
        assert olive.get(f"{at(event)}export/?as=pdf").status_code == 404
        assert not AuditEntry.objects.filter(verb="guests.exported").exists()


class TestTrail:
    def test_says_who_took_which_list_and_how_many(self, olive, cast, event, crowd):
        sent(olive.get(f"{at(event)}export/?status=valid&columns=code"))
        entry = AuditEntry.objects.get(verb="guests.exported")
        assert (entry.by, entry.target_id, entry.target_name) == (cast.olive, str(event.pk), "Spring opening")
        assert entry.after["guests"] == 14
        assert entry.after["columns"] == ["name", "code"]
        assert "Exported guests" in olive.get("/o/harbour/settings/audit/").content.decode()

    def test_is_written_before_anything_leaves(self, olive, event):
        olive.get(f"{at(event)}export/")  # nobody reads the stream
        assert AuditEntry.objects.filter(verb="guests.exported").count() == 1

    def test_is_not_of_who_only_asks_what_there_is(self, olive, event):
        assert olive.head(f"{at(event)}export/").status_code == 200
        assert not AuditEntry.objects.filter(verb="guests.exported").exists()


class TestWho:
    def test_whoever_reads_the_list_may(self, client, cast, event):
        client.force_login(person("Vera", cast.organization, Role.VIEWER))
        assert table(client, at(event)) == [USUAL]

    def test_takes_nothing_from_another_organization(self, olive, cast, event):
        theirs = mirror.event(mirror.connection(cast.elsewhere))
        mirror.guest(theirs, first_name="Not", last_name="Ours")
        assert olive.get(f"{at(theirs)}export/").status_code == 404
        assert len(table(olive, "/o/harbour/guests/")) == 1


def test_links_to_a_file_of_just_this_list(olive, event):
    mirror.guest(event)
    said = olive.get(f"{at(event)}?status=valid&sort=name&columns=code").content.decode()
    for kind in ("csv", "xlsx"):
        assert f'{at(event)}export/?status=valid&amp;sort=name&amp;columns=name&amp;columns=code&amp;as={kind}"' in said
