import pytest

from tests.sync.scripted import Clock, Provider, Walking, make_connection


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def provider(clock):
    return Provider(clock)


@pytest.fixture
def connection(db):
    return make_connection()


@pytest.fixture
def walking(connection, provider):
    return Walking(connection, provider)
