"""The operator's pages of the suppliers."""

import re

import pytest
from django.test import Client

from servers.console.suppliers import rows
from servers.jobs import actions as jobs
from servers.organizations.models import User
from servers.supplier_api import rules
from servers.supplier_api.actions import orders
from servers.supplier_api.actions import suppliers as actions
from servers.supplier_api.models import Delivery, Order, Supplier, SupplierKey
from servers.supplier_api.rules import Status
from servers.tests import suppliers
from servers.tests.members import browser_of
from tests.support import faults

pytestmark = pytest.mark.django_db
HERE = "/suppliers/platzwerk/"
FORM = {
    "name": "Platzwerk", "is_open": "on", "notify_url": "https://retail.example/hook", "auth": "hmac",
    "signature_header": "X-Vendor-Signature", "step_seconds": "4", "rejects_each": "7",
}  # fmt: skip


@pytest.fixture
def supplier(db):
    return suppliers.supplier()


@pytest.fixture
def api(supplier):
    return suppliers.api_for(supplier)


@pytest.fixture
def order(api, supplier):
    return suppliers.order(api, suppliers.listing(supplier), 3)


@pytest.fixture
def browser(db):
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_user("operator", is_staff=True))
    return client


def page(browser, path=""):
    response = browser.get(HERE + path)
    assert response.status_code == 200
    return response.content.decode()


def move(browser, order, step, **fields):
    return browser.post(f"{HERE}orders/{order.pk}/move/", {"step": step} | fields)


def paths(order, delivery):
    reads = ["", "listings/", "notifications/", "settings/", f"orders/{order.pk}/", f"notifications/{delivery.pk}/"]
    key = SupplierKey.objects.first()
    writes = [
        f"orders/{order.pk}/move/",
        f"notifications/{delivery.pk}/send/",
        "settings/",
        f"settings/keys/{key.pk}/revoke/",
    ]
    return ["/suppliers/", *(HERE + path for path in reads)], [HERE + path for path in writes]


class TestWho:
    def test_shows_an_operator_everything(self, browser, order):
        orders.accept(order=order)
        reads, _ = paths(order, Delivery.objects.get())
        for path in reads:
            response = browser.get(path)
            assert response.status_code == 200, path
            assert "no-store" in response["Cache-Control"]

    def test_shows_nobody_else_anything(self, organization, order):
        orders.accept(order=order)
        reads, writes = paths(order, Delivery.objects.get())
        member, nobody = browser_of(organization), Client()
        for path in reads:
            assert member.get(path).status_code == 404, path
            assert nobody.get(path)["Location"].startswith("/sign-in/"), path
        for path in writes:
            assert member.post(path, {"step": "cancelled"}).status_code == 404, path
            assert nobody.post(path, {"step": "cancelled"})["Location"].startswith("/sign-in/"), path
        order.refresh_from_db()
        assert order.status == "accepted"

    def test_finds_nothing_of_another_supplier(self, browser, order):
        orders.accept(order=order)
        actions.set_up(key="other")
        reads, writes = paths(order, Delivery.objects.get())
        for path in [path.replace("platzwerk", "other") for path in reads[5:]]:
            assert browser.get(path).status_code == 404, path
        for path in [path.replace("platzwerk", "other") for path in writes if path != f"{HERE}settings/"]:
            assert browser.post(path, {"step": "cancelled"}).status_code == 404, path
        assert browser.get("/suppliers/nobody/").status_code == 404

    def test_takes_a_form_only_with_its_token(self, order):
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(User.objects.create_user("operator", is_staff=True))
        assert move(strict, order, "accepted").status_code == 403
        order.refresh_from_db()
        assert order.status == "pending"


