from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support import browsers
from tests.support.stack import Stack


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/browser/" in str(item.path):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with Stack() as running:
        running.wait_for_guests()
        running.take_deliveries()
        running.take_orders()
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with browsers.chromium() as running:
        yield running


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """No script error and no breach of the content security policy in any test that asks for this."""
    heard: list[str] = []
    yield heard
    assert heard == []
