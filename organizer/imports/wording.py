"""What is said of files, rows and columns."""

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from organizer.attendees.rules import in_words
from organizer.imports import headings
from organizer.imports.reading import MOST_BYTES, Unreadable
from organizer.imports.rules import Checked, Verdict

FIELDS = {
    "": gettext_lazy("Not used"),
    headings.EMAIL: gettext_lazy("E-mail"),
    headings.FIRST: gettext_lazy("First name"),
    headings.LAST: gettext_lazy("Last name"),
    headings.NAME: gettext_lazy("Whole name"),
    headings.CLASS: gettext_lazy("Ticket class"),
}
DELIMITERS = {
    ",": gettext_lazy("commas"),
    ";": gettext_lazy("semicolons"),
    "\t": gettext_lazy("tabs"),
    "|": gettext_lazy("bars"),
}
VERDICTS = {
    Verdict.ADD: gettext_lazy("Added"),
    Verdict.UPGRADE: gettext_lazy("Added, was invited"),
    Verdict.ANEW: gettext_lazy("Added anew"),
    Verdict.HAS_TICKET: gettext_lazy("Has a ticket"),
    Verdict.TWICE: gettext_lazy("Twice in the file"),
    Verdict.NO_EMAIL: gettext_lazy("No e-mail"),
    Verdict.BAD_EMAIL: gettext_lazy("Odd e-mail"),
    Verdict.BAD_NAME: gettext_lazy("Odd name"),
    Verdict.NO_CLASS: gettext_lazy("No such class"),
    Verdict.CLASS_FULL: gettext_lazy("Class full"),
    Verdict.EVENT_FULL: gettext_lazy("Event full"),
    Verdict.HEADING: gettext_lazy("Heading again"),
}
_UNREADABLE = {
    "too_big": gettext_noop("The file is larger than %(most_bytes)s MB. Split it, or save only what matters."),
    "too_big_unpacked": gettext_noop("The workbook is too large once it is unpacked. Save its sheet as CSV."),
    "empty": gettext_noop("There is nothing in the file."),
    "no_rows": gettext_noop("There are headings in the file, and no guests below them."),
    "old_excel": gettext_noop("This is an old Excel file, or one with a password. Save it as a new .xlsx, or as CSV."),
    "another_kind": gettext_noop("Whatever its name says, this is a %(kind)s file. A list of guests is CSV or XLSX."),
    "not_text": gettext_noop("Whatever its name says, this is no text. A list of guests is CSV or XLSX."),
    "not_a_table": gettext_noop("This is a text, but no table. A list of guests is CSV or XLSX."),
    "encoding": gettext_noop("Its letters are in no encoding that we know. Save it as CSV in UTF-8."),
    "cut_off": gettext_noop("The file ends in the middle of a letter: it was cut off. Send it again whole."),
    "broken_sheet": gettext_noop("The workbook is damaged and cannot be read. Open it, and save it anew."),
    "open_quote": gettext_noop("A quotation mark is opened and never closed: nobody knows where its cell ends."),
    "too_many_rows": gettext_noop("There are more than %(most)s guests in the file. Split it."),
    "too_many_lines": gettext_noop("There are more than %(most)s lines, most of them empty. Delete the empty ones."),
    "too_many_columns": gettext_noop("Row %(row)s has more than %(most)s columns."),
}
_NAMES = {
    "too_long": gettext_noop("A name has 120 characters at the most"),
    "formula": gettext_noop("The name is a formula"),
    "error": gettext_noop("The name is an error of the spreadsheet"),
    "lines": gettext_noop("The name has several lines"),
}
_WHY = {
    Verdict.HAS_TICKET: gettext_noop("This address has a ticket already (%(status)s)"),
    Verdict.TWICE: gettext_noop("The same address as in row %(detail)s"),
    Verdict.NO_EMAIL: gettext_noop("There is no e-mail address"),
    Verdict.BAD_EMAIL: gettext_noop("“%(email)s” is no e-mail address"),
    Verdict.NO_CLASS: gettext_noop("There is no ticket class “%(detail)s”"),
    Verdict.CLASS_FULL: gettext_noop("No place is left in “%(detail)s”"),
    Verdict.EVENT_FULL: gettext_noop("No place is left at the event"),
    Verdict.HEADING: gettext_noop("These are the headings again"),
    Verdict.UPGRADE: gettext_noop("Was invited"),
    Verdict.ANEW: gettext_noop("Was %(status)s before"),
}


def unreadable(error: Unreadable) -> str:
    numbers = {name: _said(value) for name, value in error.values.items()}
    return _(_UNREADABLE[error.why]) % ({"most_bytes": MOST_BYTES // 1024 // 1024} | numbers)


def why(one: Checked) -> str:
    """Why the row is refused, or what is to be known of it though it is not; "" where there is nothing to say."""
    if one.verdict is Verdict.BAD_NAME:
        return _(_NAMES[one.detail])
    if one.verdict is Verdict.NO_CLASS and not one.detail:
        return _("No ticket class is named")
    if one.verdict is Verdict.ADD:
        return ""
    said = {"detail": one.detail[:80], "email": one.email[:80], "status": in_words(one.detail)}
    return _(_WHY[one.verdict]) % said


def how(found: Mapping[str, Any]) -> str:
    """How the file was read, in a sentence."""
    if "sheet" in found:
        if found["sheets"] > 1:
            words = {"sheet": found["sheet"], "sheets": found["sheets"]}
            return _("The sheet “%(sheet)s”, the first of %(sheets)s, was read.") % words
        return _("The sheet “%(sheet)s” was read.") % {"sheet": found["sheet"]}
    between = DELIMITERS.get(found["delimiter"], found["delimiter"])
    return _("Read as text with %(between)s between the columns.") % {"between": between}


def _said(value: Any) -> Any:
    return number_format(value, force_grouping=True) if isinstance(value, int) else value
