"""Rows that look alike: rendered once for each look, and then filled in. Fifty of them are most of a list's time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

from django.template.context import Context
from django.template.loader import get_template, render_to_string
from django.utils.translation import get_language

from organizer.attendees import columns
from organizer.attendees.exports import Line
from organizer.attendees.rows import GuestRow
from organizer.kit.stencils import Stencil, mark

TEMPLATE, LINE = "attendees/_row.html", "attendees/_line.html"
GUEST, EVENT = uuid4(), uuid4()
"""An address takes keys and no marks: these stand where the row's own will."""
BLANKS: dict[str, Callable[[GuestRow], str]] = {
    "id": lambda row: str(row.guest.pk),
    "name": lambda row: row.guest.name,
    "email": lambda row: row.guest.email,
    "version": lambda row: row.version,
    "avatar": lambda row: row.avatar,
    "class": lambda row: row.guest.ticket_class_name,
    "shade": lambda row: str(row.shade),
    "event": lambda row: str(row.guest.event_id),
    "event_name": lambda row: row.guest.event.name,
    "registered": lambda row: row.registered,
    "registered_ago": lambda row: row.registered_ago,
    "arrived": lambda row: row.arrived,
}


@dataclass(frozen=True)
class Look:
    """All that decides how a row is made, and nothing of whose it is."""

    list: str
    columns: Sequence[str]
    texts: int
    status: str
    has_class: bool
    has_arrived: bool
    waits_for_answer: bool


def drawn(row: GuestRow, slug: str, *, may_manage: bool, context: Context) -> str:
    look = of(row)
    if look is None:
        with context.push(row=row, guest=row.guest):
            return get_template(TEMPLATE).template.render(context)  # type: ignore[attr-defined]
    stencil, names = _stencil(look, slug, may_manage, get_language())
    values = {name: BLANKS[name](row) for name in names}
    values |= {f"text_{number}": str(text) for number, text in enumerate(row.texts)}
    return stencil.filled(values)


def of(row: GuestRow) -> Look | None:
    """None for a row that is made one by one: something is under way or odd, or there is a word that we do not know."""
    guest = row.guest
    if guest.outbox or guest.gone_at or guest.doubts or not guest.name or guest.status not in columns.STATUSES:
        return None
    return Look(
        list=row.list,
        columns=tuple(row.columns),
        texts=len(row.texts),
        status=guest.status,
        has_class=bool(guest.ticket_class_name),
        has_arrived=guest.checked_in_at is not None,
        waits_for_answer=row.waits_for_answer,
    )


@lru_cache(500)
def _stencil(look: Look, slug: str, may_manage: bool, _language: str | None) -> tuple[Stencil, Sequence[str]]:
    context = {"organization": SimpleNamespace(slug=slug), "may_manage": may_manage}
    rendered = render_to_string(TEMPLATE, context | _stand_ins(look))
    stencil = Stencil.of(rendered.replace(str(GUEST), mark("id")).replace(str(EVENT), mark("event")))
    return stencil, [name for name in BLANKS if name in stencil.names]


def printed(line: Line) -> str:
    return _line(line.status == "checked_in", get_language()).filled(line._asdict())


@cache
def _line(has_come: bool, _language: str | None) -> Stencil:
    guest = Line(*map(mark, Line._fields))._replace(status="checked_in" if has_come else "")
    return Stencil.of(render_to_string(LINE, {"guest": guest}))


class StandIn(SimpleNamespace):
    def __getattr__(self, name: str) -> Any:
        """A template would show nothing, for every guest, and nobody would know."""
        if name.startswith("_") or name in ("resolve_expression", "as_sql"):
            raise AttributeError(name)
        raise NotImplementedError(f"{TEMPLATE} asks for {name}, which a look must know of")


def _stand_ins(look: Look) -> dict[str, StandIn]:
    guest = StandIn(
        id=GUEST, name=mark("name"), email=mark("email"), status=look.status, gone_at=None, event_id=EVENT,
        event=StandIn(name=mark("event_name")), ticket_class_name=mark("class"), checked_in_at=look.has_arrived,
    )  # fmt: skip
    row = StandIn(
        list=look.list, columns=look.columns, texts=[mark(f"text_{number}") for number in range(look.texts)],
        version=mark("version"), avatar=mark("avatar"), shade=mark("shade") if look.has_class else 0, oddities=0,
        registered=mark("registered"), registered_ago=mark("registered_ago"), arrived=mark("arrived"),
        is_open=False, failed=False, may_undo=False, waits_for_answer=look.waits_for_answer,
    )  # fmt: skip
    return {"guest": guest, "row": row}
