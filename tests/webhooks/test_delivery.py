"""A delivery's own page: what it says, whom it writes down, and what can be done about the body."""

import json
import subprocess
from datetime import timedelta
from hashlib import sha256

import pytest
from django.utils import timezone

from organizer.accounts.models import AuditEntry
from organizer.webhooks import bodies, registry, samples, tasks
from organizer.webhooks.models import Delivery, Look, Rejection, Tally, Vendor
from organizer.webhooks.registry import Step, Story
from tests.support import deliveries
from tests.support.deliveries import delivered, settle

pytestmark = pytest.mark.django_db
BODY = {"event": "order.accepted", "order_id": "S-9", "reference": "R-1"}


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def acme(cast):
    return deliveries.vendor(cast.organization, cast.olive)


@pytest.fixture
def delivery(acme):
    return delivered("acme", BODY, X_Delivery_Id="dlv-1", X_Api_Token="t0ken")


def at(delivery, then=""):
    return f"/o/harbour/webhooks/deliveries/{delivery.pk}/{then}"


def text(answer):
    return " ".join(answer.content.decode().split())


def looks():
    return list(AuditEntry.objects.filter(verb="delivery.look_at_body").values_list("by_name", "target_id"))


def test_begins_with_the_sentence(olive, delivery):
    page = text(olive.get(at(delivery)))
    assert "<bdi>Acme</bdi> said <code><bdi>order.accepted</bdi></code> for <b><bdi>S-9</bdi></b>" in page
    assert "The signature is valid. The supplier has not been asked yet." in page
    assert "not used: order_id wins over reference" in page
    assert "a name that wins over reference stands beside it" in page


def test_says_what_came_of_it(olive, delivery):
    settle(delivery, "no_match")
    assert "Acme was asked, and knows no such order." in text(olive.get(at(delivery)))


def test_lets_the_room_above_tell_the_rest(olive, delivery, monkeypatch):
    class Orders(registry.Sequel):
        def story(self, delivery):
            step = Step("ok", "Asked Acme", "200 in 412 ms", delivery.received_at)
            return Story("We asked Acme, and the order moved.", [step], "/o/harbour/orders/7/")

    monkeypatch.setattr(registry, "_sequel", Orders())
    page = text(olive.get(at(delivery)))
    assert "We asked Acme, and the order moved." in page
    assert "200 in 412 ms" in page
    assert "has not been asked yet" not in page
    assert page.count('href="/o/harbour/orders/7/"') == 2


def test_shows_no_secret(olive, delivery):
    page = text(olive.get(at(delivery)))
    assert "t0ken" not in page
    assert deliveries.SECRET not in page
    assert page.count("[redacted]") == 2


@pytest.mark.parametrize("view", ["", "?as=raw", "?as=hex", "?as=nothing"])
def test_shows_a_body_of_any_bytes_and_no_markup_of_it(olive, acme, view):
    for body in (
        b"<script>alert(1)</script>",
        b'{"a":"<img src=x onerror=alert(1)>"}',
        b"\x00\xff" * 30,
        b"",
        b"[" * 60_000,
    ):
        page = olive.get(at(delivered("acme", body)) + view)
        assert page.status_code == 200
        assert b"<script>alert" not in page.content
        assert b"<img" not in page.content


def test_writes_down_who_looked_once_an_hour(olive, delivery, cast):
    for address in (at(delivery), at(delivery, "?as=raw"), at(delivery, "body/")):
        olive.get(address)
    assert looks() == [(str(cast.olive), str(delivery.pk))]
    olive.get(at(delivered("acme", {"reference": "R-2"})))
    assert len(looks()) == 2
    Look.objects.update(at=timezone.now() - timedelta(minutes=61))
    olive.get(at(delivery))
    assert len(looks()) == 3


def test_writes_down_each_person(olive, delivery, cast):
    olive.get(at(delivery))
    assert bodies.note_look(delivery=delivery, by=cast.max)
    assert len(looks()) == 2


