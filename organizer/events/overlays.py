"""What a body that is on its way makes of the payload, until the API has answered. Pure."""

from typing import Any

from organizer.sync.rules import Json

FIRST = "_first"
"""Marks the ticket class that takes the place of the one that the API makes with an event."""
_ONLY_ASKED = ("location", "ticket_price")


def body(params: Json) -> dict[str, Any]:
    return {name: value for name, value in params.items() if not name.startswith("_")}


def event(params: Json) -> dict[str, Any]:
    """`location` is an address or a link, and is answered as a venue or a video link."""
    laid = {name: value for name, value in params.items() if name not in _ONLY_ASKED}
    location = params.get("location")
    if isinstance(location, str) and location.lower().startswith("https://"):
        laid |= {"location_type": "virtual", "video_link": location, "venue": None}
    elif isinstance(location, str):
        laid |= {"location_type": "physical", "venue": laid.get("venue") or {"address": location}}
    elif laid.get("venue"):
        laid |= {"location_type": "physical"}
    return laid
