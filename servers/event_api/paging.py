"""Page-based lists: `page` and `page_size` in, `pagination` out."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from pydantic import AfterValidator

from servers.event_api.errors import json_response
from servers.kit.paging import PageQuery


def one_of(*allowed: str) -> AfterValidator:
    """A comma-separated list of these words."""

    def check(text: str) -> str:
        if unknown := [word for word in text.split(",") if word not in allowed]:
            raise ValueError(f"Unknown: {', '.join(unknown)}. Known are: {', '.join(allowed)}.")
        return text

    return AfterValidator(check)


def list_pattern(*allowed: str) -> dict[str, str]:
    words = "|".join(allowed)
    return {"pattern": f"^({words})(,({words}))*$"}


def page_of_ids(rows: QuerySet[Any], query: PageQuery) -> tuple[list[str], int]:
    """The ids of a page, oldest first, and the total. Only ids, so that skipping rows stays inside an index."""
    total = rows.count()
    first = (query.page - 1) * query.page_size
    if first >= total:
        return [], total
    ordered = rows.order_by("created_at", "id").values_list("id", flat=True)
    return list(ordered[first : first + query.page_size]), total


def answer(items: Sequence[Any], query: PageQuery, total: int) -> HttpResponse:
    pagination = {
        "total": total,
        "page": query.page,
        "page_size": query.page_size,
        "total_pages": -(-total // query.page_size),
    }
    return json_response({"data": items, "pagination": pagination})
