"""PostgreSQL's prepared statements, for what is said in the same words again and again."""

import re
from functools import lru_cache
from itertools import count
from typing import Any, Self

import psycopg


class PreparedCursor(psycopg.RawCursor[tuple[Any, ...]]):
    """Parsed once here, and parsed and planned once there, for each connection."""

    def execute(self, query: Any, params: Any = None, **_options: Any) -> Self:
        return super().execute(_numbered(query), params, prepare=True)


@lru_cache(500)
def _numbered(sql: str) -> bytes:
    """With PostgreSQL's own placeholders: `$1`, `$2`, …"""
    numbers = count(1)
    return re.sub("%s", lambda _found: f"${next(numbers)}", sql).encode()
