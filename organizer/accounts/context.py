from typing import Any

from django.http import HttpRequest


def shell(request: HttpRequest) -> dict[str, Any]:
    """What the frame around every page needs."""
    return {
        "organization": getattr(request, "organization", None),
        "membership": getattr(request, "membership", None),
    }
