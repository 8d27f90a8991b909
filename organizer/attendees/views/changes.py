"""What became of the rows that somebody has on screen: asked for by the list while it is open."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from organizer.accounts.access import READERS, OrganizationRequest, requires
from organizer.attendees import onscreen
from organizer.attendees.columns import APPROVALS, EVERYBODY, LISTS
from organizer.attendees.filters import Filters
from organizer.attendees.views.decisions import columns_on_screen
from organizer.events.queries import load_event
from organizer.kit.pages import page


@requires(*READERS)
@require_safe
def changes(request: OrganizationRequest) -> HttpResponse:
    """The rows that say something else by now, and how many guests the list has gained; nothing moves."""
    said, name = request.GET, request.GET.get("in", "")
    name = name if name in LISTS else EVERYBODY
    event_id = onscreen.key(said.get("event", ""))
    event = load_event(request.organization, event_id) if event_id else None
    known = int(said["known"][:9]) if said.get("known", "").isdecimal() else None
    status = "pending_approval" if name == APPROVALS else Filters.read(said).status
    context = {
        "rows": onscreen.changed(request.organization, name, said.getlist("row"), columns_on_screen(request, name)),
        "moved": onscreen.moved(request.organization, event, status, known),
        "list": name,
    }
    return page(request, "attendees/changes.html#guest-news", context)
