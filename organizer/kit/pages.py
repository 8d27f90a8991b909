"""How a view answers: a whole page, or the part of it that htmx is about to replace."""

import json
from collections.abc import Collection
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


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
    """
    htmx = request.htmx  # type: ignore[attr-defined]
    if htmx and not htmx.history_restore_request and htmx.target in partials:
        template = f"{template}#{htmx.target}"
    response = render(request, template, context, status=status)
    response.setdefault("Cache-Control", "no-store")
    return response


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
