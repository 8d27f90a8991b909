"""`--tables-only`: on the second database, the tests that could tell it from the first.

A test that asks for no table of the dashboard's is the same on both. One that starts processes on a database of its
own says itself which that is, and is the same too.
"""

from collections.abc import Sequence

import pytest

TABLES = {"db", "transactional_db", "live_server", "django_db_setup", "django_db_serialized_rollback"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tables-only", action="store_true", help="leave out the tests that touch no table")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--tables-only"):
        return
    kept = [item for item in items if touches_a_table(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def touches_a_table(item: pytest.Item) -> bool:
    fixtures: Sequence[str] = getattr(item, "fixturenames", ())
    return item.get_closest_marker("django_db") is not None or not TABLES.isdisjoint(fixtures)
