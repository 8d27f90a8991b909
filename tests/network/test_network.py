import socket

import httpx
import pytest

from tests.support import network
from tests.support.faults import FaultServer, close, cut, html, page, says, slow, status


def test_reaches_no_address_but_loopback():
    with pytest.raises(network.NotLoopback), socket.socket() as outside:
        outside.connect(("192.0.2.1", 80))


def test_asks_no_name_server():
    with pytest.raises(network.NotLoopback):
        httpx.get("http://example.org/")


def test_notices_a_connection(fault_server: FaultServer):
    fault_server.on("*", says({"fine": True}))
    with network.watched() as seen:
        assert httpx.get(f"{fault_server.url}/x?y=1").json() == {"fine": True}
    assert seen == [f"127.0.0.1:{fault_server.port}"]
    assert fault_server.requests[0].query == {"y": ["1"]}


def test_answers_as_told(fault_server: FaultServer):
    fault_server.on("/a", status(500), html(), page([{"id": "1"}]), close())
    fault_server.on("/b", cut(), slow(30))
    assert httpx.get(f"{fault_server.url}/a").status_code == 500
    assert "text/html" in httpx.get(f"{fault_server.url}/a").headers["content-type"]
    assert httpx.get(f"{fault_server.url}/a").json()["data"] == [{"id": "1"}]
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"{fault_server.url}/a")
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"{fault_server.url}/b")
    with pytest.raises(httpx.ReadTimeout):
        httpx.get(f"{fault_server.url}/b", timeout=0.1)
