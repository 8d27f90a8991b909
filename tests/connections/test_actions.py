import pytest

from organizer.accounts.models import AuditEntry, Organization
from organizer.connections import actions, queries, vault
from organizer.connections.models import Connection, Health
from tests.connections.conftest import KEY, OTHER_KEY, URL


def test_keeps_the_key_sealed(connection):
    stored = Connection.objects.get()
    assert KEY.encode() not in bytes(stored.ciphertext)
    assert vault.opened(stored) == KEY
    assert (stored.key_prefix, stored.key_last4, stored.health) == ("evt_live_aaa", "aaaa", Health.CHECKING)


def test_says_who_did_it(cast):
    actions.add(organization=cast.organization, service="events", url=URL, key=KEY, by=cast.olive)
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.by, entry.organization) == ("connection.added", cast.olive, cast.organization)
    assert entry.after == {"service": "events", "url": URL, "key": "evt_live_aaa…aaaa"}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"url": "nowhere"}, "url"),
        ({"url": "https://x/" + "y" * 500}, "url"),
        ({"key": "  "}, "key"),
        ({"key": "evt_live_with space"}, "key"),
        ({"service": "fax"}, "service"),
    ],
)
def test_names_the_field_that_is_wrong(add, changed, field):
    with pytest.raises(actions.CouldNotConnect) as problem:
        add(**changed)
    assert problem.value.field == field
    assert not Connection.objects.exists()


@pytest.mark.parametrize("url", ["http://api.example.test", "https://127.0.0.1", "https://localhost"])
def test_goes_to_no_private_address_where_that_is_off(add, settings, url):
    settings.FOYER_ALLOW_PRIVATE_ADDRESSES = False
    with pytest.raises(actions.CouldNotConnect, match="public addresses"):
        add(url=url)


def test_has_one_live_connection_for_a_service(add, organization):
    first, second = add(), add(url="http://localhost:8002/api/v1")
    assert first.pk != second.pk
    assert queries.live(organization, "events") == second
    assert Connection.objects.filter(live=True).count() == 1


def test_comes_back_to_an_address_with_its_mirror(add, organization):
    first = add()
    add(url="http://localhost:8002/api/v1")
    assert add(key=OTHER_KEY) == first
    assert queries.live(organization, "events") == first
    assert vault.opened(queries.live(organization, "events")) == OTHER_KEY


def test_takes_the_same_address_for_a_new_key(add, connection):
    assert add(key=OTHER_KEY) == connection
    assert AuditEntry.objects.latest("id").verb == "connection.replaced_key"


def test_keeps_services_and_organizations_apart(add, connection):
    elsewhere = Organization.objects.create(slug="elsewhere", name="Elsewhere")
    assert len({connection, add(service="cloud"), add(organization=elsewhere)}) == 3
    assert Connection.objects.filter(live=True).count() == 3


def test_replaces_a_key_and_tries_it_again(connection):
    Connection.objects.update(health=Health.KEY_REFUSED, health_message="revoked", scopes={"events:read": "granted"})
    replaced = actions.replace_key(connection=connection, key=OTHER_KEY, by=None)
    assert (replaced.pk, replaced.health, replaced.health_message) == (connection.pk, Health.CHECKING, "")
    assert replaced.scopes == {}
    assert replaced.key_fingerprint != connection.key_fingerprint
    assert vault.opened(Connection.objects.get()) == OTHER_KEY


def test_destroys_the_key_of_what_is_removed(connection, organization):
    actions.remove(connection=connection, by=None)
    assert queries.live(organization, "events") is None
    with pytest.raises(vault.CouldNotOpen):
        vault.opened(Connection.objects.get())
    with pytest.raises(actions.CouldNotConnect):
        actions.replace_key(connection=connection, key=OTHER_KEY, by=None)


def test_does_not_open_a_ciphertext_from_another_row(add, connection):
    other = add(service="cloud", key=OTHER_KEY)
    Connection.objects.filter(pk=connection.pk).update(ciphertext=other.ciphertext)
    with pytest.raises(vault.CouldNotOpen):
        vault.opened(Connection.objects.get(pk=connection.pk))


def test_gives_two_connections_with_one_key_one_allowance(add, connection):
    elsewhere = Organization.objects.create(slug="elsewhere", name="Elsewhere")
    assert add(organization=elsewhere).key_fingerprint == connection.key_fingerprint
    assert add(key=OTHER_KEY).key_fingerprint != connection.key_fingerprint


def test_starts_anew_beside_the_old_mirror(connection, organization):
    fresh = actions.start_anew(connection=connection, by=None)
    assert queries.live(organization, "events") == fresh != connection
    assert vault.opened(fresh) == KEY
    assert bytes(Connection.objects.get(pk=connection.pk).ciphertext) == b""


def test_follows_the_key(connection):
    Connection.objects.update(sees_other_events=True, known_events=["e1"])
    actions.follow_key(connection=connection, by=None)
    assert Connection.objects.filter(sees_other_events=False, known_events=[]).exists()


@pytest.mark.django_db(transaction=True)
def test_asks_the_worker_with_nothing_but_an_id(connection, organization, add):
    from kombu import Connection as Broker

    from dashboard.celery import app

    app.control.purge()
    added = add(key=OTHER_KEY)
    with Broker(app.conf.broker_url, transport_options=app.conf.broker_transport_options) as broker:
        message = broker.SimpleQueue("celery").get(timeout=5)
        message.ack()
    assert message.headers["task"] == "organizer.connections.tasks.check"
    assert message.payload[:2] == [[], {"connection_id": str(added.pk)}]


def test_keeps_no_key_of_an_address_that_was_left(add, connection):
    add(url="http://localhost:9/api/v1")
    left = Connection.objects.get(pk=connection.pk)
    assert (left.live, bytes(left.ciphertext)) == (False, b"")
    assert AuditEntry.objects.get(verb="connection.removed").target_id == str(connection.pk)
