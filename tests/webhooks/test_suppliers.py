"""Suppliers' pages: adding, settings, secrets that are shown once, what to copy, the way live; and what was refused."""

import re
import subprocess
import sys
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from organizer.accounts.models import AuditEntry
from organizer.webhooks import actions, registry, samples
from organizer.webhooks.models import Delivery, Rejection, Tally, Vendor
from organizer.webhooks.receiver.signatures import sign
from tests.support import deliveries
from tests.support.deliveries import SECRET, delivered, posted

pytestmark = pytest.mark.django_db
AT = "/o/harbour/webhooks/suppliers/"
GIVEN = {
    "key": "acme", "name": "Acme", "auth": "hmac", "signature_header": "", "allowed": "", "id_headers": "X-Webhook-Id",
    "rate": "20", "burst": "100", "same_body_hours": "", "keep_bodies_for": "30", "orders_url": "", "orders_key": "",
    "secret": "",
}  # fmt: skip


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def acme(cast):
    return deliveries.vendor(cast.organization, cast.olive)


def text(answer):
    return " ".join(answer.content.decode().split())


def page(client, vendor):
    return text(client.get(f"{AT}{vendor.pk}/"))


# --- adding and changing ---


def test_adds_one_that_may_deliver_at_once_and_shows_its_secret_once(olive):
    answer = olive.post(f"{AT}new/", GIVEN)
    secret = re.search(r'id="secret" type="text" readonly value="(whsec_[^"]+)"', answer.content.decode())[1]
    assert answer["Cache-Control"] == "no-store"
    assert posted("acme", b'{"reference": "R1"}', secret=secret).json()["action"] == "reconcile"
    vendor = Vendor.objects.get()
    assert (vendor.id_headers, vendor.same_body_for, vendor.keep_bodies_for) == (["X-Webhook-Id"], None, 30)
    for address in (f"{AT}{vendor.pk}/", f"{AT}{vendor.pk}/edit/", f"{AT}{vendor.pk}/rotate/", AT):
        assert secret not in olive.get(address).content.decode()
    assert secret not in str(list(AuditEntry.objects.values()))


def test_takes_a_secret_of_ones_own_and_never_shows_it(olive):
    mine = "a secret of my own, long enough"
    answer = olive.post(f"{AT}new/", GIVEN | {"secret": mine}, follow=True)
    assert mine not in answer.content.decode()
    assert posted("acme", b"{}", secret=mine).status_code == 200
    refused = olive.post(f"{AT}new/", GIVEN | {"secret": mine})
    assert mine not in refused.content.decode()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"key": "A B"}, "A key has 2 to 60 small letters"), ({"key": ""}, "This field is required"),
        ({"secret": "short"}, "at least 16 characters"), ({"signature_header": "Host"}, "in a header of this name"),
        ({"auth": "ip"}, "Without an address nobody could deliver"),
        ({"auth": "ip", "allowed": "1.2.3.4/24"}, "Did you mean 1.2.3.0/24?"),
        ({"auth": "ip", "allowed": "0.0.0.0/0"}, "is everybody"), ({"auth": "ip", "allowed": "x"}, "no address and no"),
        ({"rate": "0"}, "greater than or equal"), ({"burst": "0"}, "greater than or equal"),
        ({"id_headers": "X-Webhook-Id, Cookie"}, "An id cannot come in a header of the name Cookie"),
        ({"keep_bodies_for": "0"}, "greater than or equal"), ({"orders_url": "nothing"}, "valid URL"),
        ({"auth": "x"}, "Select a valid choice"), ({"name": "\x00"}, "Null characters"),
    ],
)  # fmt: skip
def test_refuses_what_could_not_work_and_loses_nothing(olive, changes, said):
    answer = olive.post(f"{AT}new/", GIVEN | {"orders_url": "https://acme.test/api/vendor/v1"} | changes)
    assert answer.status_code == 422
    assert said in text(answer).replace("&#x27;", "'")
    if "orders_url" not in changes:
        assert 'value="https://acme.test/api/vendor/v1"' in text(answer)
    assert not Vendor.objects.exists()


