"""Files as people have them: what they hold decides, and whatever cannot be read is refused whole, with the reason."""

import codecs
import random
import zipfile
from io import BytesIO

import openpyxl
import pytest

from organizer.imports import wording
from organizer.imports.reading import MOST_BYTES, MOST_ROWS, Unreadable, read
from organizer.imports.reading.table import Table
from organizer.imports.reading.texts import reread

NAMES = "email;name\nx@a.test;Jürgen Müller\ny@a.test;Zoë Núñez\n"
CYRILLIC = "почта;имя\nx@a.test;Дмитрий Ковальчук\ny@a.test;Александра Сергеевна Иванова\n"
JAPANESE = "メール,名前\nx@a.test,佐藤 美咲\ny@a.test,鈴木 一郎\n"


def of(data):
    data = data if isinstance(data, bytes) else data.encode()
    return read(BytesIO(data), len(data))


def cells(data):
    return [row.cells for row in of(data).rows]


def why(data):
    with pytest.raises(Unreadable) as refused:
        of(data)
    return refused.value.why


def is_table_or_reason(data):
    try:
        return isinstance(of(data), Table)
    except Unreadable as refused:
        return bool(wording.unreadable(refused))


def workbook(*rows, name="Guests", more=()):
    book = openpyxl.Workbook()
    book.active.title = name
    for row in rows:
        book.active.append(row)
    for title in more:
        book.create_sheet(title).append(["other"])
    file = BytesIO()
    book.save(file)
    return file.getvalue()


class TestText:
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
    def test_is_read_in_whatever_encoding(self, encoding):
        assert cells(NAMES.encode(encoding))[0] == ("x@a.test", "Jürgen Müller")
        assert cells(NAMES.encode(encoding))[1] == ("y@a.test", "Zoë Núñez")

    @pytest.mark.parametrize(("text", "encoding"), [(CYRILLIC, "cp1251"), (JAPANESE, "shift_jis")])
    def test_is_read_in_other_scripts(self, text, encoding):
        assert cells(text.encode(encoding)) == cells(text)

    def test_that_came_out_wrong_is_read_again(self):
        mac = NAMES.encode("mac_roman")
        found = of(mac)
        again = reread(found, "mac_roman")
        assert [row.cells[1] for row in again.rows] == ["Jürgen Müller", "Zoë Núñez"]
        assert again.how["encoding"] == "mac_roman"

    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_is_cut_where_most_rows_are(self, delimiter):
        others = "; y,".replace(delimiter, "|")
        rows = (["email", "note", "name"], ["a@b.test", f"x{others} z", "Ada"], ["c@d.test", f"u{others}", "Bo"])
        assert len(of("\n".join(map(delimiter.join, rows))).header) == 3

    def test_says_its_delimiter_as_excel_does(self):
        found = of("sep=;\nemail;name, and more\na@b.test;Ada\n")
        assert found.header == ("email", "name, and more")
        assert found.rows[0].number == 3

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_ends_its_lines_as_it_likes(self, end):
        assert cells(end.join(["email,name", "a@b.test,Ada", ""])) == [("a@b.test", "Ada")]

    def test_may_have_line_breaks_and_delimiters_in_quotes(self):
        found = of('email,name\na@b.test,"King,\nAda"\nc@d.test,Bo\n')
        assert [(row.number, row.cells[1]) for row in found.rows] == [(2, "King,\nAda"), (3, "Bo")]

    def test_counts_rows_as_a_spreadsheet_does(self):
        assert [row.number for row in of("email\n\n\na@b.test\n,\nc@d.test\n").rows] == [4, 6]

    def test_needs_no_heading(self):
        found = of("a@b.test,Ada\nc@d.test,Bo\n")
        assert (found.header, len(found.rows)) == (("", ""), 2)

    def test_of_rows_that_are_short_is_filled_up(self):
        assert cells("email,first,last\na@b.test\n") == [("a@b.test", "", "")]

    def test_loses_what_nobody_sees_and_no_database_stores(self):
        text = "email,name\na@b.test,  Ada\u200b\u00a0King\x00 \n"
        assert cells(text.encode("utf-16")) == [("a@b.test", "Ada King\ufffd")]

    def test_keeps_numbers_that_excel_was_told_to_keep(self):
        assert cells('email,name\na@b.test,="007"\n') == [("a@b.test", "007")]


