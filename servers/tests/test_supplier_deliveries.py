"""The retail service is told of every move: signed, under one id, again until it holds, and all of it is in the log."""

import hashlib
import hmac
import json
import os
import signal
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from servers.jobs import actions as jobs
from servers.kit import clock
from servers.supplier_api import housekeeping, sender, verdicts
from servers.supplier_api.actions import deliveries, orders
from servers.supplier_api.actions import suppliers as supplier_actions
from servers.supplier_api.models import Attempt, Delivery, Supplier
from servers.supplier_api.verdicts import Outcome
from servers.tests import live, suppliers
from tests.support import faults, processes

NOW = datetime(2030, 1, 1, tzinfo=UTC)
PATH = "/api/webhooks/platzwerk"


@pytest.fixture
def retail():
    with faults.FaultServer() as server:
        server.on(PATH, faults.says({"received": True, "action": "reconcile"}))
        yield server


@pytest.fixture
def supplier(db, retail):
    return suppliers.supplier(notify_url=retail.url + PATH)


@pytest.fixture
def order(supplier):
    return suppliers.order(suppliers.api_for(supplier), suppliers.listing(supplier), 2, reference="R-Größe&1")


def work(after=timedelta()):
    """Does what is due by then."""
    moment = clock.now() + after
    with clock.handed_in(lambda: moment):
        while jobs.work_once():
            pass


def only():
    return Delivery.objects.get()


def statuses():
    return list(Attempt.objects.values_list("status", flat=True))


@pytest.mark.django_db
class TestWhatIsSent:
    def test_tells_of_each_move(self, order, retail):
        orders.accept(order=order)
        orders.make_available(order=order, count=1)
        orders.cancel(order=order)
        work()
        bodies = [json.loads(request.body) for request in retail.requests]
        assert [(body["event"], body["order"]["status"]) for body in bodies] == [
            ("order.accepted", "accepted"),
            ("delivery.available", "accepted"),
            ("order.cancelled", "cancelled"),
        ]
        assert all(set(body) == {"event", "reference", "order", "sent_at"} for body in bodies)
        assert {(body["reference"], body["order"]["id"]) for body in bodies} == {("R-Größe&1", order.pk)}
        assert len({request.headers["x-webhook-id"] for request in retail.requests}) == 3
        assert {request.method for request in retail.requests} == {"POST"}
        assert {request.headers["content-type"] for request in retail.requests} == {"application/json"}

    @pytest.mark.parametrize(
        ("fields", "header", "start"),
        [
            ({}, "x-vendor-signature", ""),
            ({"has_prefix": True}, "x-vendor-signature", "sha256="),
            ({"signature_header": "X-Norrtix-Signature"}, "x-norrtix-signature", ""),
        ],
    )
    def test_signs_the_very_bytes(self, supplier, order, retail, fields, header, start):
        secret = supplier_actions.issue(supplier=supplier).secret
        supplier_actions.change(supplier=supplier, **fields)
        orders.accept(order=order)
        work()
        [request] = retail.requests
        expected = hmac.new(secret.encode(), request.body, hashlib.sha256).hexdigest()
        assert request.headers[header] == start + expected
        assert [name for name in request.headers if "signature" in name] == [header]

    def test_signs_as_a_known_vector(self):
        body = b'{"reference":"R-1"}'
        assert sender.signature(body, "whsec_test", prefix=False) == (
            "a770b2498f1d97bec5668e04246758cf0bd8955985e7399579ee9bd5ee9fa069"
        )

    def test_sends_unsigned_from_a_known_address(self, supplier, order, retail):
        supplier_actions.change(supplier=supplier, auth=Supplier.Auth.IP)
        orders.accept(order=order)
        work()
        [request] = retail.requests
        assert not [name for name in request.headers if "signature" in name]

    def test_tells_nobody_where_nobody_is_to_be_told(self, supplier, order):
        supplier_actions.change(supplier=supplier, notify_url="")
        orders.accept(order=order)
        assert not Delivery.objects.exists()

    def test_is_written_with_its_move_or_not_at_all(self, order, monkeypatch):
        def broken(*_, **__):
            raise OSError("the disk is full")

        monkeypatch.setattr(jobs.Job.objects, "create", broken)
        with pytest.raises(OSError, match="full"):
            orders.accept(order=order)
        order.refresh_from_db()
        assert (order.status, Delivery.objects.count(), order.tickets.count()) == ("pending", 0, 0)


