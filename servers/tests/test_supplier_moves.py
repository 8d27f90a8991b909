"""Orders move as the rules allow, by a person or by themselves, and tickets become files."""

import re
import zlib
from datetime import timedelta

import pytest

from servers.jobs import actions as jobs
from servers.jobs.models import Job
from servers.kit import clock
from servers.supplier_api import files, rules
from servers.supplier_api.actions import moving, orders, steps, tickets
from servers.supplier_api.actions import suppliers as supplier_actions
from servers.supplier_api.models import Delivery, Order, Ticket
from servers.supplier_api.rules import Status, Step
from servers.tests import suppliers
from servers.tests.asserts import assert_refused

pytestmark = pytest.mark.django_db
MOVES = {
    Step.ACCEPTED: lambda order: orders.accept(order=order),
    Step.REJECTED: lambda order: orders.reject(order=order, reason="Sold elsewhere"),
    Step.CANCELLED: lambda order: orders.cancel(order=order),
    Step.TICKETS: lambda order: orders.make_available(order=order, count=1),
}


@pytest.fixture
def supplier(db):
    return suppliers.supplier()


@pytest.fixture
def api(supplier):
    return suppliers.api_for(supplier)


@pytest.fixture
def listing(supplier):
    return suppliers.listing(supplier)


@pytest.fixture
def order(api, listing):
    return suppliers.order(api, listing, 3)


def fulfilment(api, order):
    return api.get(f"/orders/{order.pk}/fulfilment").json()["data"]


def brought_to(order, status):
    if status in (Status.ACCEPTED, Status.FULFILLED):
        orders.accept(order=order)
    if status == Status.FULFILLED:
        orders.make_available(order=order, count=3)
    if status == Status.REJECTED:
        MOVES[Step.REJECTED](order)
    if status == Status.CANCELLED:
        orders.cancel(order=order)
    order.refresh_from_db()
    assert order.status == status
    return order


class TestMoves:
    @pytest.mark.parametrize("step", MOVES)
    @pytest.mark.parametrize("status", Status)
    def test_takes_the_allowed_steps_and_no_other(self, order, status, step):
        brought_to(order, status)
        history, told = order.history.count(), Delivery.objects.count()
        if step in rules.allowed(status):
            MOVES[step](order)
            assert order.history.count() == history + 1
            assert Delivery.objects.latest("pk").event == rules.EVENTS[step]
        else:
            with pytest.raises(orders.CouldNotMove):
                MOVES[step](order)
            order.refresh_from_db()
            assert (order.status, order.history.count()) == (status, history)
            assert Delivery.objects.count() == told

    def test_allows_what_the_contract_names(self):
        assert {(status.value, step.value) for status in Status for step in rules.allowed(status)} == {
            ("pending", "accepted"),
            ("pending", "rejected"),
            ("pending", "cancelled"),
            ("accepted", "tickets"),
            ("accepted", "cancelled"),
        }

    def test_tells_why_it_was_rejected(self, api, order):
        orders.reject(order=order, reason="  Sold elsewhere ", by="operator")
        shown = api.get(f"/orders/{order.pk}").json()["data"]
        assert (shown["status"], shown["rejection_reason"]) == ("rejected", "Sold elsewhere")
        assert [(move.step, move.note, move.by) for move in order.history.all()] == [
            ("placed", "", ""),
            ("rejected", "Sold elsewhere", "operator"),
        ]

    @pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
    def test_rejects_with_a_reason_only(self, order, reason):
        with pytest.raises(orders.CouldNotMove, match="reason"):
            orders.reject(order=order, reason=reason)

    @pytest.mark.parametrize("step", [Step.REJECTED, Step.CANCELLED])
    def test_gives_the_seats_back(self, api, order, listing, step):
        MOVES[step](order)
        listing.refresh_from_db()
        assert listing.available == 10
        [item] = api.post("/orders", suppliers.wanted((listing, 1), reference="R-2")).json()["data"]["items"]
        assert (item["row"], item["seats"]) == ("A", ["4"])

    def test_says_when_it_changed(self, api, order):
        later = order.updated_at + timedelta(hours=1)
        with clock.handed_in(lambda: later):
            orders.accept(order=order)
        assert api.get(f"/orders/{order.pk}").json()["data"]["updated_at"] > order.updated_at.isoformat()


