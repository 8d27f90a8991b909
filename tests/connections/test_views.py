import pytest

from organizer.accounts.models import AuditEntry, Role
from organizer.connections import actions
from organizer.connections.models import Connection, Health, Service
from organizer.connections.rows import wait_before
from tests.support.cast import person

pytestmark = pytest.mark.django_db
PAGE = "/o/harbour/settings/connections/"
URL, KEY = "http://127.0.0.1:9/api/v1", "evt_live_QK4nU2mZ7wV9xB3cD5eF7Q2c"
HTMX = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "connections"}


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def connection(cast):
    return actions.add(organization=cast.organization, service=Service.EVENTS, url=URL, key=KEY, by=cast.olive)


def at(connection, action):
    return f"{PAGE}{connection.pk}/{action}/"


class TestIndex:
    def test_teaches_the_first_step(self, olive):
        said = olive.get(PAGE).content.decode()
        assert "Nothing is connected yet" in said
        assert f'href="{PAGE}add/"' in said

    def test_shows_the_key_by_its_ends_only(self, olive, connection):
        said = olive.get(PAGE).content.decode()
        assert KEY not in said
        assert "7Q2c" in said

    def test_asks_for_itself_while_the_key_is_tried(self, olive, connection):
        said = olive.get(PAGE).content.decode()
        assert "Checking…" in said
        assert 'hx-trigger="load delay:0.3s"' in said

    def test_asks_less_often_as_time_passes(self, olive, connection):
        part = olive.get(PAGE, {"tries": "3"}, **HTMX).content.decode()
        assert part.strip().startswith('<div id="connections"')
        assert "?tries=4" in part
        assert 'hx-trigger="load delay:2s"' in part
        assert [wait_before(tries) for tries in (0, 1, 2, 3, 4, 99)] == [0.3, 0.6, 1, 2, 5, 5]

    def test_wonders_after_a_while(self, olive, connection):
        assert "Is the worker running?" in olive.get(PAGE, {"tries": "12"}, **HTMX).content.decode()

    @pytest.mark.parametrize("tries", ["-1", "x", "99999999999", "²"])
    def test_takes_odd_addresses(self, olive, connection, tries):
        assert olive.get(PAGE, {"tries": tries}).status_code == 200

    def test_stops_asking_when_it_is_told(self, olive, connection):
        Connection.objects.update(health=Health.WORKING)
        part = olive.get(PAGE, **HTMX).content.decode()
        assert "Working" in part
        assert "hx-trigger" not in part

    def test_says_what_the_key_may(self, olive, connection):
        scopes = {"events:read": "granted", "attendees:write": "denied"}
        Connection.objects.update(health=Health.WORKING, scopes=scopes)
        said = olive.get(PAGE).content.decode()
        assert said.count("Granted") == 1
        assert said.count("Denied") == 1
        assert "Give it these scopes" in said
        assert said.count("Unknown until used") == 4

    def test_shows_what_the_provider_said(self, olive, connection):
        Connection.objects.update(health=Health.KEY_REFUSED, health_message="Invalid or <revoked> API key")
        said = olive.get(PAGE).content.decode()
        assert "Invalid or &lt;revoked&gt; API key" in said
        assert "Make a new key at the provider" in said
        assert 'class="banner' not in said