@pytest.mark.django_db
class TestWhatComesOfIt:
    @pytest.mark.parametrize("status", [200, 201, 204])
    def test_ends_with_a_yes(self, order, retail, status):
        retail.on(PATH, faults.Answer(status, b'{"received": true}' if status != 204 else b""))
        orders.accept(order=order)
        work()
        work(timedelta(days=1))
        delivery = only()
        assert (delivery.state, delivery.next_at, statuses()) == ("delivered", None, [status])
        assert len(retail.requests) == 1

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 410, 413, 302, 307])
    def test_stops_where_another_try_cannot_help(self, order, retail, status):
        elsewhere = f"{retail.url}/elsewhere"
        retail.on(PATH, faults.Answer(status, b"no", {"Location": elsewhere}))
        orders.accept(order=order)
        work()
        work(timedelta(days=1))
        assert (only().state, statuses()) == ("failed", [status])
        assert [request.path for request in retail.requests] == [PATH]

    def test_repeats_the_same_bytes_under_the_same_id(self, order, retail):
        retail.on(PATH, faults.status(500), faults.status(503), faults.close(), faults.cut(), faults.says({}))
        orders.accept(order=order)
        for hours in range(5):
            work(timedelta(hours=hours))
        assert (only().state, statuses()) == ("delivered", [500, 503, None, None, 200])
        assert len({request.body for request in retail.requests}) == 1
        assert len({request.headers["x-webhook-id"] for request in retail.requests}) == 1
        assert len({request.headers["x-vendor-signature"] for request in retail.requests}) == 1

    def test_comes_back_when_it_was_asked_to(self, order, retail):
        retail.on(PATH, faults.Answer(429, b"", {"Retry-After": "90"}), faults.says({}))
        orders.accept(order=order)
        work()
        waits = (only().next_at - clock.now()).total_seconds()
        assert 85 <= waits <= 110
        work(timedelta(seconds=80))
        assert statuses() == [429]
        work(timedelta(seconds=120))
        assert statuses() == [429, 200]

    def test_waits_for_a_receiver_that_is_gone(self, order, retail):
        retail.stop()
        orders.accept(order=order)
        work()
        delivery = only()
        assert (delivery.state, delivery.tries) == ("waiting", 1)
        assert "cannot be reached" in Attempt.objects.get().error

    def test_gives_up_after_some_hours(self, order, retail):
        retail.on(PATH, faults.status(500))
        orders.accept(order=order)
        for hours in range(1, 12):
            work(timedelta(hours=hours))
        assert (only().state, only().next_at) == ("failed", None)
        assert 8 <= len(statuses()) <= 12

    def test_keeps_the_beginning_of_the_answer(self, order, retail):
        retail.on(PATH, faults.Answer(500, b"\x00<b>\xff" + b"x" * 100_000))
        orders.accept(order=order)
        work()
        attempt = Attempt.objects.get()
        assert attempt.answer.startswith("\ufffd<b>\ufffdxxx")
        assert len(attempt.answer) == sender.ANSWER_KEPT
        assert attempt.milliseconds is not None

    def test_ends_an_answer_that_trickles_in(self, order, retail, monkeypatch):
        monkeypatch.setattr(sender, "LONGEST", 0.3)
        retail.on(PATH, faults.slow(20))
        orders.accept(order=order)
        work()
        assert "did not answer within" in Attempt.objects.get().error

    def test_says_that_its_secret_cannot_be_read(self, order, supplier, settings, retail):
        settings.SECRET_KEY = "another"
        orders.accept(order=order)
        work()
        assert "secret key" in Attempt.objects.get().error
        assert (only().state, retail.requests) == ("waiting", [])

    def test_is_cleared_away_after_a_month(self, order):
        orders.accept(order=order)
        later = clock.now() + timedelta(days=31)
        with clock.handed_in(lambda: later):
            housekeeping.clean_up()
            assert Delivery.objects.count() == 1  # it has not left yet
        work()
        with clock.handed_in(lambda: later):
            housekeeping.clean_up()
        assert not Delivery.objects.exists()