class TestFulfilment:
    def test_grows_from_pending_over_partial_to_available(self, api, order):
        assert fulfilment(api, order) == {"status": "pending", "expected": 3, "tickets": []}
        orders.accept(order=order)
        assert fulfilment(api, order)["status"] == "pending"
        orders.make_available(order=order, count=1)
        partial = fulfilment(api, order)
        assert (partial["status"], [ticket["seat"] for ticket in partial["tickets"]]) == ("partial", ["1"])
        orders.make_available(order=order, count=2)
        whole = fulfilment(api, order)
        assert (whole["status"], len(whole["tickets"])) == ("available", 3)
        assert api.get(f"/orders/{order.pk}").json()["data"]["status"] == "fulfilled"

    @pytest.mark.parametrize("count", [0, 4, -1])
    def test_makes_no_other_tickets_than_there_are(self, order, count):
        orders.accept(order=order)
        with pytest.raises(orders.CouldNotMove, match="3 tickets wait"):
            orders.make_available(order=order, count=count)

    @pytest.mark.parametrize(
        ("type_", "content_type", "start"),
        [
            ("pdf", "application/pdf", b"%PDF-1.4\n"),
            ("qrcode", "image/png", b"\x89PNG\r\n\x1a\n"),
            ("barcode", "text/plain; charset=utf-8", "Café Übersee\n".encode()),
        ],
    )
    def test_has_a_file_for_each_ticket(self, api, supplier, type_, content_type, start):
        order = suppliers.order(api, suppliers.listing(supplier, ticket_type=type_), 2)
        orders.accept(order=order)
        orders.make_available(order=order, count=2)
        seen = set()
        for ticket in fulfilment(api, order)["tickets"]:
            path = f"/orders/{order.pk}/tickets/{ticket['id']}/file"
            answer = api.get(path)
            assert (answer.status_code, answer["Content-Type"]) == (200, content_type)
            assert answer.content.startswith(start)
            assert answer.content == api.get(path).content
            assert answer["X-Content-Type-Options"] == "nosniff"
            assert ("value" in ticket, ticket.get("download_url", "").endswith(path)) == (
                type_ != "pdf",
                type_ == "pdf",
            )
            seen.add(answer.content)
        assert len(seen) == 2

    def test_keeps_the_file_that_was_first(self, api, listing, order):
        orders.accept(order=order)
        orders.make_available(order=order, count=1)
        first, second = (Ticket.objects.exclude(retrievable_at=None).get() for _ in range(2))
        drawn = tickets.content(first)
        listing.event_name = "Another name"
        listing.save()
        assert tickets.content(second) == drawn

    def test_has_no_file_before_it_is_retrievable_and_none_after_a_cancellation(self, api, order):
        orders.accept(order=order)
        orders.make_available(order=order, count=1)
        first, second, _ = Ticket.objects.values_list("pk", flat=True)
        assert api.get(f"/orders/{order.pk}/tickets/{first}/file").status_code == 200
        assert_refused(api.get(f"/orders/{order.pk}/tickets/{second}/file"), 404, "Ticket not found")
        orders.cancel(order=order)
        assert_refused(api.get(f"/orders/{order.pk}/tickets/{first}/file"), 404, "Ticket not found")
        assert fulfilment(api, order) == {"status": "pending", "expected": 3, "tickets": []}

    def test_writes_a_pdf_whose_parts_are_where_it_says(self, api, supplier):
        listing = suppliers.listing(supplier, event_name=r"夜 (Night) \ Café")
        order = suppliers.order(api, listing, 1)
        orders.accept(order=order)
        orders.make_available(order=order, count=1)
        written = tickets.content(Ticket.objects.get())
        table = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", written)[1])
        assert written[table:].startswith(b"xref\n0 5\n")
        for number, place in enumerate(re.findall(rb"(\d{10}) 00000 n", written), 1):
            assert written[int(place) :].startswith(b"%d 0 obj\n" % number)
        length, page = re.search(rb"/Length (\d+) >>\nstream\n(.*)\nendstream", written, re.DOTALL).groups()
        assert int(length) == len(page)
        assert r"(? \(Night\) \\ Café)".encode("cp1252") in page
        assert Ticket.objects.get().code.encode() in page

    def test_draws_its_code(self, api, supplier):
        order = suppliers.order(api, suppliers.listing(supplier, ticket_type="qrcode"), 1)
        orders.accept(order=order)
        picture = files.draw(Ticket.objects.get())
        data = b"".join(re.findall(rb"IDAT(.*?)....\x00\x00\x00\x00IEND", picture, re.DOTALL))
        assert len(set(zlib.decompress(data))) > 2


class TestByThemselves:
    @pytest.fixture
    def supplier(self, db):
        return suppliers.supplier(notify_url="", moves=True, step_seconds=5, rejects_each=3)

    def let_pass(self, seconds):
        """Does what is due by then."""
        moment = clock.now() + timedelta(seconds=seconds)
        with clock.handed_in(lambda: moment):
            while jobs.work_once():
                pass

    def test_goes_on_step_by_step(self, api, order):
        seen = []
        for seconds in (4, 6, 12, 18):
            self.let_pass(seconds)
            order.refresh_from_db()
            seen.append((order.status, fulfilment(api, order)["status"]))
        assert seen == [
            ("pending", "pending"),
            ("accepted", "pending"),
            ("accepted", "partial"),
            ("fulfilled", "available"),
        ]
        assert [move.note for move in order.history.all()] == ["", "", "2", "1"]
        assert not Job.objects.filter(state=Job.State.WAITING).exists()

    def test_rejects_each_so_manieth(self, api, listing):
        for number in range(1, 8):
            suppliers.order(api, listing, 1, reference=f"R-{number}")
        self.let_pass(6)
        assert dict(Order.objects.order_by("number").values_list("number", "status")) == {
            1: "accepted", 2: "accepted", 3: "rejected", 4: "accepted", 5: "accepted", 6: "rejected", 7: "accepted",
        }  # fmt: skip

    def test_makes_a_step_once_however_often_its_job_runs(self, order):
        payload = Job.objects.get(kind=steps.KIND).payload
        for _ in range(3):
            moving.go_on(payload)
        order.refresh_from_db()
        assert (order.status, order.history.count()) == ("accepted", 2)

    def test_leaves_an_order_alone_that_somebody_moved(self, order):
        orders.accept(order=order, by="operator")
        self.let_pass(60)
        order.refresh_from_db()
        assert order.status == "accepted"

    def test_stops_when_it_is_switched_off_and_goes_on_when_it_is_switched_on(self, order, supplier):
        supplier_actions.change(supplier=supplier, moves=False)
        self.let_pass(60)
        order.refresh_from_db()
        assert order.status == "pending"
        supplier_actions.change(supplier=supplier, moves=True)
        for seconds in (60, 120, 180):
            self.let_pass(seconds)
        order.refresh_from_db()
        assert order.status == "fulfilled"
