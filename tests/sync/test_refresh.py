import pytest
from django.urls import reverse

from organizer.accounts.models import Membership, Role, User
from organizer.sync.models import Sweep
from tests.sync.scripted import make_connection


@pytest.fixture
def viewer(db, connection):
    user = User.objects.create_user("viewer@demo.test", "correct horse battery")
    Membership.objects.create(organization=connection.organization, user=user, role=Role.VIEWER)
    return user


@pytest.fixture
def browser(client, viewer):
    client.force_login(viewer)
    return client


@pytest.fixture
def sweep(connection):
    return Sweep.objects.create(connection=connection, noun="attendees", scope="e1", next_at=None)


def refresh(browser, slug="demo", **fields):
    values = {"noun": "attendees", "scope": "e1", "next": "/o/demo/guests/?q=a"} | fields
    headers = values.pop("headers", {})
    return browser.post(reverse("sync:refresh", args=[slug]), values, headers=headers)


def test_asks_for_a_read_and_goes_back(browser, sweep):
    response = refresh(browser)
    assert (response.status_code, response["Location"]) == (302, "/o/demo/guests/?q=a")
    sweep.refresh_from_db()
    assert sweep.asked_at
    assert sweep.next_at


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "", "\\\\evil"])
def test_goes_to_no_other_site(browser, sweep, address):
    assert refresh(browser, next=address)["Location"] == "/o/demo/"


def test_answers_htmx_with_the_part_that_asks_for_itself(browser, sweep):
    response = refresh(browser, headers={"HX-Request": "true"})
    text = response.content.decode()
    assert response.status_code == 200
    assert 'id="fresh"' in text
    assert "freshness/?noun=attendees&amp;scope=e1&amp;next=%2Fo%2Fdemo%2Fguests%2F%3Fq%3Da" in text


def test_says_that_there_is_news_when_the_read_is_done(browser, sweep, clock):
    Sweep.objects.update(finished_at=clock())
    response = browser.get(reverse("sync:freshness", args=["demo"]), {"noun": "attendees", "scope": "e1"})
    assert response["HX-Trigger"] == "attendees-changed"
    assert "hx-get" not in response.content.decode()


def test_an_unknown_noun_is_not_found(browser, sweep):
    assert refresh(browser, noun="secrets").status_code == 404


def test_reads_nothing_by_get(browser, sweep):
    assert browser.get(reverse("sync:refresh", args=["demo"])).status_code == 405


def test_another_organizations_list_is_not_touched(browser, sweep):
    stranger = make_connection("other", key_fingerprint="other")
    theirs = Sweep.objects.create(connection=stranger, noun="attendees", scope="e1", next_at=None)
    assert refresh(browser, slug="other").status_code == 404
    refresh(browser)
    theirs.refresh_from_db()
    assert theirs.asked_at is None


def test_without_a_connection_there_is_nothing_to_ask(browser, sweep, connection):
    connection.live = False
    connection.save()
    assert refresh(browser).status_code == 302
