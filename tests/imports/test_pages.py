"""From the file to the batch, as a person clicks it; every step also as a plain form."""

import csv
from io import BytesIO, StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from organizer.accounts.models import AuditEntry
from organizer.attendees.models import Attendee
from organizer.imports.models import Columns, Import
from organizer.sync.models import Batch, Command, State
from tests.imports.conftest import file_of
from tests.support import mirror


def drop(olive, event, text, name="guests.csv"):
    data = text if isinstance(text, bytes) else text.encode()
    return olive.post(f"/o/harbour/events/{event.pk}/import/", {"file": SimpleUploadedFile(name, data)})


def page(olive, address):
    return " ".join(olive.get(address).content.decode().split())


def columns(found):
    return f"/o/harbour/imports/{found.pk}/columns/"


def at(found, more=""):
    return f"/o/harbour/imports/{found.pk}/{more}"


class TestTheFile:
    def test_is_taken_whatever_it_is_called(self, olive, event, general):
        answer = drop(olive, event, "email,name\na@b.test,Ada\n", "../../guests.pdf")
        found = Import.objects.get()
        assert answer["Location"] == columns(found)
        assert (found.file_name, found.rows, found.by_name) == (
            "guests.pdf",
            [[2, ["a@b.test", "Ada"]]],
            "olive@harbour.test",
        )
        assert AuditEntry.objects.filter(verb="import.take").exists()

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (b"%PDF-1.7", "this is a PDF file"),
            (b"", "nothing in the file"),
            (b"email\n" + b"a@b.test\n" * 10_001, "more than 10,000 guests"),
            (b"x" * (10 * 1024 * 1024 + 1), "larger than 10 MB"),
        ],
    )
    def test_is_refused_with_the_reason_beside_it(self, olive, event, general, data, words):
        answer = drop(olive, event, data)
        assert (answer.status_code, words in " ".join(answer.content.decode().split())) == (422, True)
        assert not Import.objects.exists()

    def test_of_100_mb_is_kept_nowhere(self, olive, event, general, settings, tmp_path):
        """Not in memory and not on disk: it is only read to its end."""
        settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
        most = []

        class Long(BytesIO):
            left = 100 * 1024 * 1024

            def read(self, size=-1):
                most.append(sum(file.stat().st_size for file in tmp_path.iterdir()))
                give = min(size if size > 0 else self.left, self.left, 1 << 20)
                self.left -= give
                return b"x" * give

        body = Long()
        head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="g.csv"\r\n\r\n'
        body.left += len(head)
        given = iter([head])
        read = body.read
        body.read = lambda size=-1: next(given, None) or read(size)
        answer = olive.generic(
            "POST", f"/o/harbour/events/{event.pk}/import/",
            **{"wsgi.input": body, "CONTENT_LENGTH": str(body.left), "CONTENT_TYPE": "multipart/form-data; boundary=b"},
        )  # fmt: skip
        assert answer.status_code == 422
        assert "larger than 10 MB" in answer.content.decode()
        assert max(most) <= 11 * 1024 * 1024
        assert list(tmp_path.iterdir()) == []

    def test_must_be_chosen(self, olive, event, general):
        answer = olive.post(f"/o/harbour/events/{event.pk}/import/", {})
        assert "Choose a file first." in answer.content.decode()

    def test_needs_a_ticket_class_to_give(self, olive, event):
        assert "No ticket class yet" in page(olive, f"/o/harbour/events/{event.pk}/import/")


