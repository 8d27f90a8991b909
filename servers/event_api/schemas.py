"""Types that several nouns write and read."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from servers.event_api import times
from servers.event_api.errors import invalid
from servers.kit import schemas
from servers.kit.schemas import Body, omitted

MAX_TEXT = 10_000
Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Link = Annotated[str, StringConstraints(max_length=2000, pattern=r"^https?://[^\s]+$")]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
Amount = Annotated[float, Field(ge=0, le=100_000_000, allow_inf_nan=False)]
Moment = Annotated[str, StringConstraints(pattern=times.PATTERN, max_length=40)]


class Refusal(schemas.Refusal):
    required_scope: Annotated[str, Field(description="What the key lacks, on 403.")] = omitted()
    sold_count: Annotated[int, Field(description="How many tickets are in the way, on 409.")] = omitted()


class Pagination(BaseModel):
    total: int
    page: int
    page_size: int
    total_pages: int


class Deleted(BaseModel):
    deleted: bool
    id: str


class DeletedAnswer(BaseModel):
    data: Deleted


class When(Body):
    """An instant and the zone that people there live by. `utc` without an offset is local time in the zone."""

    utc: Moment
    timezone: Annotated[str, StringConstraints(min_length=1, max_length=60)]

    def instant(self, path: str) -> datetime:
        try:
            zone = times.zone(self.timezone)
        except times.CouldNotRead as error:
            raise invalid(f"{path}.timezone", str(error), "timezone") from None
        try:
            return times.instant(self.utc, zone)
        except times.CouldNotRead as error:
            raise invalid(f"{path}.utc", str(error), "time") from None


class WhenAnswer(BaseModel):
    utc: str | None
    timezone: str | None
