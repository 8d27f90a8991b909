from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.connections import actions, queries
from organizer.connections.models import Connection, Health
from organizer.upstream import errors
from tests.connections.conftest import OTHER_KEY

GONE = errors.Unreachable("It cannot be reached.")


def stored():
    return Connection.objects.get(live=True)


def texts(organization):
    return [notice.text for notice in queries.notices(organization)]


@pytest.fixture
def working(connection):
    Connection.objects.update(health=Health.WORKING, scopes={"events:read": "granted"})
    return stored()


@pytest.mark.parametrize(
    ("error", "health"),
    [
        (errors.KeyRefused("revoked"), Health.KEY_REFUSED),
        (GONE, Health.UNREACHABLE),
        (errors.Broken("500", 500), Health.UNREACHABLE),
        (errors.Forbidden("no"), Health.UNREACHABLE),
        (errors.NotYet(1), Health.WORKING),
        (errors.Limited(1), Health.WORKING),
        (errors.NotFound("gone"), Health.WORKING),
        (errors.Refused("no", 422, "no", []), Health.WORKING),
        (errors.InProgress("wait"), Health.WORKING),
    ],
)
def test_learns_from_an_error(working, error, health):
    actions.note_failure(connection=working, error=error)
    assert stored().health == health


def test_works_again_by_itself(working):
    actions.note_failure(connection=working, error=GONE)
    actions.note_success(connection=stored())
    assert (stored().health, stored().health_message) == (Health.WORKING, "")


def test_says_since_when(working):
    long_ago = timezone.now() - timedelta(hours=3)
    actions.note_failure(connection=working, error=GONE)
    Connection.objects.update(health_since=long_ago)
    actions.note_failure(connection=stored(), error=errors.Unreachable("another reason"))
    assert stored().health_since == long_ago
    assert stored().health_message == "another reason"


def test_writes_only_what_is_new(working, django_assert_num_queries):
    actions.note_failure(connection=working, error=GONE)
    known = stored()
    with django_assert_num_queries(0):
        actions.note_failure(connection=known, error=GONE)
    actions.note_success(connection=known)
    known = stored()
    with django_assert_num_queries(0):
        actions.note_success(connection=known, scope="events:read")


def test_hears_no_news_about_an_old_key(working):
    actions.replace_key(connection=working, key=OTHER_KEY, by=None)
    actions.note_failure(connection=working, error=errors.KeyRefused("the old one"))
    assert stored().health == Health.CHECKING


def test_keeps_a_refused_key_refused(working):
    actions.note_failure(connection=working, error=errors.KeyRefused("revoked"))
    actions.note_failure(connection=stored(), error=GONE)
    assert stored().health == Health.KEY_REFUSED
    assert not queries.is_usable(stored())


def test_learns_of_a_scope(working, organization):
    actions.note_failure(connection=working, error=errors.ScopeMissing("no", "attendees:read"))
    assert stored().scopes == {"events:read": "granted", "attendees:read": "denied"}
    assert not queries.may(stored(), "attendees:read")
    [text] = texts(organization)
    assert "attendees:read" in text
    actions.note_success(connection=stored(), scope="attendees:read")
    assert texts(organization) == []


def test_says_that_nothing_is_connected(organization):
    [notice] = queries.notices(organization)
    assert notice.fix_url_name == "connections:add"
    assert "Connect the event API" in notice.text


@pytest.mark.parametrize(
    ("error", "level", "words"),
    [(errors.KeyRefused("revoked"), "danger", "replace it here"), (GONE, "warning", "we keep trying")],
)
def test_says_what_to_do(working, organization, error, level, words):
    actions.note_failure(connection=working, error=error)
    [notice] = queries.notices(organization)
    assert notice.level == level
    assert words in notice.text
    assert notice.since == stored().health_since


def test_is_silent_when_all_is_well(working, organization):
    assert texts(organization) == []
