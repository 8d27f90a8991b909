"""What leaves: a mail through a real mail server, a signed post to a real address, again until it is taken."""

import base64
import hashlib
import hmac
import json
from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.accounts.models import Membership
from organizer.alerts import actions, sending
from organizer.alerts.models import Attempt, Hook, Sending
from organizer.connections import actions as connections
from organizer.connections import vault
from servers.tests.smtp_sink import SmtpSink
from tests.support import alerts
from tests.support.faults import Answer, close, slow
from tests.support.provider import Clock

pytestmark = pytest.mark.django_db
PATH = "/alerts"
TAKEN = Answer(204)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def hook(cast, fault_server):
    made, secret = alerts.hooked(cast.organization, cast.olive, fault_server.url + PATH)
    made.secret = secret
    return made


@pytest.fixture
def quiet_mails(cast):
    """Nobody wants one."""
    actions.choose_mails(organization=cast.organization, wanting=[], by=cast.olive)


@pytest.fixture
def smtp(settings):
    """A mail server; what mails go through."""
    made = []

    def smtp_(**how):
        sink = SmtpSink(**how).__enter__()
        made.append(sink)
        options = {"host": "127.0.0.1", "port": sink.server_address[1], "timeout": 1}
        settings.MAILERS = {"default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": options}}
        return sink

    yield smtp_
    for sink in made:
        sink.__exit__()


def drain(cast, clock):
    return sending.drain(cast.organization.pk, now=clock)


def right(request, secret):
    """Verified as the receiver does it: over the bytes that came."""
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    found = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return request.headers["webhook-signature"] == f"v1,{found}"


class TestMail:
    def test_arrives_with_what_it_is_about_and_where(self, cast, vendor, smtp, clock):
        sink = smtp()
        alert = alerts.opened(vendor, "quiet")
        drain(cast, clock)
        [mail] = sink.mails
        assert mail["To"] == cast.olive.email
        assert mail["Subject"] == "[Harbour Hall] Acme: Gone quiet"
        text = mail.get_content()
        assert "usually something comes every 20 min." in text
        assert f"/o/harbour/webhooks/alerts/{alert.pk}/" in text
        assert mail["Message-ID"] == f"<{Sending.objects.get().pk.hex}@foyer>"

    def test_says_when_it_is_over(self, cast, smtp, clock, refuse, look):
        sink = smtp()
        refuse(30)
        look()
        look(70)
        clock.forward(seconds=3600 * 3)
        drain(cast, clock)
        assert sorted(mail["Subject"] for mail in sink.mails) == [
            "[Harbour Hall] Acme: Many refused", "[Harbour Hall] Over: Acme: Many refused",
        ]  # fmt: skip

    def test_is_sent_once(self, cast, vendor, smtp, clock):
        sink = smtp()
        alerts.opened(vendor)
        drain(cast, clock)
        clock.forward(seconds=3600)
        drain(cast, clock)
        assert len(sink.mails) == 1

    def test_a_name_with_a_line_break_makes_no_header(self, cast, vendor, smtp, clock):
        sink = smtp()
        vendor.name = "Acme\nBcc: eve@evil.test"
        vendor.save()
        alerts.opened(vendor)
        drain(cast, clock)
        [mail] = sink.mails
        assert mail["Bcc"] is None
        assert "Acme Bcc: eve@evil.test" in mail["Subject"]

    def test_a_refused_mailbox_is_the_last_word(self, cast, vendor, smtp, clock):
        smtp(refuses="550 no such mailbox")
        alerts.opened(vendor)
        drain(cast, clock)
        one = Sending.objects.get()
        assert (one.state, one.problem) == ("failed", "The mail server answered 550.")

    @pytest.mark.parametrize("how", [{"refuses": "451 later"}, {"silent": True}])
    def test_a_mail_server_in_trouble_is_tried_again(self, cast, vendor, smtp, clock, how):
        smtp(**how)
        alerts.opened(vendor)
        drain(cast, clock)
        assert Sending.objects.get().state == "waiting"
        sink = smtp()
        clock.forward(seconds=15)
        drain(cast, clock)
        assert Sending.objects.get().state == "sent"
        assert len(sink.mails) == 1

    def test_who_has_left_is_told_nothing(self, cast, vendor, smtp, clock):
        sink = smtp()
        alerts.opened(vendor)
        Membership.objects.filter(user=cast.olive).delete()
        drain(cast, clock)
        assert (Sending.objects.get().state, sink.mails) == ("dropped", [])


