"""`/listings`."""

from typing import Annotated

from django.http import HttpResponse
from ninja import Query
from pydantic import BaseModel, StringConstraints

from servers.kit import clock
from servers.kit.errors import json_response
from servers.kit.paging import PageQuery
from servers.kit.text import fold
from servers.supplier_api import shapes
from servers.supplier_api.middleware import ApiRequest
from servers.supplier_api.routes import Routes

router = Routes()
MOST_WORDS = 10


class ListingData(BaseModel):
    id: str
    event_name: str
    starts_at: str
    section: str
    price: float
    currency: str
    available: int
    ticket_type: str


class Meta(BaseModel):
    count: int
    page: int
    page_size: int
    total_pages: int


class ListingPage(BaseModel):
    data: list[ListingData]
    meta: Meta


class ListingQuery(PageQuery):
    q: Annotated[str, StringConstraints(max_length=200)] = ""


@router.read("/listings", answers=ListingPage)
def page(request: ApiRequest, query: Query[ListingQuery]) -> HttpResponse:
    """What is still to come, the soonest first. Each word of `q` is somewhere in the event's name or the section."""
    rows = request.supplier.listings.filter(starts_at__gt=clock.now())
    for word in fold(query.q.replace("\x00", " ")).split()[:MOST_WORDS]:
        rows = rows.filter(search__contains=word)
    count = rows.count()
    first = min((query.page - 1) * query.page_size, count)
    found = rows.order_by("starts_at", "id")[first : first + query.page_size]
    meta = {
        "count": count,
        "page": query.page,
        "page_size": query.page_size,
        "total_pages": -(-count // query.page_size),
    }
    return json_response({"data": [shapes.listing(row) for row in found], "meta": meta})
