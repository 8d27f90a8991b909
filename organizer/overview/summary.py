"""How healthy it is, in one line: all is well, or the first thing that is not, and the page that tells more."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.connections.models import Connection, Health
from organizer.connections.queries import notices
from organizer.overview.rules import Check
from organizer.sync.queries import Freshness


@dataclass(frozen=True)
class Summary:
    """`url` is empty where the person may see no page that tells more."""

    level: str
    text: str
    url: str = ""

    @property
    def ok(self) -> bool:
        return self.level == "ok"


def summary(
    organization: Organization,
    *,
    connections: Sequence[Connection],
    worker: Check,
    freshness: Freshness,
    is_admin: bool,
) -> Summary:
    """What keeps all from working before what only makes it late."""
    settings = reverse("connections:index", args=[organization.slug]) if is_admin else ""
    outbox = reverse("sync:outbox", args=[organization.slug]) if is_admin else ""
    for connection in connections:
        if connection.health == Health.KEY_REFUSED:
            return Summary("stop", _("The key was refused: nothing is read or sent."), settings)
    if not worker.ok:
        return Summary("warn", worker.words, outbox)
    for connection in connections:
        if connection.health == Health.UNREACHABLE:
            return Summary("warn", _("The event API does not answer. What you see is from before."), settings)
    if connections and (found := notices(organization, connections)):
        return Summary("warn", found[0].text, settings)
    if freshness.problem or (freshness.stale and freshness.read_at):
        return Summary("warn", freshness.problem or _("Events were not read for a while."), settings)
    health = reverse("overview:health", args=[organization.slug]) if is_admin else ""
    return Summary("ok", _("All is well: the event API answers, and the worker runs."), health)