class TestColumns:
    def test_are_guessed(self, olive, event, general):
        drop(olive, event, "Nachname;E-Mail;Vorname;Tisch\nKing;a@b.test;Ada;7\n")
        form = olive.get(columns(Import.objects.get())).context["form"]
        assert [form[f"column-{n}"].value() for n in range(4)] == ["last_name", "email", "first_name", ""]
        assert form["ticket_class"].value() == general.remote_id

    def test_are_remembered(self, olive, event, general):
        drop(olive, event, "Who,Where\nAda,a@b.test\n")
        said = {"column-0": "name", "column-1": "email", "ticket_class": general.remote_id, "status": "valid"}
        olive.post(columns(Import.objects.get()), said)
        assert Columns.objects.get().fields == {"who#1": "name", "where#1": "email"}
        drop(olive, event, "Where,Who\nb@b.test,Bo\n")
        again = olive.get(columns(Import.objects.latest("created_at")))
        assert [again.context["form"][f"column-{n}"].value() for n in range(2)] == ["email", "name"]
        assert "as you named them the last time" in again.content.decode()

    def test_are_remembered_by_organization(self, olive, event, general, cast):
        drop(olive, event, "Who,Where\nAda,a@b.test\n")
        found = Import.objects.get()
        from organizer.imports import headings

        Columns.objects.create(
            organization=cast.elsewhere, digest=headings.digest(("Who", "Where")), fields={"who#1": "email"}
        )
        assert olive.get(columns(found)).context["known"] is False

    @pytest.mark.parametrize(
        ("said", "words"),
        [
            ({"column-1": "name"}, "which column holds the e-mail"),
            ({"column-0": "email", "column-1": "email"}, "chosen for two columns"),
            ({"column-0": "email", "ticket_class": ""}, "Choose one, or a column that names it."),
            ({"column-0": "email", "ticket_class": "another"}, "not one of the available choices"),
            ({"column-0": "email", "status": "checked_in"}, "not one of the available choices"),
        ],
    )
    def test_that_make_no_sense_are_said(self, olive, event, general, said, words):
        drop(olive, event, "email,name\na@b.test,Ada\n")
        found = Import.objects.get()
        answer = olive.post(columns(found), {"ticket_class": general.remote_id, "status": "valid"} | said)
        assert (answer.status_code, words in answer.content.decode()) == (422, True)
        assert Import.objects.get().checked_at is None

    def test_with_wrong_letters_are_read_again(self, olive, event, general):
        drop(olive, event, "email;name\na@b.test;Zoë Müller\n".encode("mac_roman"))
        found = Import.objects.get()
        olive.post(at(found, "letters/"), {"encoding": "mac_roman"})
        assert "Zoë Müller" in page(olive, columns(found))


class TestTheDryRun:
    def test_says_of_each_row_what_would_happen(self, olive, event, general, tried):
        mirror.guest(event, general, email="ada@file.test")
        found = tried("email,name\nada@file.test,Ada\nnew@file.test,Nina New\n,Otto\nodd,Odd\nNEW@file.test,Nina\n")
        shown = page(olive, at(found))
        for words in (
            "1 guest would be added",
            "4 of 5 rows would not",
            "This address has a ticket already (going)",
            "Nina New",
            "There is no e-mail address",
            "“odd” is no e-mail address",
            "The same address as in row 3",
            "Import 1 guest",
        ):
            assert words in shown
        assert not Attendee.objects.filter(email="new@file.test").exists()
        assert not Command.objects.exists()

    def test_shows_the_rows_of_one_reason(self, olive, event, general, tried):
        found = tried("email,name\na@file.test,Ada\n,Otto\n")
        shown = page(olive, at(found, "?show=no_email"))
        assert ("Otto" in shown, "a@file.test" in shown) == (True, False)

    def test_shows_10_000_rows_page_by_page(self, olive, event, general, tried, django_assert_max_num_queries):
        found = tried(file_of(10_000))
        with django_assert_max_num_queries(12):
            shown = page(olive, at(found, "?page=200"))
        assert "Page 200 of 200" in shown
        assert "guest9999@file.test" in shown

    def test_writes_nothing_that_a_name_says_as_markup(self, olive, event, general, tried):
        found = tried("email,name\na@file.test,<script>alert(1)</script>\n<b>@file.test,x\n")
        assert "<script>alert" not in page(olive, at(found))

    def test_reports_what_was_refused_as_a_file_that_runs_nothing(self, olive, event, general, tried):
        found = tried('email,name\na@file.test,Ada\n=cmd|calc,"=HYPERLINK(""x"")"\n+49,-Otto\n')
        text = olive.get(at(found, "refused.csv")).content.decode()
        assert text.startswith("\ufeff")
        head, *rows = csv.reader(StringIO(text.removeprefix("\ufeff")))
        assert head == ["email", "name", "Row", "Why not"]
        assert [row[:3] for row in rows] == [["'=cmd|calc", '\'=HYPERLINK("x")', "3"], ["'+49", "'-Otto", "4"]]
        assert "is no e-mail address" in rows[0][3]


