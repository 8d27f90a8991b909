"""One request and what can come of it. The only way out of this program."""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from organizer.upstream import answers
from organizer.upstream.addresses import GuardedTransport, at_most
from organizer.upstream.clean import parse
from organizer.upstream.errors import AddressRefused, Broken, NotYet, Unreachable
from organizer.upstream.limits import Lane, Limiter

TIMEOUT, CONNECT_TIMEOUT = 30.0, 5.0
LONGEST = 45.0
"""Seconds for a whole request, so that an answer which trickles in ends inside a command's lease."""
LARGEST = 10 * 1024 * 1024

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Dropped(Unreachable):
    """A connection that was open from an earlier request ended without a byte of answer to this one."""


@dataclass(frozen=True)
class Answer:
    status: int
    value: Any
    requested_at: datetime


@dataclass(frozen=True)
class File:
    content: bytes
    content_type: str
    """In small letters, without parameters; empty where it was not said."""


def path(*segments: str) -> str:
    """Ids are somebody else's text: they are quoted, and never lead out of their place."""
    return "".join(
        f"/{quote(segment, safe='') if segment.strip('.') else '%2E' * len(segment)}" for segment in segments
    )


class Transport:
    """Sends with one key to one address, in one lane, as fast as `limiter` lets it."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        limiter: Limiter,
        lane: Lane = Lane.PERSON,
        bearer: bool = False,
        allow_private: bool = False,
        transport: httpx.BaseTransport | None = None,
        clock: Clock = utc_now,
        timeout: float = TIMEOUT,
        longest: float = LONGEST,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._key = key
        self._credential = {"Authorization": f"Bearer {key}"} if bearer else {"X-API-KEY": key}
        self._limiter = limiter
        self._lane = lane
        self._allow_private = allow_private
        self._clock = clock
        self._timeout = httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT))
        self._longest = longest
        self._client = make_client(transport) if transport else _shared_client(allow_private, os.getpid())

    def __repr__(self) -> str:
        return f"<Transport {urlsplit(self._base).hostname}>"

    def request(
        self,
        method: str,
        path: str,
        *,
        scope: str,
        query: Mapping[str, Any] | None = None,
        body: dict[str, Any] | bytes | None = None,
        idempotency_key: str = "",
    ) -> Answer:
        """Raises a class of `errors`; what it returns was a 2xx with JSON or nothing in it."""
        content = json.dumps(body, ensure_ascii=False).encode() if isinstance(body, dict) else body
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        if content is not None:
            headers["Content-Type"] = "application/json"
        status, raw, answered, requested_at = self._ask(method, path, headers, query=query, content=content)
        value, is_json = self._read(raw)
        answers.check(status, value, is_json=is_json, headers=answered, scope=scope)
        return Answer(status, value, requested_at)

    def file(self, path: str, *, scope: str) -> File:
        """Raises as `request` does; the bytes are as they came."""
        status, raw, answered, _ = self._ask("GET", path, {"Accept": "*/*"})
        if not 200 <= status < 300:
            raise answers.failure(status, self._read(raw)[0], headers=answered, scope=scope)
        if not raw:
            raise Broken("It answered without a file.", status)
        return File(raw, answered.get("Content-Type", "").partition(";")[0].strip().lower()[:100])

    def _ask(
        self,
        method: str,
        path: str,
        headers: dict[str, str],
        *,
        query: Mapping[str, Any] | None = None,
        content: bytes | None = None,
    ) -> tuple[int, bytes, Mapping[str, str], datetime]:
        if not self._base.startswith("https://") and not self._allow_private:
            raise AddressRefused("This installation only connects to addresses that begin with https://.")
        request = self._client.build_request(
            method,
            self._base + path,
            params=query or None,
            headers={"Accept": "application/json", "User-Agent": "Foyer"} | self._credential | headers,
            content=content,
            timeout=self._timeout,
        )
        grant = self._limiter.take(self._lane)
        requested_at = self._clock()
        with at_most(self._longest):
            try:
                status, raw, answered = self._send(request, grant)
            except Dropped as dropped:
                # a server may close a connection that was kept open just when it is used again (RFC 9112, 9.3.1)
                if method != "GET" and "Idempotency-Key" not in headers:
                    raise
                grant, requested_at = self._second_grant(dropped), self._clock()
                status, raw, answered = self._send(request, grant)
        return status, raw, answered, requested_at

    def _second_grant(self, dropped: Dropped) -> str:
        try:
            return self._limiter.take(self._lane)
        except NotYet:
            raise dropped from None  # what became of the first is not known, and "not yet" would say that it is

    def _send(self, request: httpx.Request, grant: str) -> tuple[int, bytes, Mapping[str, str]]:
        settled = False
        events: list[str] = []
        request.extensions["trace"] = lambda event, _: events.append(event)
        try:
            response = self._client.send(request, stream=True)
            try:
                # told before the body is read: what the headers say about time is as of now
                self._limiter.settle(grant, response.status_code, response.headers)
                settled = True
                return response.status_code, _body(response), response.headers
            finally:
                response.close()
        except httpx.ConnectTimeout:
            raise Unreachable("It did not answer the call within 5 seconds.") from None
        except httpx.TimeoutException:
            raise Unreachable("It did not answer in time.") from None
        except httpx.ConnectError as error:
            if "SSL" in str(error):
                raise Unreachable("No secure connection: its certificate or its TLS is not in order.") from None
            raise Unreachable("It cannot be reached: the connection was refused or its name is not known.") from None
        except httpx.DecodingError:
            raise Broken("It answered in an encoding that cannot be read.") from None
        except httpx.HTTPError:
            kept = "connection.connect_tcp.started" not in events
            unanswered = "http11.receive_response_headers.complete" not in events
            broke = Dropped if kept and unanswered else Unreachable
            raise broke("The connection broke before the answer was complete.") from None
        finally:
            if not settled:
                self._limiter.settle(grant, None, {})

    def _read(self, raw: bytes) -> tuple[Any, bool]:
        if not raw:
            return None, False
        # a provider that repeats the key in its answer must not bring it into our database
        with suppress(ValueError):
            return parse(raw.replace(self._key.encode(), "…".encode())), True
        return None, False


def make_client(transport: httpx.BaseTransport) -> httpx.Client:
    client = httpx.Client(transport=transport, follow_redirects=False, trust_env=False)
    # connections are shared by organizations, cookies must not be
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return client


@lru_cache(maxsize=4)
def _shared_client(allow_private: bool, process: int) -> httpx.Client:
    """Connections stay open between requests; a forked process gets its own."""
    return make_client(GuardedTransport(allow_private=allow_private))


def _body(response: httpx.Response) -> bytes:
    parts, size = [], 0
    for part in response.iter_bytes():
        size += len(part)
        if size > LARGEST:
            raise Broken("It answered with more than 10 MB.", response.status_code)
        parts.append(part)
    return b"".join(parts)
