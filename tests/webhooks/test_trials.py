"""A test delivery: sent by the worker's task over HTTP, through every check, known for ours, and counted nowhere."""

from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.accounts.models import AuditEntry
from organizer.orders import work
from organizer.upstream import front_door
from organizer.upstream.errors import Unreachable
from organizer.webhooks import suppliers, tasks, trials
from organizer.webhooks.models import Delivery, Rejection, Tally, Trial
from organizer.webhooks.trials import HEADER, TrialRow
from tests.support import deliveries, faults, processes
from tests.support.deliveries import posted

AT = "/o/harbour/webhooks/suppliers/"


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def acme(cast):
    return deliveries.vendor(cast.organization, cast.olive)


def sent(vendor, cast):
    """As the worker does it, to the address that the supplier has."""
    trial = trials.ask(vendor=vendor, by=cast.olive)
    tasks.send_test(trial_id=str(trial.pk))
    trial.refresh_from_db()
    return trial


def row(trial):
    return TrialRow(Trial.objects.select_related("vendor").get(pk=trial.pk), timezone.now())


def page(client, vendor):
    return " ".join(client.get(f"{AT}{vendor.pk}/test/").content.decode().split())


@pytest.mark.django_db(transaction=True)
class TestAtTheDoor:
    @pytest.fixture(autouse=True)
    def _public(self, settings, receiver_url):
        settings.PUBLIC_URL = receiver_url

    def test_arrives_signed_and_marked_and_is_asked_about_by_nobody(self, acme, cast, olive):
        trial = sent(acme, cast)
        assert (trial.status, trial.answer) == (200, '{"received": true, "action": "reconcile"}')
        delivery = Delivery.objects.get()
        assert trial.delivery_id == delivery.pk
        said = (delivery.outcome, delivery.event, delivery.reference, delivery.auth, delivery.delivery_id)
        assert said == ("test", "test", trial.reference, "hmac", f"test-{trial.pk}")
        assert work.with_wakes(timezone.now()) == []
        assert [tick.done for tick in suppliers.checklist(suppliers.VendorRow.of(acme, timezone.now())).ticks][:2] == [
            False, False,
        ]  # fmt: skip
        shown = page(olive, acme)
        assert "It arrived, and was stored." in shown
        assert f"/deliveries/{delivery.pk}/" in shown
        assert "every 1s" not in shown
        told = olive.get(f"/o/harbour/webhooks/deliveries/{delivery.pk}/").content.decode()
        assert "It was a test of Foyer" in told
        assert "Test</span>" in olive.get("/o/harbour/webhooks/?outcome=test").content.decode()

    def test_is_sent_once_whoever_is_told_twice(self, acme, cast):
        trial = sent(acme, cast)
        tasks.send_test(trial_id=str(trial.pk))
        assert Delivery.objects.get().duplicates == 0

    def test_is_refused_where_addresses_count_and_says_why(self, cast, olive):
        vendor = deliveries.vendor(cast.organization, cast.olive, "byip", "ip", allowed=["203.0.113.7"])
        trial = sent(vendor, cast)
        assert (trial.status, row(trial).level) == (403, "warn")
        assert "That is as it should be" in page(olive, vendor)
        assert (Rejection.objects.count(), Tally.objects.count(), Delivery.objects.count()) == (0, 0, 0)

    def test_is_taken_from_an_address_that_is_on_the_list(self, cast):
        vendor = deliveries.vendor(cast.organization, cast.olive, "byip", "ip", allowed=["127.0.0.1"])
        assert sent(vendor, cast).status == 200

    def test_finds_a_supplier_that_is_switched_off(self, acme, cast):
        type(acme).objects.update(active=False)
        trial = sent(acme, cast)
        assert (trial.status, row(trial).fix, row(trial).level) == (404, "It is switched off.", "warn")
        assert not Tally.objects.exists()

    def test_signs_by_the_newest_secret(self, acme, cast):
        from organizer.webhooks import actions

        actions.rotate_secret(vendor=acme, secret="another one, long enough", by=None, overlap=timedelta(hours=1))
        sent(acme, cast)
        assert (Delivery.objects.get().auth, Delivery.objects.get().secret_number) == ("hmac", 2)


