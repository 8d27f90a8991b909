"""A verdict as it is sent to an open desk: itself and its line in the list, and nothing else of the page."""

from functools import cache, lru_cache
from types import SimpleNamespace
from uuid import UUID

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language

from organizer.accounts.models import Organization
from organizer.attendees.verdicts import Verdict
from organizer.door.queries import ScanRow
from organizer.door.rules import look
from organizer.door.words import WORDS
from organizer.kit.stencils import Stencil, mark

TEMPLATE = "door/_answer.html"


def answer(row: ScanRow, organization: Organization, *, may_manage: bool) -> str:
    scan = row.scan
    undo_url = _undo_url(organization.slug, scan.event_id)
    if row.may_undo and row.name:
        return _welcome(get_language()).filled(
            {
                "name": row.name,
                "class": scan.said["class"],
                "clock": row.clock,
                "instant": row.instant,
                "undo_url": undo_url,
                "next_id": str(row.next_id),
                "admission_id": str(row.admission_id),
            }
        )
    context = {
        "row": row, "event_id": scan.event_id, "organization": organization, "undo_url": undo_url,
        "may_manage": may_manage,
    }  # fmt: skip
    return render_to_string(TEMPLATE, context)


@cache
def _welcome(_language: str | None) -> Stencil:
    """Whoever is let in: nine of ten scans, in a rush. A test holds that it says what the template says."""
    verdict = Verdict.ADMITTED
    row = SimpleNamespace(
        scan=SimpleNamespace(verdict=verdict, said={"name": mark("name"), "class": mark("class")}),
        look=look(verdict), word=str(WORDS[verdict]), name=mark("name"), clock=mark("clock"), instant=mark("instant"),
        may_undo=True, next_id=mark("next_id"), admission_id=mark("admission_id"),
    )  # fmt: skip
    return Stencil.of(render_to_string(TEMPLATE, {"row": row, "undo_url": mark("undo_url")}))


@lru_cache(1000)
def _undo_url(slug: str, event_id: UUID) -> str:
    return reverse("door:undo", args=[slug, event_id])
