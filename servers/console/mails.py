"""The mailbox as its page shows it."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Count, F, QuerySet, Value, When
from django.utils.translation import gettext_lazy as _

from servers.jobs.models import Job
from servers.mail.models import OutgoingMail
from servers.organizations.models import Organization

PAGE = 50
STATES = {"sent": _("Sent"), "queued": _("Queued"), "failed": _("Failed")}
LARGEST_ID = 2**63 - 1
MailRow = Any
"""An OutgoingMail with `state` and `error` beside its own fields."""


@dataclass(frozen=True)
class Filter:
    state: str
    label: Any
    count: int


@dataclass(frozen=True)
class Page:
    mails: list[MailRow]
    older: int | None
    """The id that the next page is before; None on the last one."""


def of(organization: Organization) -> QuerySet[MailRow]:
    """Each mail with its `state`: a mail that never leaves is one whose job was given up."""
    state = Case(
        When(sent_at__isnull=False, then=Value("sent")),
        When(job__state=Job.State.FAILED, then=Value("failed")),
        default=Value("queued"),
    )
    rows: QuerySet[Any] = OutgoingMail.objects.filter(organization=organization)
    return rows.annotate(state=state, error=F("job__last_error"))


def filters(organization: Organization) -> list[Filter]:
    counts = dict(of(organization).order_by().values_list("state").annotate(Count("pk")))
    one_each = [Filter(state, label, counts.get(state, 0)) for state, label in STATES.items()]
    return [Filter("", _("All"), sum(counts.values())), *one_each]


def page(organization: Organization, *, state: str, before: str) -> Page:
    """Newest first. A filter or a place that does not exist is as if it were not given."""
    mails = of(organization).order_by("-pk")
    if state in STATES:
        mails = mails.filter(state=state)
    if before.isdecimal() and int(before) <= LARGEST_ID:
        mails = mails.filter(pk__lt=int(before))
    found = list(mails[: PAGE + 1])
    return Page(found[:PAGE], found[PAGE - 1].pk if len(found) > PAGE else None)
