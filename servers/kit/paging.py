"""Lists by page: a page's number, and how much is on it."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

DEFAULT_SIZE, LARGEST = 50, 200


def _digits(text: Any) -> Any:
    if isinstance(text, str) and not (text.isascii() and text.isdecimal() and len(text) < 30):
        raise ValueError("A whole number is expected.")
    return text


class PageQuery(BaseModel):
    page: Annotated[int, Field(ge=1), BeforeValidator(_digits)] = 1
    page_size: Annotated[int, Field(ge=1, le=LARGEST), BeforeValidator(_digits)] = DEFAULT_SIZE
