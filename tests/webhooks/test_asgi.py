"""The same receiver under servers that speak ASGI."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from organizer.webhooks.models import Delivery
from organizer.webhooks.receiver.bodies import LARGEST
from organizer.webhooks.receiver.signatures import sign
from tests.support import processes
from tests.webhooks import live
from tests.webhooks.live import SECRET, Supplier

pytestmark = pytest.mark.django_db(transaction=True)
APPLICATION = "dashboard.asgi:application"
GRANIAN = ["granian", "--interface", "asgi", "--host", "127.0.0.1", "--no-ws", "--log-level", "error", "--port"]
UVICORN = ["uvicorn", "--host", "127.0.0.1", "--log-level", "error", "--port"]


@pytest.fixture(scope="module", params=[GRANIAN, UVICORN], ids=["granian", "uvicorn"])
def receiver_url(request, django_db_setup, django_db_blocker):
    port = processes.free_port()
    command = processes.python("-m", *request.param, str(port), APPLICATION)
    with django_db_blocker.unblock(), live.receiver(command, port=port) as url:
        yield url


def test_answers_and_stores_as_the_other(supplier):
    said = supplier.sends(b'{"reference":"R1"}', X_Webhook_Id="1")
    assert (said.status, said.body) == (200, {"received": True, "action": "reconcile"})
    assert [supplier.sends(b"{}", X_Webhook_Id=one).action for one in ("1", "2")] == ["duplicate", "stored_only"]
    assert supplier.posts(b"{}").body["error"] == "signature_missing"
    assert supplier.posts(b"{}", path="/api/webhooks/nobody").body["error"] == "unknown_vendor"
    assert supplier.says("GET").headers["allow"] == "POST"
    assert Delivery.objects.count() == 2


@pytest.mark.parametrize("chunks", [0, 1000])
@pytest.mark.parametrize("size", [0, 18, LARGEST, LARGEST + 1, 3_000_000])
def test_bounds_a_body(supplier, size, chunks):
    body = b"x" * size
    said = supplier.posts(body, {"X-Vendor-Signature": sign(body, SECRET)}, chunks=chunks)
    assert said.status == (200 if size <= LARGEST else 400)
    assert [bytes(row.body) for row in Delivery.objects.all()] == ([body] if size <= LARGEST else [])


def test_twelve_at_once_are_one(receiver_url, vendor):
    together = threading.Barrier(12)

    def one(number: int) -> str:
        together.wait()
        return Supplier(receiver_url).sends(b'{"reference": "R%d"}' % number).action

    with ThreadPoolExecutor(12) as pool:
        for number in range(10):
            assert sorted(pool.map(one, [number] * 12)) == ["duplicate"] * 11 + ["reconcile"]