def test_writes_nothing_down_where_nothing_was_seen(olive, delivery, cast):
    olive.head(at(delivery))
    olive.head(at(delivery, "body/"))
    olive.get("/o/harbour/webhooks/")
    bodies.erase_body(delivery=delivery, by=cast.olive)
    olive.get(at(delivery))
    assert looks() == []


def test_gives_the_very_bytes_as_nothing_that_a_browser_opens(olive, acme):
    body = b"<html>\x00\xff"
    answer = olive.get(at(delivered("acme", body), "body/"))
    assert answer.content == body
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert looks()


def test_erases_a_body_after_asking_and_keeps_what_it_was_about(olive, delivery):
    assert Delivery.objects.get().body is not None
    assert "for good" in text(olive.get(at(delivery, "erase/")))
    page = text(olive.post(at(delivery, "erase/"), follow=True))
    row = Delivery.objects.get()
    assert (row.body, row.beginning, row.reference, row.body_size) == (None, "", "S-9", len(json.dumps(BODY)))
    assert bytes(row.body_hash) == sha256(json.dumps(BODY).encode()).digest()
    assert "The body is erased." in page
    assert olive.get(at(delivery, "body/")).status_code == 404
    olive.post(at(delivery, "erase/"))
    assert AuditEntry.objects.filter(verb="delivery.erase_body").count() == 1
    assert deliveries.posted("acme", json.dumps(BODY).encode(), X_Delivery_Id="dlv-1").json()["action"] == "duplicate"


# --- read again ---


def test_reads_again_what_no_order_was_found_in(olive, acme):
    row = delivered("acme", b'{"data": 1}')
    assert "there is no order in it" in text(olive.post(at(row, "read-again/"), follow=True))
    Delivery.objects.filter(pk=row.pk).update(body=json.dumps(BODY).encode())  # as if today's rules found more
    assert "Read again" in text(olive.get(at(row)))
    assert "An order was found" in text(olive.post(at(row, "read-again/"), follow=True))
    row.refresh_from_db()
    assert (row.action, row.outcome, row.settled_at) == ("reconcile", "waiting", None)
    assert (row.reference, row.reference_field, row.event, row.odd) == ("S-9", "order_id", "order.accepted", True)
    assert AuditEntry.objects.get(verb="delivery.read_again").after == {"reference": "S-9", "field": "order_id"}


def test_reads_nothing_else_again(olive, delivery, cast):
    settle(delivery, "changed")
    assert "read-again" not in text(olive.get(at(delivery)))
    assert not bodies.read_again(delivery=delivery, by=cast.olive)
    erased = delivered("acme", b"{}")
    bodies.erase_body(delivery=erased, by=cast.olive)
    erased.refresh_from_db()
    assert not bodies.read_again(delivery=erased, by=cast.olive)
    assert Delivery.objects.get(pk=delivery.pk).outcome == "changed"


# --- what is beside it ---


def test_warns_of_an_id_that_came_with_another_body(olive, delivery):
    assert "with another body" not in text(olive.get(at(delivery)))
    deliveries.posted("acme", b"{}", X_Delivery_Id="dlv-1")
    page = text(olive.get(at(delivery)))
    assert "The same delivery id came again with another body." in page
    assert "once more, answered as duplicate" in page


def test_lists_what_else_came_for_the_order_and_leads_to_its_neighbours(olive, delivery, cast):
    deliveries.vendor(cast.organization, cast.olive, "tessera")
    same, other = delivered("acme", BODY | {"n": 1}), delivered("tessera", BODY)
    page = text(olive.get(at(delivery)))
    assert at(same) in page
    assert f'{at(same)}" data-key="["' in page
    assert 'data-key="]"' not in page
    assert f'<a class="ev" href="{at(other)}">' not in page
    assert f'{at(delivery)}" data-key="]"' in text(olive.get(at(same)))


# --- in the course of time ---


