from collections.abc import Iterator
from copy import deepcopy

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from tests.support import migrated, pages, redis, static
from tests.support.cast import Cast, gather
from tests.support.event_server import EventServer
from tests.support.faults import FaultServer


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session", autouse=True)
def static_files() -> Iterator[None]:
    with static.collected():
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    with override_settings(PASSWORD_HASHERS=["tests.support.hashers.QuickHasher", *settings.PASSWORD_HASHERS]):
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """A test's data need not outlive a power cut; PostgreSQL runs without fsync here too (tests.support.postgres)."""
    options = connection.settings_dict["OPTIONS"]
    if connection.vendor == "sqlite":
        options["init_command"] = options["init_command"].replace("synchronous=FULL", "synchronous=OFF")


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: DjangoDbBlocker, django_db_modify_db_settings: None
) -> None:
    with django_db_blocker.unblock():
        migrated.point(connection, "dashboard")


@pytest.fixture
def cast(db: None) -> Cast:
    return gather()


@pytest.fixture(scope="module")
def furnished(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[pages.Place]:
    with django_db_blocker.unblock(), pages.undone():
        yield pages.furnish(gather())


@pytest.fixture
def place(furnished: pages.Place) -> Iterator[pages.Place]:
    """An organization with one of everything. It is made once for a module, and what a test changes is taken back."""
    with pages.undone():
        yield deepcopy(furnished)


@pytest.fixture(scope="session")
def event_server() -> Iterator[EventServer]:
    """One server for the whole run; a test takes an organization and a key of its own."""
    with EventServer() as server:
        yield server


@pytest.fixture
def fault_server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with redis.running() as url:
        yield url
