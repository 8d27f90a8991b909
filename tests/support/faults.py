"""A server that answers as told: slow, broken, cut short, closed. For what a provider does on a bad day.

    fault_server.on("/api/v1/events", page([...]), status(500), cut())

Each request to a path takes the next answer of its script; the last one stays.
"""

import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    after: float = 0
    """Seconds to wait before the first byte."""
    sent: int | None = None
    """How many bytes of the body are sent before the connection is cut; None is all of them, -1 not even a status."""


def says(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None, after: float = 0) -> Answer:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Answer(status, body, {"Content-Type": "application/json"} | dict(headers or {}), after)


def page(items: Sequence[Any], *, number: int = 1, pages: int = 1, size: int = 200, total: int | None = None) -> Answer:
    """A page of a list in the API's envelope."""
    counted = len(items) if total is None else total
    return says(
        {"data": list(items), "pagination": {"total": counted, "page": number, "page_size": size, "total_pages": pages}}
    )


def status(code: int, error: str = "internal_error", **more: Any) -> Answer:
    return says({"error": error, "error_description": "As told by the test.", "status_code": code, **more}, status=code)


def html(code: int = 200) -> Answer:
    return Answer(code, b"<!doctype html><title>Down for maintenance</title>", {"Content-Type": "text/html"})


def slow(seconds: float, then: Answer | None = None) -> Answer:
    return Answer(**{**vars(then or says({})), "after": seconds})


def cut(then: Answer | None = None, *, after_bytes: int = 10) -> Answer:
    """Promises the whole body and closes in its middle."""
    return Answer(**{**vars(then or says({"cut": "x" * 1000})), "sent": after_bytes})


def close() -> Answer:
    return Answer(sent=-1)


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes


Script = Sequence[Answer] | Callable[[Request], Answer]


class FaultServer:
    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self._scripts: dict[str, Script] = {}
        self._taken: dict[str, int] = {}
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Gone: whoever calls is refused."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def on(self, path: str, *answers: Answer) -> None:
        """What a path answers, one after another; `"*"` is every path that has no script."""
        self._scripts[path], self._taken[path] = answers, 0

    def by(self, path: str, answer: Callable[[Request], Answer]) -> None:
        """What a path answers, decided by the request."""
        self._scripts[path] = answer

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                request = _read(connection)
                if request is None:
                    return
                answer = self._answer(request)
                if self._stopped.wait(answer.after) or answer.sent == -1:
                    return
                connection.sendall(_head(answer) + answer.body[: answer.sent])
            except OSError:
                return  # the caller gave up first, which is what a slow answer is for

    def _answer(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append(request)
            path = request.path if request.path in self._scripts else "*"
            script = self._scripts.get(path, (status(404, "not_found"),))
            taken = self._taken.get(path, 0)
            self._taken[path] = taken + 1
        # not under the lock: what a test does here may ask this server
        return script(request) if callable(script) else script[min(taken, len(script) - 1)]


def _head(answer: Answer) -> bytes:
    headers = {**answer.headers, "Content-Length": str(len(answer.body)), "Connection": "close"}
    lines = [f"HTTP/1.1 {answer.status} As told", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _read(connection: socket.socket) -> Request | None:
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65536)
        if not part:
            return None
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    method, target, _ = first.split(" ", 2)
    parts = urlsplit(target)
    return Request(method, parts.path, parse_qs(parts.query), headers, body)