class TestSheets:
    def test_are_read_as_text(self):
        found = of(workbook(["E-Mail", "Name", "Age"], ["a@b.test", "Ada", 36.0], ["c@d.test", None, True]))
        assert [row.cells for row in found.rows] == [("a@b.test", "Ada", "36"), ("c@d.test", "", "TRUE")]

    def test_say_which_was_read(self):
        assert of(workbook(["email"], ["a@b.test"], more=["Second"])).how == {"sheet": "Guests", "sheets": 2}

    def test_take_no_longer_than_their_rows(self):
        book = openpyxl.Workbook()
        book.active["A1"], book.active["A2"] = "email", "a@b.test"
        book.active["A40000"] = " "
        file = BytesIO()
        book.save(file)
        assert len(of(file.getvalue()).rows) == 1

    def test_of_a_million_lines_are_refused(self):
        book = openpyxl.Workbook()
        book.active["A1"], book.active["A2"], book.active["A1000000"] = "email", "a@b.test", " "
        file = BytesIO()
        book.save(file)
        assert why(file.getvalue()) == "too_many_lines"


class TestRefusals:
    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"", "empty"),
            (b"\n \n", "empty"),
            (b"email,name\n", "no_rows"),
            (b"%PDF-1.7 guests.csv", "another_kind"),
            (b"\x89PNG\r\n\x1a\n0000", "another_kind"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", "old_excel"),
            (b"PK\x03\x04 and nothing more", "broken_sheet"),
            (bytes(range(256)) * 40, "not_text"),
            (b"email\n\x07\x00\x01\x02\x03\xff" * 100, "not_text"),
            (b"<!DOCTYPE html><p>a@b.test</p>", "not_a_table"),
            (b'{"guests": ["a@b.test"]}', "not_a_table"),
            (b'email,name\na@b.test,"Ada\nc@d.test,Bo\n', "open_quote"),
            (b"email,name\na@b.test,\xc3", "cut_off"),
            (("x," * 61 + "y\na@b.test\n").encode(), "too_many_columns"),
        ],
    )
    def test_name_the_reason(self, data, reason):
        assert why(data) == reason

    def test_begin_with_the_row_after_the_last(self):
        head = "email\n"
        assert len(of(head + "a@b.test\n" * MOST_ROWS).rows) == MOST_ROWS
        assert why(head + "a@b.test\n" * (MOST_ROWS + 1)) == "too_many_rows"

    def test_come_before_a_long_file_is_read(self):
        class Never:
            def read(self, *_):
                raise AssertionError("it was read")

        with pytest.raises(Unreadable) as refused:
            read(Never(), MOST_BYTES + 1)
        assert refused.value.why == "too_big"

    def test_come_before_a_bomb_is_unpacked(self):
        file = BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("xl/workbook.xml", b" " * 60_000_000)
        assert len(file.getvalue()) < 100_000
        assert why(file.getvalue()) == "too_big_unpacked"

    def test_are_of_a_zip_that_is_no_workbook(self):
        file = BytesIO()
        with zipfile.ZipFile(file, "w") as packed:
            packed.writestr("guests.csv", "email\n")
        assert why(file.getvalue()) == "another_kind"

    def test_are_of_a_workbook_with_entities(self):
        """An XML of a few lines that would unfold to gigabytes."""
        lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
        bomb = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lolololol">{lol}]><x>&l11;</x>'
        source, file = zipfile.ZipFile(BytesIO(workbook(["email"], ["a@b.test"]))), BytesIO()
        with zipfile.ZipFile(file, "w") as packed:
            for part in source.namelist():
                packed.writestr(part, bomb if "sheet1" in part else source.read(part))
        assert why(file.getvalue()) == "broken_sheet"

    def test_are_never_anything_else(self):
        """Whatever bytes come: a table or a reason."""
        luck = random.Random(20261121)
        good = [NAMES.encode("cp1252"), CYRILLIC.encode("utf-16"), workbook(["email", "name"], ["a@b.test", "Ada"])]
        for _ in range(300):
            data = bytearray(luck.choice(good))
            for _ in range(luck.randrange(1, 6)):
                data[luck.randrange(len(data))] = luck.randrange(256)
            assert is_table_or_reason(bytes(data[: luck.randrange(1, len(data) + 1)]))

    def test_are_not_for_a_mark_alone(self):
        assert why(codecs.BOM_UTF8) == "empty"