def test_refuses_a_key_that_is_taken_elsewhere(olive, cast):
    deliveries.vendor(cast.elsewhere, cast.sam)
    assert "This key is taken." in text(olive.post(f"{AT}new/", GIVEN))


def test_changes_settings_and_says_so_in_the_trail(olive, acme):
    address = f"{AT}{acme.pk}/edit/"
    form = olive.get(address).context["form"]
    given = {name: form[name].value() or "" for name in form.fields} | {"same_body_hours": "2", "id_headers": "X-Id"}
    given |= {"orders_url": "https://acme.test/api/vendor/v1", "orders_key": "a-long-key-for-its-orders"}
    olive.post(address, given)
    acme.refresh_from_db()
    assert (acme.same_body_for, acme.id_headers, acme.name, acme.rate) == (7200, ["X-Id"], "Acme", 10_000)
    assert "key …ders" in page(olive, acme)
    entry = AuditEntry.objects.get(verb="vendor.change")
    assert entry.after == {
        "same_body_for": 7200, "id_headers": ["X-Id"], "orders_url": "https://acme.test/api/vendor/v1"
    }  # fmt: skip
    assert AuditEntry.objects.get(verb="connection.added").after["key"].endswith("ders")


def test_carries_no_key_to_another_address(olive, acme):
    address = f"{AT}{acme.pk}/edit/"
    form = olive.get(address).context["form"]
    given = {name: form[name].value() or "" for name in form.fields} | {"id_headers": "X-Id"}
    known = {"orders_url": "https://acme.test/api/vendor/v1", "orders_key": "a-long-key-for-its-orders"}
    assert olive.post(address, given | known).status_code == 302
    moved = olive.post(address, given | {"orders_url": "https://other.test/api/vendor/v1"})
    assert "is not sent to another address" in text(moved)
    assert olive.post(address, given | {"orders_url": known["orders_url"]}).status_code == 302
    acme.refresh_from_db()
    assert acme.orders_url == known["orders_url"]
    olive.post(address, given)
    acme.refresh_from_db()
    assert (acme.orders_url, acme.connection.live, bytes(acme.connection.ciphertext)) == ("", False, b"")


def test_from_address_to_signature_makes_a_secret(olive, cast):
    vendor = deliveries.vendor(cast.organization, cast.olive, "later", "ip", allowed=["127.0.0.1"])
    answer = olive.post(f"{AT}{vendor.pk}/edit/", GIVEN | {"name": "Later"})
    secret = re.search(r'value="(whsec_[^"]+)"', answer.content.decode())[1]
    assert posted("later", b"{}", secret="").status_code == 401
    assert posted("later", b"{}", secret=secret).status_code == 200


def test_switches_off_and_on(olive, acme):
    olive.post(f"{AT}{acme.pk}/switch/", {"on": "0"})
    assert posted("acme", b"{}").status_code == 404
    assert "Switched off" in page(olive, acme)
    olive.post(f"{AT}{acme.pk}/switch/", {"on": "1"})
    assert posted("acme", b"{}").status_code == 200


# --- secrets ---


def test_rotates_without_a_gap_and_ends_the_old_one_early(olive, acme):
    answer = olive.post(f"{AT}{acme.pk}/rotate/", {"secret": "", "hours": "24"})
    fresh = re.search(r'value="(whsec_[^"]+)"', answer.content.decode())[1]
    assert [posted("acme", b"%d" % n, secret=one).status_code for n, one in enumerate((SECRET, fresh))] == [200, 200]
    assert "counts until" in page(olive, acme)
    assert "last used" in page(olive, acme)
    olive.post(f"{AT}{acme.pk}/end-old/")
    assert [posted("acme", b"x%d" % n, secret=one).status_code for n, one in enumerate((SECRET, fresh))] == [401, 200]
    assert "counts until" not in page(olive, acme)


