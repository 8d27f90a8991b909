"""`create_supplier` shows its keys once; `seed_demo` brings three suppliers whose events are always to come."""

import io
import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command

from deploy import suppliers as deploy
from servers.demo import suppliers as demo
from servers.kit import clock
from servers.supplier_api.actions import suppliers as actions
from servers.supplier_api.models import Listing, Supplier
from servers.tests import suppliers
from servers.tests.suppliers import VendorApi

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
RETAIL = "http://127.0.0.1:8000"


def run(*arguments):
    out = io.StringIO()
    call_command("create_supplier", *arguments, stdout=out)
    [line] = out.getvalue().splitlines()
    return json.loads(line)


def seed(now=NOON, retail_url=RETAIL):
    demo.seed(now=now, retail_url=retail_url)


def everything():
    return [list(model.objects.order_by("pk").values()) for model in (Supplier, Listing)]


class TestCreateSupplier:
    def test_makes_one_and_shows_its_keys(self):
        made = run("platzwerk", "--name", "Platzwerk", "--notify", f"{RETAIL}/api/webhooks/platzwerk")
        assert set(made) == {"orders_key", "secret"}
        supplier = Supplier.objects.get()
        assert (supplier.key, supplier.name, supplier.auth) == ("platzwerk", "Platzwerk", "hmac")
        assert (supplier.signature_header, supplier.has_prefix, supplier.moves) == ("X-Vendor-Signature", False, False)
        assert actions.secret_of(supplier) == made["secret"]
        assert VendorApi(made["orders_key"]).get("/listings").status_code == 200

    def test_takes_every_setting(self):
        run(
            "norrtix", "--auth", "hmac", "--header", "X-Norrtix-Signature", "--prefix",
            "--moves", "--step", "0", "--reject-each", "0", "--limit", "5/10",
        )  # fmt: skip
        supplier = Supplier.objects.get()
        assert (supplier.signature_header, supplier.has_prefix, supplier.moves) == ("X-Norrtix-Signature", True, True)
        assert (supplier.step_seconds, supplier.rejects_each, supplier.limit_requests) == (0, 0, 5)

    def test_changes_a_known_one_only_where_it_is_told_to(self):
        first = run("platzwerk", "--name", "Platzwerk", "--auth", "ip", "--moves")
        second = run("platzwerk", "--notify", RETAIL)
        supplier = Supplier.objects.get()
        assert (supplier.name, supplier.auth, supplier.moves, supplier.notify_url) == ("Platzwerk", "ip", True, RETAIL)
        assert actions.secret_of(supplier) == second["secret"] != first["secret"]
        for made in (first, second):
            assert VendorApi(made["orders_key"]).get("/listings").status_code == 200

    @pytest.mark.parametrize(
        "arguments",
        [
            ("x",),
            ("Platzwerk",),
            ("platz/werk",),
            ("platzwerk", "--notify", "ftp://127.0.0.1/"),
            ("platzwerk", "--notify", "http://"),
            ("platzwerk", "--notify", "http://a b/"),
            ("platzwerk", "--notify", "http://user@host/"),
            ("platzwerk", "--header", "Cookie"),
            ("platzwerk", "--header", "content-type"),
            ("platzwerk", "--header", "X-Webhook-Id"),
            ("platzwerk", "--header", "X Signature"),
            ("platzwerk", "--header", "X-Sig:"),
            ("platzwerk", "--header", ""),
            ("platzwerk", "--step", "-1"),
            ("platzwerk", "--name", ""),
            ("platzwerk", "--limit", "many"),
        ],
    )
    def test_refuses_what_cannot_be_and_leaves_nothing(self, arguments):
        with pytest.raises(CommandError):
            run(*arguments)
        assert not Supplier.objects.exists()


class TestDemo:
    def test_brings_three_of_each_kind(self):
        seed()
        kinds = Supplier.objects.values_list("key", "auth", "signature_header", "has_prefix", "notify_url")
        assert set(kinds) == {
            ("platzwerk", "hmac", "X-Vendor-Signature", False, f"{RETAIL}/api/webhooks/platzwerk"),
            ("norrtix", "hmac", "X-Norrtix-Signature", True, f"{RETAIL}/api/webhooks/norrtix"),
            ("abendkasse", "ip", "X-Vendor-Signature", False, f"{RETAIL}/api/webhooks/abendkasse"),
        }
        assert all(Supplier.objects.values_list("moves", flat=True))
        assert set(Listing.objects.values_list("ticket_type", flat=True)) == {"pdf", "qrcode", "barcode"}
        with clock.handed_in(lambda: NOON):
            api = suppliers.api_for(Supplier.objects.get(key="platzwerk"))
            found = api.get("/listings?q=cities+dark").json()["data"]
        assert {one["section"]: one["price"] for one in found} == {
            "Parkett": 26.4,
            "Rang, 1. Reihe": 42,
            "Stehplatz": 19.2,
        }

    def test_makes_the_same_rows_every_time_and_moves_only_dates(self):
        seed()
        first = everything()
        seed(NOON + timedelta(hours=1))
        assert everything() == first
        Listing.objects.update(available=3)
        seed(NOON + timedelta(days=5))
        assert set(Listing.objects.values_list("available", flat=True)) == {3}
        assert min(Listing.objects.values_list("starts_at", flat=True)) == min(
            row["starts_at"] for row in first[1]
        ) + timedelta(days=5)
        assert all(row.starts_at > NOON + timedelta(days=5) for row in Listing.objects.all())

    def test_follows_the_dashboard_to_another_port_and_nowhere_else(self):
        seed()
        actions.change(supplier=Supplier.objects.get(key="norrtix"), notify_url="https://retail.example/hook")
        seed(retail_url="http://127.0.0.1:9000")
        assert dict(Supplier.objects.values_list("key", "notify_url")) == {
            "platzwerk": "http://127.0.0.1:9000/api/webhooks/platzwerk",
            "norrtix": "https://retail.example/hook",
            "abendkasse": "http://127.0.0.1:9000/api/webhooks/abendkasse",
        }

    def test_tells_the_commands_that_make_it_known_to_the_dashboard(self):
        seed()
        before = list(Supplier.objects.order_by("pk").values("name", "auth", "signature_header", "moves", "notify_url"))
        for key in deploy.KEYS:
            make, keep = deploy.commands(key, retail_url=RETAIL, servers_url="http://127.0.0.1:8001")
            assert set(run(*make[1:])) == {"orders_key", "secret"}
            assert keep[keep.index("--key") + 1] == key
            assert keep[keep.index("--orders-url") + 1] == "http://127.0.0.1:8001/api/vendor/v1"
        after = list(Supplier.objects.order_by("pk").values("name", "auth", "signature_header", "moves", "notify_url"))
        assert after == before
