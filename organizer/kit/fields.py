from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


class FoldedField(models.TextField):
    """Folded text that sorts by code point on both databases, so that a keyset cursor means the same on either."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("default", "")
        kwargs.setdefault("editable", False)
        super().__init__(*args, **kwargs)

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters
