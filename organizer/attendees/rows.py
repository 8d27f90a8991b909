"""What a guest's row says and offers, wherever it is shown."""

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from organizer.attendees import columns, rules
from organizer.attendees.columns import EVERYBODY
from organizer.attendees.models import Attendee
from organizer.attendees.rules import LONG_AGO
from organizer.kit.templatetags import ui

HUES = 5
ASK_AFTER = (300, 600, 1_000, 2_000, 5_000)
"""Milliseconds after which a row that is being sent asks what became of it, the first time, the second time …"""
ASK_SELDOM, SELDOM_AFTER = 15_000, 12
MANY_OPEN = 5
"""More rows than this on one page do not all ask in the first second."""
GENTLY = 5_000
LATE = 15.0


@dataclass(frozen=True)
class GuestRow:
    guest: Attendee
    list: str = EVERYBODY
    """Which list it stands in: their columns differ."""
    asked: int = 0
    """How often it has asked for itself since it is being sent."""
    chosen: Sequence[str] = ()
    """The columns that the list shows; none is its usual ones."""

    @property
    def columns(self) -> Sequence[str]:
        return self.chosen or columns.USUAL[self.list]

    @property
    def width(self) -> int:
        """Cells from the name's on."""
        return len(self.columns) + 2

    @property
    def texts(self) -> Sequence[object]:
        """The cells that are text alone, in their order."""
        plain = (columns.BY_KEY[key] for key in self.chosen)
        return [column.of(self.guest) or "" for column in plain if column.plain]

    @property
    def registered_at(self) -> datetime | None:
        return self.guest.registered_at if self.guest.registered_at != LONG_AGO else None

    @property
    def avatar(self) -> str:
        return ui.avatar(self.guest.name or self.guest.email)

    @property
    def registered(self) -> str:
        return ui.day_time(self.registered_at)

    @property
    def registered_ago(self) -> str:
        return ui.ago(self.registered_at)

    @property
    def arrived(self) -> str:
        return ui.day_time(self.guest.checked_in_at)

    @property
    def oddities(self) -> int:
        return len(self.guest.doubts)

    @property
    def shade(self) -> int:
        """The colour of its class: the same on every page; 0 is none."""
        name = self.guest.ticket_class_name
        return zlib.crc32(name.encode(errors="replace")) % HUES + 1 if name else 0

    @property
    def state(self) -> str:
        return str(self.guest.outbox.get("state", ""))

    @property
    def kind(self) -> str:
        return str(self.guest.outbox.get("kind", "")).removeprefix("attendees.")

    @property
    def may_resend(self) -> bool:
        return bool(self.guest.remote_id) and self.guest.gone_at is None and self.guest.status != "deleted"

    @property
    def is_unmade(self) -> bool:
        """Added here, and not taken by the API."""
        return self.guest.remote_id is None and self.failed

    @property
    def seq(self) -> int:
        return int(self.guest.outbox.get("seq", 0))

    @property
    def version(self) -> str:
        """Another where the row would say something else: a page on screen asks what became of it."""
        guest = self.guest
        shown = (
            guest.status, guest.gone_at, guest.outbox, guest.name, guest.email, guest.ticket_class_name,
            guest.registered_at, guest.checked_in_at, self.oddities,
        )  # fmt: skip
        return f"{zlib.crc32(repr(shown).encode(errors='replace')):08x}"

    @property
    def is_open(self) -> bool:
        return self.state in ("waiting", "sending")

    @property
    def failed(self) -> bool:
        return self.state in ("refused", "parked", "unrecorded")

    @cached_property
    def _left(self) -> float:
        due = parse_datetime(str(self.guest.outbox.get("due", ""))) or datetime.min.replace(tzinfo=UTC)
        return (due - timezone.now()).total_seconds() if self.is_open else 0.0

    @property
    def may_undo(self) -> bool:
        return self.state == "waiting" and self.kind in rules.DECISIONS

    @property
    def seconds_left(self) -> int:
        return max(0, math.ceil(self._left))

    @property
    def is_held(self) -> bool:
        """Due for a while, and nobody sends it."""
        return self.state == "waiting" and self._left < -LATE

    @property
    def ask_in(self) -> int:
        """Milliseconds until it asks what has become of it; 0 is never."""
        if not self.is_open:
            return 0
        if self._left > 0:
            return min(int(self._left * 1000) + ASK_AFTER[0], GENTLY)
        if self.asked >= SELDOM_AFTER:
            return ASK_SELDOM
        return ASK_AFTER[min(self.asked, len(ASK_AFTER) - 1)]

    @property
    def asks(self) -> int:
        return self.asked if self._left > 0 else self.asked + 1

    @property
    def decisions(self) -> Sequence[str]:
        """What may be decided about the guest as it stands."""
        return rules.possible(self.guest.status) if self.guest.gone_at is None else ()

    @property
    def waits_for_answer(self) -> bool:
        return not self.is_open and self.guest.status == "pending_approval" and self.guest.gone_at is None


def rows_of(guests: Sequence[Attendee], list: str, chosen: Sequence[str] = ()) -> Sequence[GuestRow]:  # noqa: A002 - as on the row
    open_ones = sum(guest.outbox.get("state") in ("waiting", "sending") for guest in guests)
    asked = 0 if open_ones <= MANY_OPEN else SELDOM_AFTER
    return [GuestRow(guest, list, asked, chosen) for guest in guests]