@pytest.mark.usefixtures("quiet_mails")
class TestHook:
    def test_posts_what_happened_signed_over_the_very_bytes(self, cast, vendor, hook, fault_server, clock):
        fault_server.on(PATH, TAKEN)
        vendor.name = "Åcme “Tickets”"
        vendor.save()
        alert = alerts.opened(vendor, "no_match")
        drain(cast, clock)
        [request] = fault_server.requests
        assert request.method == "POST"
        assert right(request, hook.secret)
        assert not right(request, "whsec_" + base64.b64encode(bytes(32)).decode())
        assert request.headers["content-type"] == "application/json"
        said = json.loads(request.body)
        assert said["type"] == "alert.opened"
        assert said["data"] == said["data"] | {
            "id": str(alert.pk), "organization": "harbour", "supplier": "acme", "condition": "no_match",
            "state": "open", "measured": {"settled": 40, "unmatched": 14, "share": 35},
            "text": "14 of 40 deliveries of an hour matched no order: 35 %.",
        }  # fmt: skip
        assert request.headers["webhook-id"] == str(Sending.objects.get().pk)
        assert Sending.objects.get().state == "sent"

    @pytest.mark.parametrize("trouble", [Answer(500), Answer(302, headers={"Location": "/x"}), Answer(400), close()])
    def test_tries_again_with_the_same_id_and_the_same_bytes(self, cast, vendor, hook, fault_server, clock, trouble):
        fault_server.on(PATH, trouble, TAKEN)
        alerts.opened(vendor)
        drain(cast, clock)
        assert Sending.objects.get().state == "waiting"
        clock.forward(seconds=5)
        assert drain(cast, clock) == 0
        clock.forward(seconds=10)
        drain(cast, clock)
        first, second = fault_server.requests
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        assert first.body == second.body
        assert right(second, hook.secret)
        assert [one.status for one in Attempt.objects.order_by("at")] == [
            trouble.status if trouble.sent is None else None,
            204,
        ]

    def test_waits_as_it_is_told(self, cast, vendor, hook, fault_server, clock):
        fault_server.on(PATH, Answer(429, headers={"Retry-After": "120"}), TAKEN)
        alerts.opened(vendor)
        drain(cast, clock)
        clock.forward(seconds=119)
        assert drain(cast, clock) == 0
        clock.forward(seconds=2)
        assert drain(cast, clock) == 1

    def test_gives_up_after_most_of_a_day_and_a_person_may_send_it_again(self, cast, vendor, hook, fault_server, clock):
        fault_server.on(PATH, Answer(503))
        alerts.opened(vendor)
        for _try in range(8):
            drain(cast, clock)
            clock.forward(seconds=14 * 3600)
        one = Sending.objects.get()
        assert (one.state, one.tries, one.problem) == ("failed", 8, "It answered 503.")
        fault_server.on(PATH, TAKEN)
        assert actions.send_again(sending=one, by=cast.olive)
        drain(cast, clock)
        assert len({request.headers["webhook-id"] for request in fault_server.requests}) == 1
        assert Sending.objects.get().state == "sent"

    def test_410_ends_it(self, cast, vendor, hook, fault_server, clock):
        fault_server.on(PATH, Answer(410))
        alerts.opened(vendor)
        drain(cast, clock)
        found = Hook.objects.get()
        assert (found.active, found.problem, Sending.objects.get().state) == (
            False, "It answered 410: gone.", "failed",
        )  # fmt: skip

    def test_an_address_that_hangs_is_left(self, cast, vendor, hook, fault_server, clock, monkeypatch):
        from organizer.upstream import hooks

        monkeypatch.setitem(hooks.post.__kwdefaults__, "timeout", 0.2)
        fault_server.on(PATH, slow(5, TAKEN), TAKEN)
        alerts.opened(vendor)
        drain(cast, clock)
        assert Sending.objects.get().problem == "It did not answer in time."
        clock.forward(seconds=15)
        drain(cast, clock)
        assert Sending.objects.get().state == "sent"

    def test_private_addresses_are_refused_where_the_settings_do_not_allow_them(
        self, cast, vendor, hook, fault_server, clock, settings
    ):
        settings.FOYER_ALLOW_PRIVATE_ADDRESSES = False
        alerts.opened(vendor)
        drain(cast, clock)
        Hook.objects.update(url=f"https://127.0.0.1:{fault_server.port}/")
        clock.forward(seconds=15)
        drain(cast, clock)
        problems = [one.problem for one in Attempt.objects.order_by("at")]
        assert "https://" in problems[0]
        assert "private network" in problems[1]
        assert fault_server.connections == 0

    def test_what_waits_for_an_address_that_was_removed_is_dropped(self, cast, vendor, hook, fault_server, clock):
        alerts.opened(vendor)
        actions.remove_hook(hook=hook, by=cast.olive)
        drain(cast, clock)
        assert (Sending.objects.get().state, fault_server.requests) == ("dropped", [])

    def test_a_new_secret_signs_what_waits(self, cast, vendor, hook, fault_server, clock):
        fault_server.on(PATH, TAKEN)
        alerts.opened(vendor)
        secret = actions.renew_secret(hook=hook, by=cast.olive)
        drain(cast, clock)
        [request] = fault_server.requests
        assert right(request, secret)
        assert not right(request, hook.secret)

    def test_another_key_of_the_ring_seals_it_as_well(self, hook, settings):
        settings.FOYER_KEY_RING = {"newer": bytes(32), **settings.FOYER_KEY_RING}
        assert connections.reseal(limit=100) == 0
        found = Hook.objects.get()
        assert vault.key_id(bytes(found.ciphertext)) == "newer"
        assert vault.opened(found) == hook.secret

    def test_the_secret_is_nowhere_in_clear(self, cast, hook):
        assert hook.secret.encode() not in bytes(Hook.objects.get().ciphertext)
        assert hook.secret not in json.dumps(list(actions.audit.AuditEntry.objects.values_list("after", "before")))


@pytest.mark.usefixtures("quiet_mails")
def test_what_one_sends_another_does_not(cast, vendor, hook, fault_server, clock):
    alerts.opened(vendor)
    first = sending.claim(cast.organization.pk, "one", clock())
    assert first
    assert sending.claim(cast.organization.pk, "two", clock()) is None
    clock.forward(seconds=61)
    again = sending.claim(cast.organization.pk, "two", clock())
    assert again
    assert again.pk == first.pk


@pytest.mark.usefixtures("quiet_mails")
def test_whose_lease_is_over_does_not_write_the_end(cast, vendor, hook, fault_server, clock):
    fault_server.on(PATH, TAKEN)
    alerts.opened(vendor)
    late = sending.claim(cast.organization.pk, "late", clock())
    clock.forward(seconds=61)
    sending.claim(cast.organization.pk, "next", clock())
    sending.send(late, clock)
    assert (Sending.objects.get().state, Sending.objects.get().holder) == ("waiting", "next")


def test_forgets_what_was_sent_long_ago(cast, vendor):
    alerts.opened(vendor)
    Sending.objects.update(state="sent", created_at=timezone.now() - timedelta(days=91))
    sending.forget(timezone.now())
    assert not Sending.objects.exists()