def test_says_live_who_still_uses_the_old_one(olive, acme, cast):
    def said():
        return text(olive.get(f"{AT}{acme.pk}/secrets/"))

    assert "every 3s" not in said()
    fresh = "another secret of great length"
    actions.rotate_secret(vendor=acme, secret=fresh, by=cast.olive, overlap=timedelta(hours=24))
    assert "every 3s" in said()
    assert "Neither has been used since." in said()
    for n in range(3):
        posted("acme", b"%d" % n)
    assert "×3" in said()
    assert "?range=24h&amp;auth=old&amp;vendor=acme" in said()
    Delivery.objects.update(received_at=timezone.now() - timedelta(hours=25))
    posted("acme", b"new", secret=fresh)
    assert "it can be ended." in said()
    olive.post(f"{AT}{acme.pk}/end-old/")
    assert "every 3s" not in said()


@pytest.mark.parametrize("hours", ["-1", "x", "", "1000000"])
def test_refuses_an_odd_overlap(olive, acme, hours):
    assert olive.post(f"{AT}{acme.pk}/rotate/", {"secret": "", "hours": hours}).status_code == 422
    assert acme.secrets.count() == 1


def test_shows_vectors_of_its_own_secret_and_not_the_secret(olive, acme):
    said = page(olive, acme)
    assert sign(samples.BODY.encode(), SECRET) in said
    assert SECRET not in said
    assert "http://localhost:8000/api/webhooks/acme" in said


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["Python", "curl, openssl"])
def test_what_is_copied_works(receiver_url, cast, name):
    deliveries.vendor(cast.organization, cast.olive, signature_header="X-Acme-Sig")
    sample = next(one for one in samples.samples(f"{receiver_url}/api/webhooks/acme", "X-Acme-Sig") if one.name == name)
    command = [sys.executable, "-c", sample.text] if name == "Python" else ["sh", "-c", sample.text]
    said = subprocess.run(
        command, env={"WEBHOOK_SECRET": SECRET, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True
    )
    assert said.stdout.strip() == '{"received": true, "action": "reconcile"}', said.stderr
    assert Delivery.objects.get().reference == "TEST-1"


# --- going live ---


def ticks(client, vendor):
    said = client.get(f"{AT}{vendor.pk}/checklist/")
    return said.context["checklist"], said.content.decode()


def test_ticks_by_itself_on_the_way_live(olive, acme, monkeypatch):
    def done():
        return [tick.done for tick in ticks(olive, acme)[0].ticks]

    assert done() == [False] * 4
    posted("acme", b"{}", secret="wrong")
    assert done() == [True, False, False, False]
    assert "Wrong signature" in ticks(olive, acme)[1]
    delivered("acme", b"{}")
    assert done() == [True, True, False, False]
    assert "Wrong signature" not in ticks(olive, acme)[1]
    delivered("acme", {"reference": "R-1"})
    assert done() == [True, True, True, False]
    assert "every 3s" in ticks(olive, acme)[1]

    class Orders(registry.Sequel):
        def matched_at(self, vendor):
            return timezone.now()

    monkeypatch.setattr(registry, "_sequel", Orders())
    assert done() == [True] * 4
    assert "every 3s" not in ticks(olive, acme)[1]


@pytest.mark.parametrize(
    ("happens", "state"),
    [
        ([], "Nothing yet"), (["refused"], "Refused so far"), (["stored"], "Delivering"),
        (["stored", "refused"], "The last was refused"), (["old"], "Quiet"), (["no secret"], "No secret"),
    ],
)  # fmt: skip
def test_says_how_a_supplier_is(olive, acme, happens, state):
    for one in happens:
        if one == "refused":
            posted("acme", b"{}", secret="wrong")
        elif one == "no secret":
            acme.secrets.all().delete()
        else:
            delivered("acme", {"reference": "R-1"}, ago=timedelta(days=2 if one == "old" else 0))
    assert f"{state}</span>" in text(olive.get(AT))


# --- rejected ---


REJECTED = "/o/harbour/webhooks/rejected/"


def test_says_where_the_signature_was_and_that_it_is_right(olive, acme, cast):
    posted("acme", b"{}", header="X-Hub-Signature-256")
    said = text(olive.get(REJECTED))
    assert (
        "The signature was in X-Hub-Signature-256 and it is right: this supplier was set to X-Vendor-Signature." in said
    )
    assert f"{AT}{acme.pk}/edit/" in said
    actions.change_vendor(vendor=acme, by=cast.olive, signature_header="X-Hub-Signature-256")
    assert "The header has been changed since." in text(olive.get(REJECTED))


def test_counts_exactly_where_samples_stop(olive, acme, monkeypatch):
    monkeypatch.setattr(actions, "SAMPLES_AN_HOUR", 2)
    for _ in range(5):
        posted("acme", b"{}", secret="wrong")
    found = olive.get(REJECTED).context["rejected"]
    assert (found.total, len(found.rows), Rejection.objects.count()) == (5, 2, 2)


def test_shows_by_supplier_and_reason(olive, acme, cast):
    deliveries.vendor(cast.organization, cast.olive, "tessera")
    posted("acme", b"{}", secret="wrong")
    posted("acme", b"{}", secret="")
    posted("tessera", b"{}", secret="")
    posted("tessera", b"x" * 70_000)

    def shown(query):
        return sorted(
            (row.vendor.key, row.rejection.reason) for row in olive.get(REJECTED + query).context["rejected"].rows
        )

    assert len(shown("")) == 4
    assert shown("?vendor=acme") == [("acme", "signature_invalid"), ("acme", "signature_missing")]
    assert shown("?reason=signature_missing&vendor=tessera") == [("tessera", "signature_missing")]
    assert shown("?reason=payload_too_large") == [("tessera", "payload_too_large")]
    assert shown("?vendor=nobody") == shown("")


def test_shows_what_was_refused_in_a_time(olive, acme):
    for days in (20, 3, 0):
        posted("acme", b"{}", secret="wrong")
        at = timezone.now() - timedelta(days=days)
        Rejection.objects.filter(pk=Rejection.objects.latest("pk").pk).update(at=at)
        Tally.objects.filter(pk=Tally.objects.latest("pk").pk).update(minute=at.replace(second=0, microsecond=0))
    between = urlencode({"since": timezone.now() - timedelta(days=4), "until": timezone.now() - timedelta(days=1)})

    def shown(query):
        found = olive.get(f"{REJECTED}?{query}").context["rejected"]
        return found.total, len(found.rows)

    assert shown("") == shown("range=24h") == shown("range=nothing") == (1, 1)
    assert shown("range=7d") == (2, 2)
    assert shown("range=30d&reason=signature_invalid") == (3, 3)
    assert shown(between) == (1, 1)
    Rejection.objects.all().delete()
    assert f'href="{REJECTED}?range=30d"' in olive.get(REJECTED).content.decode()


def test_shows_nothing_of_elsewhere(olive, cast):
    deliveries.vendor(cast.elsewhere, cast.sam)
    posted("acme", b"{}", secret="wrong")
    delivered("acme", {"reference": "R-1"})
    posted("nobody", b"{}")
    assert Tally.objects.count() == 2
    assert olive.get(REJECTED).context["rejected"].total == 0
    assert "No supplier yet" in text(olive.get("/o/harbour/webhooks/"))
    assert olive.get(f"/o/harbour/webhooks/deliveries/{Delivery.objects.get().pk}/").status_code == 404
    assert olive.get("/o/harbour/webhooks/?q=R-1").context["scope"].count == 0
