"""An organizer's own shop, with a key that a person made."""

import json
import re

import pytest
from django.core.cache import cache

from organizer.accounts.models import AuditEntry
from organizer.orders import rules, shops
from organizer.orders.models import Order, ShopKey
from tests.orders import stand

URL = "/api/orders"


@pytest.fixture(autouse=True)
def fresh_limits():
    cache.clear()


@pytest.fixture
def key(cast):
    return shops.make_key(organization=cast.organization, name="Shop", by=cast.olive)


@pytest.fixture
def body(vendor):
    customer = {"name": "Zoë", "email": "zoe@x.test"}
    return {"vendor": vendor.key, "items": [{"listing_id": stand.LISTING, "quantity": 2}], "customer": customer}


@pytest.fixture
def ask(client, key):
    def ask_(method="get", path=URL, data=None, *, key=key, **headers):
        more = {"headers": {"X-API-KEY": key} | {name.replace("_", "-"): value for name, value in headers.items()}}
        if method == "post":
            more |= {"content_type": "application/json", "data": data if isinstance(data, bytes) else json.dumps(data)}
        return getattr(client, method)(path, **more)

    return ask_


def test_places_an_order_and_reads_it(ask, body, vendor, supplier):
    answer = ask("post", data=body)
    assert answer.status_code == 201
    data = answer.json()["data"]
    assert re.fullmatch(r"R-[0-9A-HJKMNP-TV-Z]{12}", data["reference"])
    assert (data["status"], data["vendor"]) == ("placing", vendor.key)
    stand.send(vendor)
    read = ask(path=f"{URL}/{data['id']}").json()["data"]
    assert (read["status"], read["currency"], read["total"]) == ("pending", "EUR", 50)
    assert [one["id"] for one in ask(path=f"{URL}?reference={data['reference']}").json()["data"]] == [data["id"]]
    assert answer["RateLimit-Remaining"] == "59"
    assert "Shop" in Order.objects.get().by_name


def test_keeps_the_shops_own_reference(ask, body):
    first = ask("post", data=body | {"reference": "web-1"}).json()["data"]
    again = ask("post", data=body | {"reference": "web-1"})
    assert again.json()["data"]["id"] == first["id"]
    other = ask("post", data=body | {"reference": "web-1", "items": [{"listing_id": "l", "quantity": 1}]})
    assert (other.status_code, other.json()["error"]) == (409, "reference_in_use")
    assert Order.objects.count() == 1


def test_repeats_its_answer_to_a_repeated_request(ask, body):
    first = ask("post", data=body, Idempotency_Key="k-1")
    again = ask("post", data=body, Idempotency_Key="k-1")
    assert (again.status_code, again["Idempotent-Replay"]) == (201, "true")
    assert again.json() == first.json()
    changed = ask("post", data=body | {"reference": "x"}, Idempotency_Key="k-1")
    assert (changed.status_code, changed.json()["error"]) == (400, "idempotency_key_reuse")
    assert Order.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"items": []}, "items"), ({"items": [{"listing_id": "l", "quantity": 0}]}, "items.0.quantity"),
        ({"items": [{"listing_id": "l", "quantity": 101}]}, "items.0.quantity"), ({"customer": {}}, "customer.name"),
        ({"customer": {"name": "Z", "email": "nobody"}}, "customer.email"), ({"vendor": "nobody"}, "vendor"),
        ({"reference": "x" * 101}, "reference"), ({"unknown": 1}, "unknown"),
    ],
)  # fmt: skip
def test_names_the_field_that_is_wrong(ask, body, changes, path):
    answer = ask("post", data=body | changes)
    assert (answer.status_code, answer.json()["error"]) == (400, "Validation failed")
    assert path in [one["path"] for one in answer.json()["details"]]
    assert not Order.objects.exists()


@pytest.mark.parametrize("raw", [b"", b"{", b"[1]", b'"x"', b"\xff", b'{"vendor": "\\u0000"}', b"[" * 40_000])
def test_answers_any_body_as_json(ask, raw):
    answer = ask("post", data=raw)
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_refuses_a_body_that_is_too_large(ask):
    assert ask("post", data=b" " * 70_000).status_code == 413


def test_refuses_who_has_no_key(ask, cast, key):
    for other in ("", "foy_live_wrong", "evt_live_" + "k" * 30):
        assert ask(key=other).status_code == 401
    shops.revoke(key=ShopKey.objects.get(), by=cast.olive)
    assert (ask().status_code, ask().json()["error"]) == (401, "Invalid or revoked API key")


def test_takes_the_key_as_a_bearer(client, key):
    assert client.get(f"{URL}?reference=x", headers={"Authorization": f"Bearer {key}"}).json() == {"data": []}
    both = {"Authorization": f"Bearer {key}", "X-API-KEY": "foy_live_other"}
    assert client.get(URL, headers=both).status_code == 401


def test_sees_nothing_of_another_organization(ask, cast, vendor, body):
    order = stand.place(vendor, reference="mine")
    strangers = shops.make_key(organization=cast.elsewhere, name="Other", by=cast.sam)
    assert ask(path=f"{URL}/{order.pk}", key=strangers).status_code == 404
    assert ask(path=f"{URL}?reference=mine", key=strangers).json() == {"data": []}
    assert ask("post", data=body, key=strangers).status_code == 400


def test_keeps_to_its_limit(ask):
    answers = [ask(path=f"{URL}?reference=x") for _n in range(130)]
    refused = [one for one in answers if one.status_code == 429]
    assert refused
    assert int(refused[0]["Retry-After"]) >= 1
    assert refused[0]["RateLimit-Remaining"] == "0"


def test_is_shown_once_and_kept_as_a_hash(client, cast):
    client.force_login(cast.olive)
    page = client.post("/o/harbour/settings/shop-keys/", {"name": "Website"}).content.decode()
    key = re.search(r'value="(foy_live_[\w-]{43})"', page)[1]
    assert key not in client.get("/o/harbour/settings/shop-keys/").content.decode()
    row = ShopKey.objects.get()
    assert key not in str(vars(row))
    assert AuditEntry.objects.filter(verb="shop_key.make").count() == 1
    assert client.get(f"{URL}?reference=x", headers={"X-API-KEY": key}).status_code == 200
    client.post(f"/o/harbour/settings/shop-keys/{row.pk}/revoke/")
    assert client.get(f"{URL}?reference=x", headers={"X-API-KEY": key}).status_code == 401


def test_says_why_it_failed(ask, body, vendor, supplier):
    refusal = {"error": "not_available", "message": "Only 1 are left."}
    supplier.answer = lambda request, usual: stand.says(refusal, status=422) if request.method == "POST" else usual
    placed = ask("post", data=body).json()["data"]
    stand.send(vendor)
    read = ask(path=f"{URL}/{placed['id']}").json()["data"]
    assert (read["status"], read["rejection_reason"]) == (rules.FAILED, "Only 1 are left.")
