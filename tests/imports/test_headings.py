import pytest

from organizer.imports import headings
from organizer.imports.headings import CLASS, EMAIL, FIRST, LAST, NAME
from organizer.imports.reading.table import Row, Table


def table(*header, rows=(("", "", ""),)):
    return Table(header, tuple(Row(n, tuple(cells)) for n, cells in enumerate(rows, 2)), {})


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        (["Email", "First name", "Last name"], (EMAIL, FIRST, LAST)),
        (["E-MAIL-ADRESSE:", "Vorname", "Nachname", "Kategorie"], (EMAIL, FIRST, LAST, CLASS)),
        (["Prénom", "Nom", "Courriel"], (FIRST, LAST, EMAIL)),
        (["Nombre", "Apellidos", "Correo electrónico"], (FIRST, LAST, EMAIL)),
        (["Имя", "Фамилия", "Эл. почта"], (FIRST, LAST, EMAIL)),
        (["氏名", "メールアドレス"], (NAME, EMAIL)),
        (["الاسم", "البريد الإلكتروني"], (NAME, EMAIL)),
        (["Name", "Mail", "Ticket type", "Table"], (NAME, EMAIL, CLASS, "")),
        (["Vorname", "Name", "E-Mail"], (FIRST, LAST, EMAIL)),
        (["first_name", "last-name", "e_mail"], (FIRST, LAST, EMAIL)),
        (["Nachname", "E-Mail"], (NAME, EMAIL)),
        (["Email", "Email", "Name"], (EMAIL, "", NAME)),
        (["Ad", "Soyad", "E-posta"], (FIRST, LAST, EMAIL)),
    ],
)
def test_are_read_in_many_languages(header, fields):
    assert headings.guess(table(*header, rows=[[""] * len(header)])) == fields


def test_a_column_of_addresses_needs_none():
    rows = [("Ada", "ada@mail.test"), ("Bo", "bo@mail.test"), ("Cy", "")]
    assert headings.guess(table("", "", rows=rows)) == ("", EMAIL)


def test_what_was_said_is_known_in_any_order_of_columns():
    said = headings.remember(("Who", "Where", "Where"), (NAME, EMAIL, ""))
    assert headings.digest(("Where", "Who", "Where")) == headings.digest(("Who", "Where", "Where"))
    assert headings.recall(("Where", "Who", "Where"), said) == (EMAIL, NAME, "")


def test_other_headings_are_not_those():
    assert headings.digest(("Who", "Where")) != headings.digest(("Who",))