def test_forgets_bodies_after_the_suppliers_days_in_batches(acme, cast):
    Vendor.objects.filter(pk=acme.pk).update(keep_bodies_for=10)
    old = [delivered("acme", {"reference": f"R-{n}"}, ago=timedelta(days=11)) for n in range(5)]
    young = delivered("acme", {"reference": "R-9"}, ago=timedelta(days=9))
    acme.refresh_from_db()
    assert bodies.forget_bodies(vendor=acme, now=timezone.now(), at_once=2) == 5
    kept = Delivery.objects.filter(body__isnull=False)
    assert [row.pk for row in kept] == [young.pk]
    assert Delivery.objects.get(pk=old[0].pk).beginning == ""
    assert Delivery.objects.count() == 6
    assert deliveries.posted("acme", b'{"reference": "R-0"}').json()["action"] == "duplicate"


def test_forgets_bodies_from_where_it_came_to(acme):
    delivered("acme", {"reference": "R-1"}, ago=timedelta(days=31))
    now = timezone.now()
    assert bodies.forget_bodies(vendor=acme, now=now) == 1
    acme.refresh_from_db()
    later = delivered("acme", {"reference": "R-2"}, ago=timedelta(days=29))
    assert bodies.forget_bodies(vendor=acme, now=now) == 0
    assert bodies.forget_bodies(vendor=acme, now=now + timedelta(days=2)) == 1
    later.refresh_from_db()
    assert later.body is None


def test_forgets_refusals_after_their_time(acme):
    now = timezone.now()
    for days in (31, 29):
        Rejection.objects.create(
            organization=acme.organization, vendor=acme, status=401, reason="signature_missing",
            at=now - timedelta(days=days),
        )  # fmt: skip
    for days in (91, 89):
        Tally.objects.create(of=acme.pk.hex, minute=now - timedelta(days=days), reason="rate_limited", number=1)
    tasks.forget()
    assert [(now - row.at).days for row in Rejection.objects.all()] == [29]
    assert [(now - row.minute).days for row in Tally.objects.all()] == [89]


def test_runs_by_the_schedule(settings):
    assert tasks.forget.name in {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}


# --- acknowledged, and sent by hand ---


def test_is_acknowledged_with_a_note_that_everybody_sees(olive, acme):
    one = settle(delivered("acme", {"reference": "R-1"}), "failed")
    at = f"/o/harbour/webhooks/deliveries/{one.pk}/"
    olive.post(f"{at}note/", {"text": "  Acme  knows <b> "})
    assert "Acme knows &lt;b&gt;" in olive.get(at).content.decode()
    assert 'class="noted-mark"' in olive.get("/o/harbour/webhooks/").content.decode()
    assert AuditEntry.objects.get(verb="delivery.note").after == {"note": "Acme knows <b>"}
    olive.post(f"{at}note/", {"remove": "1"})
    olive.post(f"{at}note/", {"remove": "1"})
    assert 'class="noted-mark"' not in olive.get("/o/harbour/webhooks/").content.decode()
    assert AuditEntry.objects.filter(verb="delivery.take_back_note").count() == 1


def test_a_note_that_is_too_long_is_not_lost(olive, acme):
    one = delivered("acme", {"reference": "R-1"})
    answer = olive.post(f"/o/harbour/webhooks/deliveries/{one.pk}/note/", {"text": "x" * 501})
    assert answer.status_code == 422
    assert "x" * 501 in answer.content.decode()


def test_can_be_sent_by_hand_as_it_came(olive, acme):
    body = b"""{"reference": "R-1", "note": "it's $HOME `x`"}"""
    one = delivered("acme", body, X_Webhook_Id="id 1")
    said = samples.again("http://127.0.0.1/x", one, body.decode())
    script = said.replace("curl ", "printf '%s|' ")
    shown = subprocess.run(["sh", "-c", script], env={"SIGNATURE": "s1"}, capture_output=True, text=True).stdout
    assert shown.split("|")[-2] == body.decode()
    assert "X-Vendor-Signature: s1" in shown
    assert "X-Webhook-Id: id 1" in shown
    assert (
        "Put the signature of exactly this body"
        in olive.get(f"/o/harbour/webhooks/deliveries/{one.pk}/").content.decode()
    )


def test_cannot_be_sent_by_hand_without_a_text(olive, acme):
    one = delivered("acme", b"\xff\x00")
    assert "Send it by hand" not in olive.get(f"/o/harbour/webhooks/deliveries/{one.pk}/").content.decode()