class TestTheImport:
    def test_adds_the_good_rows(self, olive, event, general, tried):
        found = tried("email,name\nada@file.test,Ada King\n,Otto\n", send_email=True)
        answer = olive.post(at(found, "start/"))
        batch = Batch.objects.get()
        assert answer["Location"] == f"/o/harbour/batches/{batch.pk}/"
        guest = Attendee.objects.get()
        assert (guest.name, guest.email, guest.status, guest.remote_id) == ("Ada King", "ada@file.test", "valid", None)
        assert (guest.ticket_class, guest.ticket_class_name) == (general, "General admission")
        command = Command.objects.get()
        assert (command.mails, command.params["send_email"], command.batch) == (True, True, batch)
        assert {entry.verb for entry in AuditEntry.objects.all()} >= {"import.start", "attendee.import"}
        shown = page(olive, answer["Location"])
        assert "Adding 1 guest" in shown
        assert "Guests are told by mail." in shown
        assert "Ada King" in page(olive, f"/o/harbour/events/{event.pk}/guests/")

    def test_mails_nobody_unless_it_is_said(self, olive, event, general, tried):
        olive.post(at(tried("email,name\nada@file.test,Ada\n"), "start/"))
        assert Command.objects.get().mails is False

    def test_is_one_however_often_it_is_clicked(self, olive, event, general, tried):
        found = tried("email,name\nada@file.test,Ada\n")
        first, second = olive.post(at(found, "start/")), olive.post(at(found, "start/"))
        assert first["Location"] == second["Location"]
        assert (Batch.objects.count(), Command.objects.count()) == (1, 1)

    def test_of_the_same_file_again_adds_nobody(self, olive, event, general, tried):
        text = "email,name\nada@file.test,Ada\n"
        first, second = tried(text), tried(text)
        olive.post(at(first, "start/"))
        answer = olive.post(at(second, "start/"), follow=True)
        assert "No row of this file can be added." in answer.content.decode()
        assert Attendee.objects.count() == 1

    def test_is_undone_for_a_while(self, olive, event, general, tried):
        olive.post(at(tried(file_of(3)), "start/"))
        assert Attendee.objects.count() == 3
        olive.post(f"/o/harbour/batches/{Batch.objects.get().pk}/cancel/")
        assert Attendee.objects.count() == 0
        assert set(Command.objects.values_list("state", flat=True)) == {State.CANCELLED}
        assert "0" in page(olive, f"/o/harbour/events/{event.pk}/guests/?status=valid")

    def test_of_nobody_is_no_import(self, olive, event, general, tried):
        olive.post(at(tried("email,name\n,Otto\n"), "start/"))
        assert not Batch.objects.exists()

    def test_is_found_again(self, olive, event, general, tried):
        found = tried("email,name\nada@file.test,Ada\n")
        olive.post(at(found, "start/"))
        assert "1 guest imported" in page(olive, at(found))
        assert "Import 1 guest" not in page(olive, at(found))
        assert olive.get(columns(found))["Location"] == at(found)
        assert "guests.csv" in page(olive, f"/o/harbour/events/{event.pk}/import/")

    def test_set_aside_is_gone_with_all_that_it_said(self, olive, event, general, tried):
        olive.post(at(tried("email,name\nada@file.test,Ada\n"), "set-aside/"))
        assert not Import.objects.exists()

    def test_once_started_cannot_be_set_aside(self, olive, event, general, tried):
        found = tried("email,name\nada@file.test,Ada\n")
        olive.post(at(found, "start/"))
        olive.post(at(found, "set-aside/"))
        assert Import.objects.exists()
