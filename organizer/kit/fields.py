from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


class ByCodePoint(models.Field):
    """Sorts by code point on both databases, so that a cursor and a beginning mean the same on either."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters


class PlainField(ByCodePoint, models.CharField):
    """Text of machines: a reference, an event's name."""


class FoldedField(ByCodePoint, models.TextField):
    """Folded text."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("default", "")
        kwargs.setdefault("editable", False)
        super().__init__(*args, **kwargs)
