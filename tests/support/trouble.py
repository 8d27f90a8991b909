"""The real event server with trouble on the line: what reaches it is done, what comes back is as the test says."""

import http.client
from collections.abc import Callable
from typing import Self
from urllib.parse import quote, urlencode, urlsplit

from tests.support import faults
from tests.support.event_server import EventServer

Rule = Callable[[faults.Request], faults.Answer | None]


class Line(faults.FaultServer):
    """`before` may answer in the server's place; `after` may lose its answer (`faults.close()`)."""

    def __init__(self, server: EventServer) -> None:
        super().__init__()
        self._to = urlsplit(server.url)
        self.before: Rule = lambda request: None
        self.after: Rule = lambda request: None
        self.by("*", self._pass)

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    @property
    def writes(self) -> list[faults.Request]:
        return [request for request in self.requests if request.method != "GET"]

    def _pass(self, request: faults.Request) -> faults.Answer:
        answer = self.before(request) or self._forward(request)
        return self.after(request) or answer

    def _forward(self, request: faults.Request) -> faults.Answer:
        kept = {name: value for name, value in request.headers.items() if name not in ("host", "connection")}
        address = quote(request.path, safe="/%") + ("?" + urlencode(request.query, doseq=True) if request.query else "")
        server = http.client.HTTPConnection(self._to.hostname or "", self._to.port, timeout=30)
        try:
            server.request(request.method, address, body=request.body or None, headers=kept)
            said = server.getresponse()
            body = said.read()
        except OSError:
            return faults.close()
        finally:
            server.close()
        dropped = ("content-length", "connection", "transfer-encoding")
        headers = {name: value for name, value in said.getheaders() if name.lower() not in dropped}
        return faults.Answer(said.status, body, headers)
