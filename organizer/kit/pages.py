"""How a view answers: a whole page, or the part of it that htmx is about to replace."""

import json
import re
from collections.abc import Collection
from hashlib import blake2b
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag

_CHANGES_BY_ITSELF = re.compile(r'(<time[^>]* data-ago>)[^<]*|(name="csrfmiddlewaretoken" value=")[^"]*')
"""What a script keeps true while the page is open, and the token that is written another way each time."""


def page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any] | None = None,
    *,
    partials: Collection[str] = (),
    status: int = 200,
) -> HttpResponse:
    """Renders `template`, or its partial of htmx's target's name where `partials` offers it.

    The name comes from this list and never from the address. A history restore gets the whole page.
    A part is told by its tag, so that whoever polls it is not sent again what stands there already.
    """
    htmx = request.htmx  # type: ignore[attr-defined]
    if htmx and not htmx.history_restore_request and htmx.target in partials:
        template = f"{template}#{htmx.target}"
    response = render(request, template, context, status=status)
    response.setdefault("Cache-Control", "no-store")
    return unless_known(request, response) if "#" in template and status == 200 else response


def unless_known(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """304 without a body where the browser names this part's tag (static/js/live.js)."""
    essence = _CHANGES_BY_ITSELF.sub(r"\1\2", response.content.decode())
    tag = response["ETag"] = quote_etag(blake2b(essence.encode(), digest_size=16).hexdigest())
    answer: HttpResponseBase | None = get_conditional_response(request, etag=tag, response=response)
    return answer if isinstance(answer, HttpResponse) else response


def done(request: HttpRequest, *events: str, toast: str = "", level: str = "") -> HttpResponse:
    """204 with the facts that happened; who cares re-fetches itself. `toast` is said to the person; "error" stays."""
    response = HttpResponse(status=204)
    triggers: dict[str, Any] = dict.fromkeys(events, True)
    if toast:
        triggers["toast"] = {"text": toast, "level": level}
    response["HX-Trigger"] = json.dumps(triggers)
    return response


def say(response: HttpResponse, text: str, level: str = "info") -> None:
    """A toast for the person, beside whatever the answer swaps."""
    said = json.loads(response.get("HX-Trigger", "{}"))
    response["HX-Trigger"] = json.dumps(said | {"toast": {"text": text, "level": level}})