class TestOrders:
    @pytest.mark.parametrize("status", Status)
    def test_offers_the_allowed_steps_and_no_other(self, browser, order, status):
        Order.objects.filter(pk=order.pk).update(status=status)
        shown = page(browser, f"orders/{order.pk}/")
        assert set(re.findall(r'name="step" value="(\w+)"', shown)) == {str(one) for one in rules.allowed(status)}

    def test_moves_an_order_all_the_way(self, browser, order):
        assert move(browser, order, "accepted").status_code == 302
        assert move(browser, order, "tickets", count="1").status_code == 302
        assert "Make all 2 tickets available" in page(browser, f"orders/{order.pk}/")
        assert move(browser, order, "tickets", count="2").status_code == 302
        order.refresh_from_db()
        assert order.status == "fulfilled"
        assert [(one.step, one.by) for one in order.history.all()][1:] == [
            ("accepted", "operator"), ("tickets", "operator"), ("tickets", "operator"),
        ]  # fmt: skip

    def test_rejects_with_its_reason(self, browser, order):
        move(browser, order, "rejected", reason="<b>Gone</b>")
        shown = page(browser, f"orders/{order.pk}/")
        assert "&lt;b&gt;Gone&lt;/b&gt;" in shown
        assert "<b>Gone</b>" not in shown

    @pytest.mark.parametrize(
        ("fields", "told"),
        [
            ({"step": "rejected", "reason": " "}, "reason of 1 to 500"),
            ({"step": "rejected", "reason": "x" * 501}, "reason of 1 to 500"),
            ({"step": "tickets", "count": "1"}, "does not take this step"),
            ({"step": "placed"}, "Choose one of the steps"),
            ({"step": ""}, "Choose one of the steps"),
        ],
    )
    def test_says_why_it_did_not_move_and_keeps_what_was_typed(self, browser, order, fields, told):
        response = browser.post(f"{HERE}orders/{order.pk}/move/", fields)
        assert response.status_code == 422
        assert told in response.content.decode()
        assert fields.get("reason", "").strip() in response.content.decode()
        order.refresh_from_db()
        assert (order.status, order.history.count()) == ("pending", 1)

    @pytest.mark.parametrize("count", ["", "0", "4", "-1", "²", "9" * 400, "one"])
    def test_takes_only_a_number_of_tickets_that_there_are(self, browser, order, count):
        orders.accept(order=order)
        assert move(browser, order, "tickets", count=count).status_code == 422
        assert not order.tickets.exclude(retrievable_at=None).exists()

    def test_lists_by_state_from_the_newest_to_the_oldest(self, browser, api, supplier):
        listing = suppliers.listing(supplier, available=100)
        for number in range(rows.PAGE + 5):
            suppliers.order(api, listing, 1, reference=f"R-{number}")
        orders.reject(order=Order.objects.get(reference="R-7"), reason="no")
        first = browser.get(HERE).context["page"]
        assert (len(first.rows), first.rows[0].reference) == (rows.PAGE, f"R-{rows.PAGE + 4}")
        older = browser.get(f"{HERE}?before={first.older}").context["page"]
        assert [one.reference for one in older.rows] == ["R-4", "R-3", "R-2", "R-1", "R-0"]
        assert [one.reference for one in browser.get(f"{HERE}?state=rejected").context["page"].rows] == ["R-7"]
        counts = {one.value: one.count for one in browser.get(HERE).context["filters"]}
        assert (counts[""], counts["rejected"], counts["pending"]) == (rows.PAGE + 5, 1, rows.PAGE + 4)

    @pytest.mark.parametrize("query", ["?before=x", "?before=²", "?before=" + "9" * 400, "?state=nope", "?before=-1"])
    def test_takes_no_offence_at_odd_addresses(self, browser, order, query):
        orders.accept(order=order)
        for path in ("", "notifications/"):
            assert len(browser.get(HERE + path + query).context["page"].rows) == 1

    @pytest.mark.parametrize("query", ["?page=x", "?page=0", "?page=" + "9" * 400, "?q=%00", "?q=cafe+parkett"])
    def test_shows_listings_whatever_the_address(self, browser, order, query):
        assert "Café Übersee" in page(browser, f"listings/{query}")

    def test_names_every_state_and_step(self):
        assert set(rows.ORDER_STATES) == set(Status)
        assert set(rows.STEPS) == set(rules.Step)
        assert set(rows.DELIVERY_STATES) == set(Delivery.State)


