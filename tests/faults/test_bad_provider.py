"""A provider's bad day as a person sees it: read by a real walk over HTTP, then looked at on every page."""

import html
from datetime import timedelta

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from organizer.accounts.models import User
from organizer.alerts.models import Alert, Sending
from organizer.attendees.models import Attendee, MessageTemplate
from organizer.connections import actions as connecting
from organizer.connections.models import Connection, Health
from organizer.events.models import Event, TicketClass
from organizer.imports.models import Import
from organizer.lists.models import SavedView
from organizer.orders.models import Bulk, ShopKey, Ticket
from organizer.sync import actions, batches
from organizer.sync.models import Batch, Command, Sweep
from organizer.webhooks.models import Delivery, Vendor
from tests.access.test_matrix import ASKED, EXPECTED
from tests.support import alerts, deliveries, faults, mirror, network, pages

EVENTS = "/api/v1/events"
GUESTS = f"{EVENTS}/e1/attendees"
ASIDE = {"sync:freshness", "attendees:correct", *pages.PARTS}
READING = [name for name, (method, _) in EXPECTED.items() if method == "GET" and name not in ASIDE]
SPEAKS_FOR_ITSELF = [name for name in READING if name.startswith("connections:")]
"""Where the fix is made there is no banner over it."""
KEY = "evt_live_" + "k" * 43


@pytest.fixture
def provider(fault_server):
    fault_server.on(EVENTS, faults.page([an_event("e1", "Opening")]))
    fault_server.on(f"{EVENTS}/e1/ticket-classes", faults.page([]))
    fault_server.on(GUESTS, faults.page([{"id": "t1", "status": "valid", "first_name": "Ada", "last_name": "One"}]))
    return fault_server


def an_event(remote_id, name, **fields):
    start = (timezone.now() + timedelta(days=9)).isoformat()  # never today, also when midnight passes meanwhile
    return {"id": remote_id, "name": name, "status": "active", "start": {"utc": start}} | fields


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def connection(cast, provider):
    url = f"{provider.url}/api/v1"
    made = connecting.add(organization=cast.organization, service="events", url=url, key=KEY, by=None)
    Connection.objects.filter(pk=made.pk).update(health=Health.WORKING)
    return made


def walk(connection):
    Sweep.objects.filter(connection=connection).update(next_at=timezone.now())
    actions.ask(connection, "events")
    return actions.walk(connection.pk)


def at(name):
    event = Event.objects.order_by("remote_id").first()
    guest = Attendee.objects.order_by("remote_id").first()
    command = Command.objects.first() or mirror.command(guest, state="parked")
    batch = Batch.objects.first() or batches.start(
        "attendees.approve", [guest.pk], connection=event.connection, by=None, params={}
    )
    view = SavedView.objects.first() or pages.a_view(event.organization, User.objects.get(email="olive@harbour.test"))
    ticket_class = TicketClass.objects.first() or mirror.ticket_class(event)
    vendor = Vendor.objects.filter(key="acme").first() or deliveries.vendor(event.organization, view.owner)
    delivery = Delivery.objects.first() or deliveries.delivered(vendor.key, {"reference": "R-1"})
    ticket = Ticket.objects.first() or pages.a_ticket(event.organization)
    place = pages.Place(
        slug="harbour", connection=Connection.objects.get(service="events"), event=event, guest=guest,
        command=command, batch=batch, view=view, read_at=timezone.now(), ticket_class=ticket_class,
        template=MessageTemplate.objects.first() or pages.a_template(event.organization),
        file=Import.objects.first() or pages.a_file(event, ticket_class, view.owner),
        vendor=vendor, delivery=delivery,
        ticket=ticket, bulk=Bulk.objects.first() or pages.a_bulk(ticket, view.owner),
        alert=Alert.objects.first() or alerts.opened(vendor),
        sending=Sending.objects.first() or alerts.given_up(event.organization, view.owner),
        shop_key=ShopKey.objects.first() or pages.a_shop_key(event.organization, view.owner),
    )  # fmt: skip
    return place.url(name)


def look_at(olive):
    """Every page: its text, and how many queries it took."""
    seen = {}
    for name in READING:
        with CaptureQueriesContext(database) as queries:
            answer = olive.get(at(name), ASKED.get(name, {}))
        assert answer.status_code == 200
        seen[name] = (answer.content.decode(), len(queries))
    return seen


def test_pages_go_on_when_the_provider_is_gone(olive, connection, provider):
    walk(connection)
    before = look_at(olive)
    provider.stop()
    assert walk(connection) > 0
    read = [f'datetime="{at:%Y-%m-%dT%H:%M}' for at in Sweep.objects.values_list("finished_at", flat=True) if at]
    with network.watched() as reached:
        after = look_at(olive)
    assert reached == []
    for name, (said, queries) in after.items():
        assert queries <= before[name][1] + 1, name  # as quick as ever: it does nothing that it did not do before
        assert name in SPEAKS_FOR_ITSELF or "not answering" in said, name
    for name in ("events:index", "events:detail", "attendees:index", "attendees:for_event", "attendees:detail"):
        fresh = after[name][0].partition('id="fresh"')[2].partition("</span>\n")[0]
        assert "Shown as of" in fresh, name
        assert any(at in fresh for at in read), name


