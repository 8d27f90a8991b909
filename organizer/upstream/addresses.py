"""Where we connect to: a name is resolved once, its addresses are judged, and that very address is connected to.

Judging and connecting in one place leaves no moment in which a name could come to mean another machine.
"""

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore
import httpx

from organizer.upstream.errors import AddressRefused

Resolve = Callable[[str, int], list[str]]


def is_public(address: str) -> bool:
    """Also sees through the notations that carry an IPv4 address inside an IPv6 one."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo and ip.teredo[1]) or _nat64(ip)
        if inner:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast


def _nat64(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if ip in ipaddress.ip_network("64:ff9b::/96"):
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return None


def addresses_of(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise httpcore.ConnectError("the name is not known") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


_whole = threading.local()


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Bounds all of a request together: a read timeout alone lets an answer trickle in for ever."""
    _whole.until = time.monotonic() + seconds
    try:
        yield
    finally:
        _whole.until = None


class TimedStream(httpcore.NetworkStream):
    """Each read and write gets no more time than is left of the whole request's."""

    def __init__(self, plain: httpcore.NetworkStream) -> None:
        self._plain = plain

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._plain.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._plain.write(buffer, _left(timeout))

    def close(self) -> None:
        self._plain.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return TimedStream(self._plain.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._plain.get_extra_info(info)


def _left(timeout: float | None) -> float | None:
    until = getattr(_whole, "until", None)
    if until is None:
        return timeout
    left = until - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the whole request took too long")
    return left if timeout is None else min(timeout, left)


class GuardedBackend(httpcore.NetworkBackend):
    """Opens connections to public addresses only, unless told that private ones are allowed."""

    def __init__(
        self, *, allow_private: bool, resolve: Resolve | None = None, plain: httpcore.NetworkBackend | None = None
    ) -> None:
        self._allow_private = allow_private
        self._resolve = resolve or addresses_of
        self._plain = plain or httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failure: Exception | None = None
        for address in self._addresses(host, port):
            try:
                return TimedStream(self._plain.connect_tcp(address, port, timeout, local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectError("the name has no address")

    def _addresses(self, host: str, port: int) -> list[str]:
        addresses = self._resolve(host, port)
        if self._allow_private:
            return addresses
        public = [address for address in addresses if is_public(address)]
        if addresses and not public:
            raise AddressRefused("This address is inside a private network; this installation does not connect there.")
        return public


class GuardedTransport(httpx.HTTPTransport):
    """httpx's own transport with our way of connecting in its pool."""

    def __init__(self, *, allow_private: bool) -> None:
        super().__init__(trust_env=False)
        # httpx hands no network backend through; the pool is httpcore's public class
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            max_connections=100,
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
            network_backend=GuardedBackend(allow_private=allow_private),
        )