class TestNotifications:
    def test_tells_what_came_of_each_try(self, browser, supplier, order):
        with faults.FaultServer() as retail:
            retail.on("/hook", faults.Answer(403, b"<i>wrong signature</i>"))
            actions.change(supplier=supplier, notify_url=f"{retail.url}/hook")
            orders.accept(order=order)
            delivery = Delivery.objects.get()
            assert "Waiting" in page(browser, f"notifications/{delivery.pk}/")
            assert jobs.work_once()
        shown = page(browser, f"notifications/{delivery.pk}/")
        assert "Failed" in shown
        assert "<b>403</b>" in shown
        assert "&lt;i&gt;wrong signature&lt;/i&gt;" in shown
        assert delivery.webhook_id in shown
        assert browser.get("/suppliers/").context["suppliers"][0].failed == 1
        assert len(browser.get(f"{HERE}notifications/?state=failed").context["page"].rows) == 1

    def test_tells_what_was_cut_off(self, browser, order):
        orders.accept(order=order)
        delivery = Delivery.objects.get()
        delivery.attempts.create(began_at=delivery.created_at)
        assert "Under way" in page(browser, f"notifications/{delivery.pk}/")
        delivery.attempts.create(status=200, milliseconds=5)
        assert "Cut off" in page(browser, f"notifications/{delivery.pk}/")

    def test_sends_again_and_as_new(self, browser, order):
        orders.accept(order=order)
        first = Delivery.objects.get()
        Delivery.objects.update(state="failed", next_at=None)
        again = browser.post(f"{HERE}notifications/{first.pk}/send/", {"as": "again"})
        assert again["Location"] == f"{HERE}notifications/{first.pk}/"
        first.refresh_from_db()
        assert first.state == "waiting"
        new = browser.post(f"{HERE}notifications/{first.pk}/send/", {"as": "new"})
        second = Delivery.objects.latest("pk")
        assert new["Location"] == f"{HERE}notifications/{second.pk}/"
        assert second.webhook_id != first.webhook_id


class TestSettings:
    def test_saves_what_was_typed(self, browser, supplier):
        fields = FORM | {"auth": "ip", "has_prefix": "on", "moves": "on", "step_seconds": "9", "rejects_each": "0"}
        assert browser.post(f"{HERE}settings/", fields).status_code == 302
        supplier.refresh_from_db()
        assert (supplier.auth, supplier.has_prefix, supplier.moves) == ("ip", True, True)
        assert (supplier.step_seconds, supplier.rejects_each, supplier.notify_url) == (9, 0, FORM["notify_url"])

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("name", ""),
            ("notify_url", "ftp://retail.example"),
            ("signature_header", "Cookie"),
            ("signature_header", ""),
            ("auth", "none"),
            ("step_seconds", "-1"),
            ("step_seconds", "100000"),
            ("rejects_each", "often"),
        ],
    )
    def test_says_what_is_wrong_and_keeps_what_was_typed(self, browser, supplier, field, value):
        before = Supplier.objects.values().get()
        response = browser.post(f"{HERE}settings/", FORM | {"name": "Renamed"} | {field: value})
        assert response.status_code == 422
        assert response.context["form"].errors.keys() == {field}
        assert field == "name" or 'value="Renamed"' in response.content.decode()
        assert Supplier.objects.values().get() == before

    def test_moves_open_orders_as_soon_as_it_is_switched_on(self, browser, supplier, order):
        browser.post(f"{HERE}settings/", FORM | {"moves": "on", "step_seconds": "0", "notify_url": ""})
        while jobs.work_once():
            pass
        order.refresh_from_db()
        assert order.status == "fulfilled"

    def test_revokes_a_key(self, browser, api):
        key = SupplierKey.objects.get()
        assert api.secret not in page(browser, "settings/")
        browser.post(f"{HERE}settings/keys/{key.pk}/revoke/")
        assert "Revoked" in page(browser, "settings/")
        assert api.get("/listings").status_code == 401


def test_leads_operators_to_the_suppliers(browser, organization):
    assert 'href="/suppliers/"' in browser.get("/").content.decode()
    assert 'href="/suppliers/"' not in browser_of(organization).get("/", follow=True).content.decode()


def test_says_when_there_are_none(browser):
    assert "No suppliers yet" in browser.get("/suppliers/").content.decode()
