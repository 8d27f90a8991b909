"""One organization with a key that may do everything, and a client that speaks for it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoDbBlocker

from servers.event_api.models import Event, TicketClass
from servers.organizations import actions, scopes
from servers.organizations.models import Organization
from servers.tests import factories, live
from tests.support import migrated, static

BASE = "/api/v1"


class Api:
    """The API as a caller sees it, with one key."""

    base = BASE

    def __init__(self, secret: str | None) -> None:
        self.secret = secret
        self.client = Client(raise_request_exception=False)

    def credential(self) -> dict[str, str]:
        return {"X-API-KEY": self.secret} if self.secret else {}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        sent = self.credential() | {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
        return self.client.generic(method, self.base + path, data, content_type="application/json", headers=sent)

    def get(self, path: str, **headers: str) -> Any:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.call("DELETE", path, **headers)


@pytest.fixture(scope="session", autouse=True)
def static_files() -> Iterator[None]:
    with static.collected():
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: DjangoDbBlocker, django_db_modify_db_settings: None
) -> None:
    with django_db_blocker.unblock():
        migrated.point(connection, "servers")


@pytest.fixture
def organization(db: None) -> Organization:
    return actions.organization_named(slug="olive", name="Olive's events")


@pytest.fixture
def stranger(db: None) -> Organization:
    return actions.organization_named(slug="sam", name="Sam's events")


@pytest.fixture
def api(organization: Organization) -> Api:
    return api_for(organization)


@pytest.fixture
def event(organization: Organization) -> Event:
    return factories.event(organization)


@pytest.fixture
def ticket_class(event: Event) -> TicketClass:
    return factories.ticket_class(event)


@pytest.fixture(scope="session")
def urls(django_db_setup: None) -> Iterator[list[str]]:
    """Two server processes on the test's database, for tests that are marked `transaction=True`."""
    with live.two_servers() as started:
        yield started


def api_for(organization: Organization, *granted: str, limit: str = "100000/10") -> Api:
    wanted = list(granted or scopes.ALL)
    return Api(actions.create_key(organization=organization, scopes=wanted, limit=limit).secret)
