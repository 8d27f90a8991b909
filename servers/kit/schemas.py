"""Types that several APIs write and read."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field


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
    request_id: Annotated[str, Field(description="Names the request in our logs, on 500.")] = omitted()
