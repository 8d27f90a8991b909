"""Page-based lists: `page` and `page_size` in, `pagination` out."""

from collections.abc import Sequence
from typing import Annotated, Any

from django.db.models import QuerySet
from django.http import HttpResponse
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from servers.event_api.errors import json_response

DEFAULT_SIZE, LARGEST = 50, 200


def _digits(text: Any) -> Any:
    if isinstance(text, str) and not (text.isascii() and text.isdecimal() and len(text) < 30):
        raise ValueError("A whole number is expected.")
    return text


class PageQuery(BaseModel):
    page: Annotated[int, Field(ge=1), BeforeValidator(_digits)] = 1
    page_size: Annotated[int, Field(ge=1, le=LARGEST), BeforeValidator(_digits)] = DEFAULT_SIZE


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
