"""Files that a spreadsheet opens: what is in them is what was there, and nothing in them is computed."""

import csv
import gzip
import io
import tempfile
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import openpyxl
import pytest
from django.middleware.gzip import GZipMiddleware
from django.test import RequestFactory

from organizer.kit.exports import AT_ONCE, Sheet, csv_stream, file_name, response, write_xlsx

BERLIN = ZoneInfo("Europe/Berlin")
EVIL = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "  =1+1",
    " =1",
    "=HYPERLINK(\"http://x.test\";\"click\")",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
    "−1",
    "\t plain",
    "#N/A",
    "#REF!",
]  # fmt: skip
HARMLESS = [
    "Ada King",
    "a=b",
    "O'Neil",
    "3-4",
    'She said "no"',
    "a,b",
    "two\nlines",
    "אבי כהן",
    "🦊",
    "",
    "0049 171",
    "'quoted",
]


def sheet(*rows, head=("Name",), zone=BERLIN):
    return Sheet("Opening guests", list(head), iter(rows), zone)


def read_csv(made):
    text = "".join(csv_stream(made))
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))


def written(made):
    file = io.BytesIO()
    write_xlsx(made, file)
    return openpyxl.load_workbook(file)


class TestCsv:
    @pytest.mark.parametrize("text", [one for one in EVIL if not one.startswith("#")], ids=repr)
    def test_puts_an_apostrophe_before_what_would_be_computed(self, text):
        (guarded,) = read_csv(sheet([text]))[1]
        assert guarded.startswith("'")
        assert guarded.replace("'", "") == text

    @pytest.mark.parametrize("text", HARMLESS, ids=repr)
    def test_gives_back_what_it_was_given(self, text):
        assert read_csv(sheet([text, "x"], head=("a", "b")))[1] == [text, "x"]

    @pytest.mark.parametrize("part", [";", "\t", "\n", ";  ", ';"'], ids=repr)
    def test_guards_what_begins_a_cell_where_semicolons_part_them(self, part):
        assert read_csv(sheet([f"Ada{part}=1+1"]))[1] == [f"Ada{part}'=1+1"]

    def test_guards_the_head(self):
        assert read_csv(sheet(head=("=1",)))[0] == ["'=1"]

    def test_keeps_to_rfc_4180(self):
        assert "".join(csv_stream(sheet(['a"b', "c,d", "e\r\nf", None], head=("1", "2", "3", "4")))) == (
            '\ufeff1,2,3,4\r\n"a""b","c,d","e\r\nf",\r\n'
        )

    def test_writes_numbers_and_times_as_such(self):
        at = datetime(2026, 10, 25, 0, 30, 15, 999, tzinfo=UTC)
        assert read_csv(sheet([at, -3, Decimal("-1.50"), None], head="abcd"))[1] == [
            "2026-10-25 02:30:15",
            "-3",
            "-1.50",
            "",
        ]

    def test_replaces_what_no_file_can_hold(self):
        assert read_csv(sheet(["a\x00b\ud800"]))[1] == ["a\ufffdb\ufffd"]

    def test_asks_for_rows_as_they_are_wanted(self):
        asked = []

        def rows():
            for number in range(10 * AT_ONCE):
                asked.append(number)
                yield [str(number)]

        stream = csv_stream(Sheet("x", ["n"], rows(), BERLIN))
        next(stream)
        assert not asked
        next(stream)
        assert len(asked) <= AT_ONCE + 1

    @pytest.mark.parametrize("coding", ["identity", "gzip"])
    def test_says_so_when_it_breaks_in_the_middle(self, coding):
        """Granian ends such an answer as if it were whole."""

        def rows():
            yield from ([str(number)] for number in range(AT_ONCE + 5))
            raise RuntimeError("the database went away")

        request = RequestFactory().get("/", headers={"accept-encoding": coding})
        answer = GZipMiddleware(lambda _: response(Sheet("x", ["n"], rows(), BERLIN), "csv"))(request)
        sent = b"".join(answer.streaming_content)
        text = (gzip.decompress(sent) if coding == "gzip" else sent).decode()
        assert "THIS FILE IS NOT WHOLE" in text.splitlines()[-1]
        assert text.count("\n") < AT_ONCE + 5


class TestXlsx:
    @pytest.mark.parametrize("text", EVIL, ids=repr)
    def test_writes_text_that_stays_text(self, text):
        cell = written(sheet([text])).active["A2"]
        assert cell.data_type == "s"
        assert cell.value == text.replace("\r", "\n")  # as XML reads it
        assert cell.quotePrefix

    @pytest.mark.parametrize("text", [one for one in HARMLESS if one], ids=repr)
    def test_gives_back_what_it_was_given(self, text):
        cell = written(sheet([text])).active["A2"]
        assert (cell.value, cell.data_type) == (text, "s")

    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            ("a\x00b", "a\ufffdb"), ("\x01\x1f", "\ufffd\ufffd"), ("\ud800", "\ufffd"),
            ("\ufffe\uffff", "\ufffd\ufffd"), ("_x0041_", "_x005F_x0041_"),
        ],
        ids=repr,
    )  # fmt: skip
    def test_replaces_what_xml_cannot_hold(self, text, kept):
        assert written(sheet([text])).active["A2"].value == kept

    def test_writes_numbers_and_times_as_such(self):
        at = datetime(2026, 10, 25, 0, 30, 15, tzinfo=UTC)
        row = written(sheet([at, -3, Decimal("-1.50"), None], head="abcd")).active[2]
        assert [cell.value for cell in row] == [datetime(2026, 10, 25, 2, 30, 15), -3, -1.5, None]  # noqa: DTZ001
        assert row[0].is_date

    @pytest.mark.parametrize("number", [0, 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE + 7])
    def test_holds_every_row_once(self, number):
        page = written(sheet(*([str(n)] for n in range(number)))).active
        assert [cell.value for cell in page["A"]] == ["Name", *map(str, range(number))]
        assert page.freeze_panes == "A2"

    def test_gives_no_file_when_it_breaks_in_the_middle(self):
        before = set(Path(tempfile.gettempdir()).glob("openpyxl.*"))

        def rows():
            yield from ([str(number)] for number in range(AT_ONCE * 2))
            raise RuntimeError("the database went away")

        with pytest.raises(RuntimeError):
            response(Sheet("x", ["n"], rows(), BERLIN), "xlsx")
        assert set(Path(tempfile.gettempdir()).glob("openpyxl.*")) <= before

    def test_says_how_long_it_is_so_that_a_cut_download_shows(self):
        request = RequestFactory().get("/", headers={"accept-encoding": "gzip"})
        answer = GZipMiddleware(lambda _: response(sheet(["Ada"]), "xlsx"))(request)
        assert int(answer["Content-Length"]) == len(b"".join(answer.streaming_content))


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Spring opening guests", "Spring opening guests"),
        ("AC/DC: “Live”?", "AC DC “Live”"),
        ("../../etc/passwd", "etc passwd"),
        ("a\r\nSet-Cookie: b", "a Set-Cookie b"),
        ("gpj\u202eexe", "gpj exe"),
        ("夜の音楽会", "夜の音楽会"),
        ("...", "export"),
        ("x" * 500, "x" * 120),
    ],
)
def test_names_a_file_as_every_system_takes_it(name, kept):
    assert file_name(name) == kept


def test_says_its_name_in_every_script():
    said = response(Sheet("夜の音楽会", ["n"], [], BERLIN), "csv")["Content-Disposition"]
    assert said == "attachment; filename*=utf-8''%E5%A4%9C%E3%81%AE%E9%9F%B3%E6%A5%BD%E4%BC%9A.csv"
