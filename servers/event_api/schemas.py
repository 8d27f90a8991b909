"""Types that several nouns write and read."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from servers.event_api import times
from servers.event_api.errors import invalid

MAX_TEXT = 10_000
Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Link = Annotated[str, StringConstraints(max_length=2000, pattern=r"^https?://[^\s]+$")]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
Amount = Annotated[float, Field(ge=0, le=100_000_000, allow_inf_nan=False)]
Moment = Annotated[str, StringConstraints(pattern=times.PATTERN, max_length=40)]


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


def omitted() -> Any:
    """The default of a field that may be left out, but that is not null when it is there."""
    return Field(default=None, json_schema_extra=_without_default)


class Body(BaseModel):
    """A request body: strict in types, and in names."""

    model_config = ConfigDict(strict=True, extra="forbid")

    def sent(self) -> dict[str, Any]:
        """The fields that the request names, null or not."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class Problem(BaseModel):
    path: str
    message: str
    code: str


class Refusal(BaseModel):
    error: Annotated[str, Field(description="Stable: branch on it.")]
    message: Annotated[str, Field(description="For people; not part of the contract.")]
    details: Annotated[list[Problem], Field(description="What is wrong with the request, and where.")] = omitted()
    required_scope: Annotated[str, Field(description="What the key lacks, on 403.")] = omitted()
    sold_count: Annotated[int, Field(description="How many tickets are in the way, on 409.")] = omitted()
    request_id: Annotated[str, Field(description="Names the request in our logs, on 500.")] = omitted()


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