class TestAdd:
    def test_stores_the_key_sealed_and_says_that_it_is_tried(self, olive, cast):
        answer = olive.post(f"{PAGE}add/", {"service": "events", "url": URL, "key": KEY}, follow=True)
        connection = Connection.objects.get(organization=cast.organization, live=True)
        assert KEY.encode() not in bytes(connection.ciphertext)
        assert "The worker tries the key now" in answer.content.decode()
        assert AuditEntry.objects.get(verb="connection.added").by == cast.olive

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("url", ""),
            ("url", "ftp://x"),
            ("url", "https://user:pw@x/"),
            ("key", ""),
            ("key", "a b"),
            ("service", "mail"),
        ],
    )
    def test_says_what_is_wrong_at_the_field(self, olive, field, value):
        answer = olive.post(f"{PAGE}add/", {"service": "events", "url": URL, "key": KEY, field: value})
        assert answer.status_code == 422
        assert answer.context["form"].errors.get(field)
        assert not Connection.objects.exists()

    def test_never_gives_the_key_back(self, olive):
        answer = olive.post(f"{PAGE}add/", {"service": "events", "url": "nonsense", "key": KEY})
        assert KEY not in answer.content.decode()

    def test_warns_where_something_is_connected(self, olive, connection):
        assert URL in olive.get(f"{PAGE}add/").content.decode()

    def test_stays_in_the_page_under_htmx(self, olive):
        answer = olive.post(f"{PAGE}add/", {"service": "events", "url": URL, "key": KEY}, HTTP_HX_REQUEST="true")
        assert PAGE in answer["HX-Location"]


class TestReplace:
    def test_takes_the_new_key(self, olive, connection):
        olive.post(at(connection, "key"), {"key": "evt_live_another_key_altogether_b81K"})
        connection.refresh_from_db()
        assert connection.key_last4 == "b81K"
        assert connection.health == Health.CHECKING

    def test_says_what_is_wrong(self, olive, connection):
        answer = olive.post(at(connection, "key"), {"key": "short"})
        assert answer.status_code == 422
        assert connection.key_last4 == Connection.objects.get().key_last4


class TestRemove:
    def test_asks_first(self, olive, connection):
        assert "The key is destroyed here" in olive.get(at(connection, "remove")).content.decode()
        assert Connection.objects.get().live

    def test_destroys_the_key(self, olive, connection):
        olive.post(at(connection, "remove"))
        connection.refresh_from_db()
        assert not connection.live
        assert not bytes(connection.ciphertext)

    def test_is_gone_the_second_time(self, olive, connection):
        olive.post(at(connection, "remove"))
        assert olive.post(at(connection, "remove")).status_code == 404


class TestOtherEvents:
    @pytest.fixture(autouse=True)
    def asked(self, connection):
        Connection.objects.update(health=Health.WORKING, sees_other_events=True)

    def test_asks_what_is_meant(self, olive):
        assert "The new key sees other events" in olive.get(PAGE).content.decode()

    def test_reads_into_the_list(self, olive, connection):
        olive.post(at(connection, "follow-key"))
        connection.refresh_from_db()
        assert connection.live
        assert not connection.sees_other_events

    def test_starts_a_new_list(self, olive, connection):
        olive.post(at(connection, "start-anew"))
        assert Connection.objects.filter(live=True).exclude(pk=connection.pk).count() == 1


def test_tries_again(olive, connection):
    Connection.objects.update(health=Health.UNREACHABLE)
    olive.post(at(connection, "try-again"))
    connection.refresh_from_db()
    assert connection.health == Health.CHECKING


ADDRESSES = ("", "add/", "{}/key/", "{}/remove/", "{}/try-again/", "{}/follow-key/", "{}/start-anew/")


@pytest.mark.parametrize("address", ADDRESSES)
class TestAccess:
    def test_is_for_owners_and_admins(self, client, cast, connection, address):
        people = {cast.max: 403, cast.dora: 403, cast.sam: 404}
        people[person("Vera", cast.organization, Role.VIEWER)] = 403
        for user, status in people.items():
            client.force_login(user)
            assert client.post(PAGE + address.format(connection.pk)).status_code == status
            assert client.get(PAGE + address.format(connection.pk)).status_code == status

    def test_asks_strangers_to_sign_in(self, client, cast, connection, address):
        assert client.get(PAGE + address.format(connection.pk)).status_code == 302


@pytest.mark.parametrize("address", ADDRESSES[2:])
def test_hides_the_connections_of_others(client, cast, connection, address):
    client.force_login(cast.sam)
    theirs = f"/o/elsewhere/settings/connections/{address.format(connection.pk)}"
    assert client.post(theirs).status_code == 404
    connection.refresh_from_db()
    assert connection.live
