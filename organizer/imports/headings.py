"""Which column is what, guessed from its heading in several languages, and from what stands in it. Pure."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from organizer.imports.reading.table import Table
from organizer.kit.text import fold

EMAIL, FIRST, LAST, NAME, CLASS = "email", "first_name", "last_name", "name", "ticket_class"
FIELDS = (EMAIL, FIRST, LAST, NAME, CLASS)
MOSTLY = 0.6

_WORDS = {
    EMAIL: """email, e-mail, mail, email address, e-mail address, mailadresse, e-mail-adresse, email adresse,
        adresse email, adresse e-mail, adresse mail, courriel, correo, correo electronico, direccion
        de correo, e-mailadres, epost, e-post, epostadress, e-postadresse, sahkoposti, indirizzo
        email, posta elettronica, adres e-mail, endereco de email, e-posta, почта, эл. почта,
        электронная почта, пошта, електронна пошта, メール, メールアドレス, 邮箱, 电子邮件, 电子邮箱, 郵箱, 이메일,
        البريد الإلكتروني, דואל, דוא"ל, אימייל, ईमेल""",
    FIRST: """first name, firstname, first, given name, given names, forename, vorname, rufname, prenom, nombre,
        nombres, nome proprio, primeiro nome, voornaam, fornamn, fornavn, etunimi, imie, jmeno,
        krestni jmeno, keresztnev, ime, prenume, ad, adi, имя, ім'я, όνομα, 名, 이름, الاسم الأول, שם
        פרטי""",
    LAST: """last name, lastname, last, surname, family name, familyname, nachname, familienname, zuname, nom de
        famille, nom, apellido, apellidos, cognome, sobrenome, apelido, ultimo nome, achternaam,
        efternamn, etternavn, efternavn, sukunimi, nazwisko, prijmeni, priezvisko, vezeteknev,
        prezime, nume, soyad, soyadi, фамилия, прізвище, επώνυμο, 姓, 성, اسم العائلة, שם משפחה""",
    NAME: """name, full name, fullname, guest, guest name, attendee, attendee name, participant, gast,
        teilnehmer, teilnehmerin, vollstandiger name, vor- und nachname, nom complet, invite, nombre
        completo, nombre y apellidos, nome, nome completo, nome e cognome, volledige naam, naam,
        namn, navn, nimi, imie i nazwisko, фио, полное имя, піб, 氏名, 名前, お名前, 姓名, 이름 (전체), الاسم,
        الاسم الكامل, שם, שם מלא, नाम""",
    CLASS: """ticket, ticket class, ticket type, ticket name, class, category, pass, ticketart, tickettyp,
        ticketkategorie, kategorie, karte, billet, type de billet, categorie, entrada, tipo de
        entrada, categoria, biglietto, tipo di biglietto, ingresso, bilhete, tickettype, biljett,
        biljettyp, billett, billettype, lippu, bilet, rodzaj biletu, vstupenka, jegy, билет, тип
        билета, квиток, チケット, 券種, 票种, 票種, 티켓, التذكرة, כרטיס""",
}


def _plain(heading: str) -> str:
    return " ".join(re.sub(r"[^\w']+", " ", fold(heading)).replace("_", " ").split())


_KNOWN = {_plain(word): field for field, words in _WORDS.items() for word in words.split(",")}


def guess(table: Table) -> tuple[str, ...]:
    """A field for each column, "" for what is not used; each field once."""
    fields: list[str] = []
    for heading in table.header:
        field = _KNOWN.get(_plain(heading), "")
        fields.append(field if field not in fields else "")
    if EMAIL not in fields and (column := _of_addresses(table)) is not None:
        fields[column] = EMAIL
    if NAME in fields and FIRST in fields and LAST not in fields:  # a "name" beside a first name is the last one
        fields[fields.index(NAME)] = LAST
    if NAME in fields and LAST in fields and FIRST not in fields:
        fields[fields.index(NAME)] = FIRST
    if LAST in fields and not {FIRST, NAME} & set(fields):
        fields[fields.index(LAST)] = NAME
    return tuple(fields)


def keys(header: Sequence[str]) -> tuple[str, ...]:
    """Each heading in a spelling of its own, so that two of one name can be told apart."""
    seen: Counter[str] = Counter()
    named = []
    for heading in header:
        plain = _plain(heading)
        seen[plain] += 1
        named.append(f"{plain}#{seen[plain]}")
    return tuple(named)


def digest(header: Sequence[str]) -> str:
    """The same for the same headings in whatever order."""
    return hashlib.sha256("\n".join(sorted(keys(header))).encode()).hexdigest()


def remember(header: Sequence[str], fields: Sequence[str]) -> dict[str, str]:
    return {key: field for key, field in zip(keys(header), fields, strict=True) if field}


def recall(header: Sequence[str], known: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(known.get(key, "") for key in keys(header))


def _of_addresses(table: Table) -> int | None:
    rows = table.rows[:200]
    shares = [sum("@" in row.cells[column] for row in rows) / len(rows) for column in range(len(table.header))]
    best = max(range(len(shares)), key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] >= MOSTLY else None
