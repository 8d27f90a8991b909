import pytest

from tests.support import mirror


@pytest.fixture
def event(cast):
    zone = "Europe/Berlin"
    return mirror.event(
        mirror.connection(cast.organization),
        start={"utc": "2027-03-28T00:30:00Z", "timezone": zone},  # before the clocks change, 01:30
        end={"utc": "2027-03-28T01:30:00Z", "timezone": zone},  # an hour later, 03:30
        url="https://events.test/e/1",
        strange="</pre><script>",
    )


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


def at(event, more=""):
    return f"/o/harbour/events/{event.pk}/{more}"


def test_says_times_across_a_change_of_clocks(olive, event):
    olive.cookies["foyer_zone"] = "Asia/Tokyo"
    said = olive.get(at(event)).content.decode()
    assert "01:30, Berlin" in said
    assert "03:30, Berlin" in said
    assert "Sun 28 Mar 2027, 01:30 Berlin · Sun 28 Mar 2027, 09:30 Tokyo" in said


def test_links_each_status_to_its_guests(olive, event):
    mirror.guest(event, status="pending_approval")
    said = olive.get(at(event)).content.decode()
    assert f'href="{at(event, "guests/")}?status=pending_approval"' in said


def test_shows_the_apis_object_and_the_link_to_share(olive, event):
    said = olive.get(at(event)).content.decode()
    assert "strange" in said
    assert "</pre><script>" not in said
    assert 'data-copy="https://events.test/e/1"' in said


def test_shows_ticket_classes_in_their_currency(olive, event):
    mirror.ticket_class(event, name="Yen", currency="JPY", cost=1500, quantity_total=10, quantity_sold=10)
    said = olive.get(at(event, "ticket-classes/")).content.decode()
    assert "¥1,500" in said
    assert "Sold out" in said


def test_asks_few_queries(olive, event, django_assert_max_num_queries):
    for number in range(5):
        mirror.guest(event, mirror.ticket_class(event, name=f"Class {number}"))
    olive.get(at(event))
    with django_assert_max_num_queries(11):
        olive.get(at(event))


def test_says_the_day_of_the_week_and_what_the_persons_clock_says(olive, event):
    olive.cookies["foyer_zone"] = "Asia/Tokyo"
    said = olive.get(at(event)).content.decode()
    assert "Sun 28 Mar 2027 01:30, Berlin" in said
    assert "09:30 for you" in said
    olive.cookies["foyer_zone"] = "America/Los_Angeles"
    assert "Saturday 17:30 for you" in olive.get(at(event)).content.decode()
    olive.cookies["foyer_zone"] = "Europe/Paris"  # another name, the same time
    assert "for you" not in olive.get(at(event)).content.decode()


def test_shows_the_description_as_text(olive, event):
    mirror.answered(event, description="Drinks at <b>seven</b>.\n\nBring a coat.")
    said = olive.get(at(event)).content.decode()
    assert "<p>Drinks at &lt;b&gt;seven&lt;/b&gt;.</p>" in said
    assert "<p>Bring a coat.</p>" in said


def test_opens_its_page_only_where_that_is_an_address(olive, event):
    assert 'href="https://events.test/e/1"' in olive.get(at(event)).content.decode()
    mirror.answered(event, url="javascript:alert(1)")
    said = olive.get(at(event)).content.decode()
    assert 'href="javascript' not in said
    assert "javascript:alert(1)" in said