def test_silence_is_said_and_the_page_is_asked_for_again(olive, connection, provider, settings):
    settings.FOYER_API_TIMEOUT = 0.3
    first = faults.page([{"id": "t1", "status": "valid"}], number=1, pages=2, total=2)
    second = faults.page([{"id": "t2", "status": "valid"}], number=2, pages=2, total=2)
    provider.on(GUESTS, first, faults.slow(30, second), second)
    assert walk(connection) > 0
    guests = Sweep.objects.get(noun="attendees")
    assert (guests.page, guests.problem) == (2, "It did not answer in time.")
    assert "It did not answer in time." in olive.get(at("attendees:for_event")).content.decode()
    walk(connection)
    asked = [request.query["page"] for request in provider.requests if request.path == GUESTS]
    assert asked == [["1"], ["2"], ["2"]]
    assert Attendee.objects.count() == 2
    assert "in time" not in olive.get(at("attendees:for_event")).content.decode()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (faults.status(401, "invalid_api_key"), "Make a new key at the provider and replace it here."),
        (
            faults.status(403, "insufficient_scope", required_scope="attendees:read"),
            "lacks the scope attendees:read, so Foyer cannot read guests. Give the key this scope.",
        ),
    ],
    ids=["revoked", "without a scope"],
)
def test_a_key_that_stopped_working_is_said_on_every_page_with_what_to_do(olive, connection, provider, answer, words):
    walk(connection)
    provider.on(GUESTS, answer)
    walk(connection)
    for name, (said, _) in look_at(olive).items():
        assert name in SPEAKS_FOR_ITSELF or words in html.unescape(said), name
        assert "/o/harbour/settings/connections/" in said
    assert Attendee.objects.filter(gone_at=None).count() == 1


@pytest.mark.parametrize(
    "name",
    [
        '"quoted" O\'Brien',
        "<script>alert(1)</script>",
        "{{ 7|add:7 }}{% now 'Y' %}",
        "‮שלום‬ עולם",
        "👩‍👩‍👧‍👦 Zoë",
        "a&amp;b",
        "x" * 3000,
    ],
)
def test_any_name_is_shown_as_text_on_every_page(olive, connection, provider, name):
    provider.on(EVENTS, faults.page([an_event("e1", name, venue={"name": name}, url="javascript:alert(1)")]))
    row = {"id": name[:100], "status": name[:50], "first_name": name, "email": name, "company": name, "barcode": name}
    provider.on(GUESTS, faults.page([row | {"ticket_class_name": name, "created_at": name}]))
    provider.on(f"{EVENTS}/e1/ticket-classes", faults.page([{"id": "c1", "name": name, "status": name}]))
    walk(connection)
    assert Attendee.objects.count() == 1
    seen = look_at(olive)
    for said, _ in seen.values():
        assert "<script>alert" not in said
        assert 'href="javascript:' not in said
    for page in ("events:index", "events:detail", "events:ticket_classes", "attendees:index", "attendees:detail"):
        assert name in html.unescape(seen[page][0]), page
    assert olive.get(at("attendees:for_event"), {"q": name}).status_code == 200


IDS = ["007", "7", "0x1F", "1e3", "a/b", "../x", "50%", "%2F", "?q=1#f", "ÄÖ 🎉", "NULL", "."]


def test_ids_are_text_and_never_more(olive, connection, provider):
    """Each list is asked for under the very id, and each guest is one."""
    asked = {}

    def answer(request):
        asked[request.path] = asked.get(request.path, 0) + 1
        is_guests = request.path.endswith("/attendees")
        return faults.page([{"id": one, "status": "valid", "ticket_class_id": one} for one in IDS] if is_guests else [])

    provider.by("*", answer)
    provider.by(f"{EVENTS}/e1/attendees", answer)
    provider.on(EVENTS, faults.page([an_event(one, f"Event {one}") for one in ("007", "7", "a/b", "50%", "..")]))
    for _ in range(3):
        walk(connection)
    assert set(Event.objects.values_list("remote_id", flat=True)) == {"007", "7", "a/b", "50%", ".."}
    assert set(Attendee.objects.values_list("remote_id", flat=True)) == set(IDS)
    under = {path.removeprefix(f"{EVENTS}/") for path in asked}
    expected = {"007", "7", "a%2Fb", "50%25", "%2E%2E"}
    assert under == {f"{one}/{what}" for one in expected for what in ("attendees", "ticket-classes")}
    for guest in Attendee.objects.all():
        assert olive.get(f"/o/harbour/guests/{guest.pk}/").status_code == 200
    for event in Event.objects.all():
        answered = olive.get(f"/o/harbour/events/{event.pk}/guests/")
        assert answered.status_code == 200
        again = {"noun": "attendees", "scope": event.remote_id, "next": ""}
        assert olive.post("/o/harbour/refresh/", again).status_code == 302
        assert Sweep.objects.get(noun="attendees", scope=event.remote_id).asked_at


def test_a_filter_that_is_refused_costs_the_refused_and_nobody_else(olive, connection, provider):
    rows = [{"id": "t1", "status": "valid"}, {"id": "t2", "status": "pending_approval"}]

    def guests(request):
        if "rejected" in request.query["status"][0]:
            return faults.status(400, "validation_error")
        return faults.page(rows)

    provider.by(GUESTS, guests)
    walk(connection)
    assert set(Attendee.objects.values_list("remote_id", flat=True)) == {"t1", "t2"}
    said = olive.get(at("attendees:for_event"))
    assert said.context["freshness"].problem == ""
    walk(connection)
    refused = [r for r in provider.requests if r.path == GUESTS and "rejected" in r.query["status"][0]]
    assert len(refused) == 1
