"""The receiver as production runs it, on the test's own database; and a supplier that speaks HTTP/1.1 by hand."""

import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

from organizer.webhooks.receiver import signatures
from tests.support import processes

PROXY = "127.0.0.9"
SECRET = "a secret that the supplier was given"


def environment(**changes: str | int) -> dict[str, str]:
    """Points a process at the database that pytest made, with the secrets of this run."""
    data = Path(tempfile.mkdtemp(prefix="foyer-live-"))
    env = processes.environment(
        FOYER_DATA=data,
        FOYER_LOG_LEVEL="WARNING",
        FOYER_PROXY_NETWORKS=f"{PROXY}/32",
        FOYER_PROCESS="web",
        FOYER_ALLOWED_HOSTS="127.0.0.1",
    )
    (data / "secrets.toml").symlink_to(Path(settings.DATA) / "secrets.toml")
    (data / "static").symlink_to(settings.STATIC_ROOT)
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        (data / "foyer.sqlite3").symlink_to(name)
    else:
        env["DATABASE_URL"] = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
    return env | {key: str(value) for key, value in changes.items()}


@contextmanager
def receiver(command: Iterable[str] | None = None, *, port: int = 0, **changes: str | int) -> Iterator[str]:
    """The address of a server that production's command starts."""
    port = port or processes.free_port()
    env = environment(**changes)
    log = Path(env["FOYER_DATA"]) / "web.log"
    command = list(command or processes.granian("dashboard.wsgi:application", port, 8))
    server: subprocess.Popen[bytes] = processes.start(command, env=env, log=log)
    try:
        url = f"http://127.0.0.1:{port}"
        processes.wait_until(lambda: processes.answers(f"{url}/healthz"), what=f"the receiver, see {log}")
        yield url
    finally:
        processes.stop(server)


@dataclass(frozen=True)
class Said:
    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict:
        return json.loads(self.raw)

    @property
    def action(self) -> str:
        return self.body["action"]


Headers = dict[str, str] | list[tuple[str, str]]


class Supplier:
    """Sends what it is told, byte for byte."""

    def __init__(self, url: str, key: str = "acme", secret: str = SECRET) -> None:
        self.address = (urlsplit(url).hostname, urlsplit(url).port)
        self.key, self.secret = key, secret

    def sends(
        self, body: bytes = b'{"reference": "R1"}', *, header: str = "X-Vendor-Signature", **headers: str
    ) -> Said:
        """Signed as it should be."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.posts(body, {header: signatures.sign(body, self.secret)} | named)

    def posts(
        self, body: bytes = b"", headers: Headers | None = None, *, chunks: int = 0, source: str = "", path: str = ""
    ) -> Said:
        """With `chunks`, in pieces of so many bytes and without a Content-Length."""
        pairs = list(headers.items()) if isinstance(headers, dict) else list(headers or [])
        if chunks:
            pairs.append(("Transfer-Encoding", "chunked"))
            pieces = [body[at : at + chunks] for at in range(0, len(body), chunks)]
            body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        elif not any(name.lower() == "content-length" for name, _ in pairs):
            pairs.append(("Content-Length", str(len(body))))
        return self.says("POST", pairs, body, source=source, path=path)

    def says(
        self,
        method: str,
        headers: Iterable[tuple[str, str]] = (),
        body: bytes = b"",
        *,
        source: str = "",
        path: str = "",
    ) -> Said:
        head = [f"{method} {path or f'/api/webhooks/{self.key}'} HTTP/1.1", "Host: anything.example"]
        head += [f"{name}: {value}" for name, value in headers]
        with socket.create_connection(self.address, timeout=20, source_address=(source or "127.0.0.1", 0)) as wire:
            wire.sendall("\r\n".join([*head, "Connection: close", "", ""]).encode("latin-1") + body)
            return _read(wire)


def _read(wire: socket.socket) -> Said:
    received = b""
    try:
        while part := wire.recv(65536):
            received += part
    except ConnectionResetError:
        pass  # the server refused before it had read all
    head, _, raw = received.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Said(int(status.split()[1]), headers, raw)
