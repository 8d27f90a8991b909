"""What is said of a ticket that somebody shows at a door, and what a text in the scanner's box is. Pure."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import unquote, urlsplit

JUST_NOW = timedelta(seconds=10)
LONGEST_CODE = 200
FEWEST_LETTERS = 2
SHORTEST_CODE = 8
NO_TICKET = ("wifi:", "begin:", "mailto:", "mecard:", "tel:", "sms:", "smsto:", "geo:", "data:", "javascript:")
"""What other QR codes begin with: networks, business cards, phone numbers."""


class Verdict(StrEnum):
    ADMITTED = "admitted"
    JUST_NOW = "just_now"
    ALREADY_IN = "already_in"
    RECORDED = "recorded"
    """Checked in at the provider, and nobody here knows by whom."""
    PENDING = "pending"
    INVITED = "invited"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    ODD = "odd"
    """A status that nobody has heard of."""
    OTHER_EVENT = "other_event"
    UNKNOWN = "unknown"
    NO_TICKET = "no_ticket"
    UNDONE = "undone"
    NOT_INSIDE = "not_inside"
    """Nothing to undo."""


USED = frozenset({Verdict.ALREADY_IN, Verdict.RECORDED})
"""Somebody is inside on this ticket."""
REFUSALS = USED | {
    Verdict.PENDING, Verdict.INVITED, Verdict.REJECTED, Verdict.CANCELLED, Verdict.ODD, Verdict.OTHER_EVENT,
    Verdict.UNKNOWN, Verdict.NO_TICKET,
}  # fmt: skip
"""A ticket was shown, and nobody came in by it."""


@dataclass(frozen=True)
class Inside:
    """Who let the guest in, when and where; `here` is the same person at the same door as who asks now."""

    at: datetime
    door: str
    by_name: str
    here: bool


@dataclass(frozen=True)
class Ticket:
    status: str
    gone: bool = False
    of_this_event: bool = True
    inside: Inside | None = None
    removed_here: bool = False
    """A check-in was taken back here; that the provider still shows it must not keep the guest outside."""


WAITING = {"pending_approval": Verdict.PENDING, "invited": Verdict.INVITED}


def verdict(ticket: Ticket | None, *, now: datetime) -> Verdict:
    """ADMITTED means that the guest may come in: the index of admissions has the last word."""
    if ticket is None:
        return Verdict.UNKNOWN
    if not ticket.of_this_event:
        return Verdict.OTHER_EVENT
    if ticket.inside:
        just_now = ticket.inside.here and now - ticket.inside.at <= JUST_NOW
        return Verdict.JUST_NOW if just_now else Verdict.ALREADY_IN
    if ticket.gone or ticket.status == "deleted":
        return Verdict.CANCELLED
    if ticket.status == "rejected":
        return Verdict.REJECTED
    if ticket.status == "checked_in":
        return Verdict.ADMITTED if ticket.removed_here else Verdict.RECORDED
    if ticket.status == "valid":
        return Verdict.ADMITTED
    return WAITING.get(ticket.status, Verdict.ODD)


def stripped(text: str) -> str:
    """As the scanner meant it: without the control characters that some send before and after."""
    if text.isascii() and text.isprintable():
        return text.strip()
    return "".join(one for one in text if unicodedata.category(one) not in ("Cc", "Cf", "Cs")).strip()


def codes(text: str) -> list[str]:
    """What a ticket's code may be in this text: all of it, or the last part of an address. Never opened as one."""
    text = stripped(text)
    found = [text] if 0 < len(text) <= LONGEST_CODE else []
    try:
        address = urlsplit(text)
    except ValueError:
        return found
    if address.scheme in ("http", "https"):
        last = stripped(unquote(address.path.rstrip("/").rpartition("/")[2]))
        found += [last] if 0 < len(last) <= LONGEST_CODE else []
    return found


def is_no_ticket(text: str) -> bool:
    """Another kind of QR code, or an address that names nothing: trying again does not help."""
    text = stripped(text)
    is_address = text.lower().startswith(("http://", "https://"))
    return len(text) > LONGEST_CODE or text.lower().startswith(NO_TICKET) or (is_address and len(codes(text)) < 2)


def reads_as_name(text: str) -> bool:
    """Something to search for rather than a code: letters without figures, or an e-mail."""
    text = stripped(text)
    if len(text) > LONGEST_CODE or "://" in text or is_no_ticket(text):
        return False
    letters = sum(one.isalpha() for one in text)
    return letters >= FEWEST_LETTERS and ("@" in text or not any(one.isdigit() for one in text))


def looks_like_a_code(text: str) -> bool:
    """One word of capitals and figures, as codes are: where nobody has that name it is a ticket that nobody knows."""
    text = stripped(text)
    return len(text) >= SHORTEST_CODE and text.isascii() and text.isalnum() and text == text.upper()


def masked(email: str) -> str:
    """`a…@example.org`: enough to tell two of one name apart."""
    name, at, host = email.rpartition("@")
    return f"{name[:1]}…@{host}" if at else ""