@pytest.mark.django_db
class TestAgain:
    def test_sends_again_under_the_same_id(self, order, retail):
        orders.accept(order=order)
        work()
        deliveries.send_again(delivery=only())
        assert only().state == "waiting"
        work()
        first, second = retail.requests
        assert (first.body, first.headers["x-webhook-id"]) == (second.body, second.headers["x-webhook-id"])
        assert (only().state, statuses()) == ("delivered", [200, 200])

    def test_sends_as_new_under_another(self, order, retail):
        orders.accept(order=order)
        work()
        made = deliveries.send_as_new(delivery=only())
        work()
        first, second = (request.headers["x-webhook-id"] for request in retail.requests)
        assert first != second == made.webhook_id
        assert [json.loads(request.body)["event"] for request in retail.requests] == ["order.accepted"] * 2

    def test_replaces_the_try_that_was_to_come(self, order, retail):
        retail.on(PATH, faults.status(500))
        orders.accept(order=order)
        work()
        deliveries.send_again(delivery=only())
        for seconds in (3, 12):
            work(timedelta(seconds=seconds))
        assert len(retail.requests) == 3  # one line of tries, not two
        assert only().tries == 2

    def test_begins_anew_to_count_the_hours(self, order, retail):
        retail.on(PATH, faults.status(500))
        orders.accept(order=order)
        for hours in range(1, 12):
            work(timedelta(hours=hours))
        assert only().state == "failed"
        deliveries.send_again(delivery=only())
        work()
        assert (only().state, only().tries) == ("waiting", 1)


class TestVerdicts:
    def judge(self, status, retry_after="", *, attempts=1, age=0.0, chance=0.5):
        return verdicts.judge(
            status, retry_after, attempts=attempts, age=timedelta(seconds=age), chance=chance, now=NOW
        )

    @pytest.mark.parametrize("status", [None, 408, 425, 429, 500, 502, 503, 504, 599])
    def test_tries_again(self, status):
        assert self.judge(status).outcome is Outcome.AGAIN

    def test_waits_longer_and_longer(self):
        waits = [self.judge(500, attempts=number).wait for number in range(1, 12)]
        assert waits[: len(verdicts.BACK_OFF)] == list(verdicts.BACK_OFF)
        assert waits[-1] == verdicts.BACK_OFF[-1]

    def test_spreads_what_failed_together(self):
        waits = {self.judge(500, attempts=5, chance=number / 50).wait for number in range(50)}
        assert len(waits) == 50
        assert timedelta(seconds=144) <= min(waits) < max(waits) <= timedelta(seconds=216)

    @pytest.mark.parametrize(
        ("said", "least"),
        [("7", 7), ("0", 1), (" 30 ", 30), (format_datetime(NOW + timedelta(seconds=40), usegmt=True), 40),
         (format_datetime(NOW - timedelta(days=1), usegmt=True), 1), ("99999", 3600), ("9" * 5000, 3600)],
    )  # fmt: skip
    @pytest.mark.parametrize("status", [429, 503])
    def test_waits_as_it_was_asked_and_never_less(self, status, said, least):
        for chance in (0.0, 0.99):
            wait = self.judge(status, said, chance=chance).wait.total_seconds()
            assert least <= wait <= least * 1.2

    @pytest.mark.parametrize("said", ["", "soon", "-5", "1.5", "²", "Mon, 01 Jan 2030", "\x00"])
    def test_waits_as_usual_where_the_answer_says_nothing(self, said):
        assert self.judge(429, said).wait == verdicts.BACK_OFF[0]

    def test_stops_at_the_end(self):
        late = verdicts.LIFETIME.total_seconds() - 1
        assert self.judge(500, age=late, attempts=9).outcome is Outcome.STOPPED
        assert self.judge(429, "30", age=late).outcome is Outcome.STOPPED


@pytest.mark.django_db(transaction=True)
class TestWithAWorker:
    def test_loses_nothing_when_it_is_killed_while_it_sends(self, order, retail):
        retail.on(PATH, faults.slow(30))
        orders.accept(order=order)
        worker = live.worker(SERVERS_JOB_LEASE=1)
        processes.wait_until(lambda: retail.requests)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait(5)
        retail.on(PATH, faults.says({"received": True}))
        worker = live.worker(SERVERS_JOB_LEASE=1)
        try:
            processes.wait_until(lambda: only().state == "delivered")
        finally:
            processes.stop(worker)
        assert len({request.headers["x-webhook-id"] for request in retail.requests}) == 1
        assert len({request.body for request in retail.requests}) == 1
        assert [(attempt.status, attempt.milliseconds is None) for attempt in Attempt.objects.all()] == [
            (None, True),  # cut off
            (200, False),
        ]

    def test_is_not_held_up_by_a_receiver_that_is_silent(self, order, retail, supplier):
        retail.on("/silent", faults.slow(30))
        supplier_actions.change(supplier=supplier, notify_url=f"{retail.url}/silent")
        orders.accept(order=order)
        worker = live.worker()
        try:
            processes.wait_until(lambda: retail.requests)
            supplier_actions.change(supplier=supplier, notify_url=retail.url + PATH)
            orders.cancel(order=order)
            processes.wait_until(lambda: len(retail.requests) == 2, seconds=10)
        finally:
            processes.stop(worker)
        assert Delivery.objects.get(event="order.cancelled").state == "delivered"