@pytest.mark.django_db
class TestWithoutOne:
    def test_the_page_puts_it_to_the_worker(self, acme, olive, django_capture_on_commit_callbacks, monkeypatch):
        told = []
        monkeypatch.setattr(trials.current_app, "send_task", lambda name, kwargs: told.append((name, kwargs)))
        with django_capture_on_commit_callbacks(execute=True):
            olive.post(f"{AT}{acme.pk}/test/")
        trial = Trial.objects.get()
        assert told == [(tasks.send_test.name, {"trial_id": str(trial.pk)})]
        shown = page(olive, acme)
        assert "On its way…" in shown
        assert "every 1s" in shown
        assert AuditEntry.objects.get(verb="vendor.test").after == {"reference": trial.reference}

    def test_says_when_nobody_sends_it(self, acme, cast, olive):
        trial = trials.ask(vendor=acme, by=cast.olive)
        Trial.objects.update(asked_at=timezone.now() - trials.PATIENCE - timedelta(seconds=1))
        assert "is the worker running?" in page(olive, acme)
        Trial.objects.update(asked_at=timezone.now() - trials.COUNTS_FOR - timedelta(seconds=1))
        assert "It was never sent." in page(olive, acme)
        tasks.send_test(trial_id=str(trial.pk))
        assert Trial.objects.get().sent_at is None

    def test_says_when_nobody_answers(self, acme, cast, olive, settings):
        settings.PUBLIC_URL = f"http://127.0.0.1:{processes.free_port()}"
        trial = sent(acme, cast)
        assert (trial.status, row(trial).level) == (None, "stop")
        assert "No answer: It cannot be reached" in page(olive, acme)
        assert "FOYER_PUBLIC_URL" in page(olive, acme)

    def test_says_when_the_address_leads_elsewhere(self, acme, cast, olive, settings, fault_server):
        settings.PUBLIC_URL = fault_server.url
        fault_server.by("*", lambda request: faults.Answer(502, b"<html>" + b"x" * 90_000))
        trial = sent(acme, cast)
        assert (trial.status, len(trial.answer), row(trial).words) == (502, 4096, "It was refused.")

    def test_needs_a_secret(self, acme, olive):
        acme.secrets.all().delete()
        assert "There is no secret to sign it with." in page(olive, acme)
        olive.post(f"{AT}{acme.pk}/test/")
        assert not Trial.objects.exists()

    def test_has_five_on_their_way_at_most(self, acme, olive):
        for _n in range(7):
            olive.post(f"{AT}{acme.pk}/test/")
        assert Trial.objects.count() == 5

    def test_takes_nobodys_word_for_it(self, acme, cast):
        """A header is known for ours only while its test is on its way, and at its own supplier."""
        deliveries.vendor(cast.organization, cast.olive, "tessera")
        trial = trials.ask(vendor=acme, by=cast.olive)
        bodies = iter(b'{"reference": "TEST-%d"}' % n for n in range(9))

        def outcome(key="acme", header=str(trial.pk)):
            posted(key, next(bodies), **{HEADER.replace("-", "_"): header})
            return Delivery.objects.latest("pk").outcome

        assert outcome() == "waiting"
        Trial.objects.update(sent_at=timezone.now())
        assert [outcome(), outcome("tessera"), outcome(header="x")] == ["test", "waiting", "waiting"]
        Trial.objects.update(answered_at=timezone.now())
        assert outcome() == "waiting"

    def test_is_forgotten_after_a_time(self, acme, cast):
        trials.ask(vendor=acme, by=cast.olive)
        trials.forget(timezone.now() + trials.KEPT + timedelta(days=1))
        assert not Trial.objects.exists()


def test_our_own_door_may_be_in_a_private_network_and_follows_no_redirect(fault_server):
    fault_server.by("*", lambda request: faults.Answer(302, b"", {"Location": "http://203.0.113.1/"}))
    assert front_door.post(fault_server.url, b"{}", {}).status == 302
    with pytest.raises(Unreachable):
        front_door.post("http://127.0.0.1:1/", b"{}", {})
