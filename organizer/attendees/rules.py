"""What an attendee's payload means: the columns we filter, sort and search on."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from organizer.kit.text import SORT_LENGTH, fold
from organizer.sync.rules import NO_BREAK, Json, lay_over, moment, part, text

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
SLOT = timedelta(minutes=5)
STATUS_LENGTH = 60
SEARCH_LENGTH = 2_000


@dataclass(frozen=True)
class AttendeeColumns:
    ticket_class_name: str
    status: str
    first_name: str
    last_name: str
    name: str
    sort_name: str
    email: str
    company: str
    barcode: str
    registered_at: datetime
    checked_in_at: datetime | None
    door: str
    upgrade: str
    search: str


def effective(payload: Json, commands: Iterable[Json] = ()) -> AttendeeColumns:
    layers = list(commands)
    guest = lay_over(payload, layers)
    first, last, email = (text(guest.get(field)) for field in ("first_name", "last_name", "email"))
    name = " ".join(f"{first} {last}".split()) or email
    company, barcode = text(guest.get("company")), text(guest.get("barcode"))
    return AttendeeColumns(
        ticket_class_name=text(guest.get("ticket_class_name")),
        status=text(guest.get("status"), STATUS_LENGTH),
        first_name=first,
        last_name=last,
        name=name,
        sort_name=fold(name)[:SORT_LENGTH],
        email=email,
        company=company,
        barcode=barcode,
        registered_at=moment(guest.get("created_at")) or LONG_AGO,
        checked_in_at=moment(guest.get("checked_in_at")),
        door=text(lay_over({}, layers).get("door")),  # ours: whatever a provider calls so is another thing
        upgrade=text(part(guest.get("upgrade")).get("status"), STATUS_LENGTH),
        search=search_text(name, email, company, barcode),
    )


def search_text(name: str, email: str, company: str, barcode: str) -> str:
    """Folded, for LIKE: each part of the name after a space, then e-mail, company and code each after a line break.

    So `'% lu%'` finds prefixes of name parts only, and `'%luc%'` finds all. A space outside of the name is stored
    as U+00A0; a search of several words looks for both spellings: `'%acme gmbh%'` and `'%acme<U+00A0>gmbh%'`.
    """
    others = (fold(value).replace(" ", NO_BREAK) for value in (email, company, barcode))
    return "\n".join([f" {fold(name)}", *others])[:SEARCH_LENGTH]


def slot(at: datetime) -> datetime:
    """When the five minutes began that arrivals are counted by: of moments, so that an hour that comes twice is two."""
    return at - (at - LONG_AGO) % SLOT


def slot_of(status: str, checked_in_at: datetime | None) -> datetime | None:
    return slot(checked_in_at) if status == "checked_in" and checked_in_at else None


WAITS = frozenset({"pending_approval", "invited"})
DECISIONS = ("approve", "reject", "return", "delete")


def refusal(kind: str, status: str) -> str:
    """Why a decision about a guest of this status is of no use, in words; "" where the API is to be asked."""
    match kind:
        case "attendees.approve" if status in ("valid", "checked_in"):
            return "is going already"
        case "attendees.approve" if status not in WAITS:
            return f"is {in_words(status)}, and only who waits can be approved"
        case "attendees.reject" if status != "pending_approval":
            return f"is {in_words(status)}, and only who waits can be rejected"
        case "attendees.return" if status != "valid":
            return f"is {in_words(status)}, and only who is going can return to the queue"
        case "attendees.delete" if status == "deleted":
            return "is deleted already"
    return ""


def possible(status: str) -> tuple[str, ...]:
    """The decisions that make sense about a guest of this status, the likeliest first."""
    return tuple(kind for kind in DECISIONS if not refusal(f"attendees.{kind}", status))


def in_words(status: str) -> str:
    """As the screens say it."""
    known = {"valid": "going", "checked_in": "checked in", "pending_approval": "pending"}
    return known.get(status, status.replace("_", " ") or "without a status")
