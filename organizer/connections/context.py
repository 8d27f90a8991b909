from typing import Any

from django.http import HttpRequest


def notices(request: HttpRequest) -> dict[str, Any]:
    """Banners about connections: what is wrong and what to do about it."""
    return {"notices": []}
