"""Posting what happened to an address that somebody has set: the answer's status is all that is read of it."""

import base64
import hashlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import httpx

from organizer.upstream.addresses import GuardedTransport, at_most
from organizer.upstream.errors import AddressRefused, Unreachable
from organizer.upstream.transport import make_client

TIMEOUT, CONNECT_TIMEOUT = 15.0, 5.0
LONGEST = 20.0


@dataclass(frozen=True)
class Said:
    status: int
    retry_after: int
    """Seconds; 0 where nothing was said, or nothing that is a number."""


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """`v1,…` over id, time and the very bytes, as Standard Webhooks has it."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    allow_private: bool,
    timeout: float = TIMEOUT,
    longest: float = LONGEST,
) -> Said:
    """Raises `Unreachable` or `AddressRefused`. A redirect is not followed."""
    if not url.startswith("https://") and not allow_private:
        raise AddressRefused("This installation only connects to addresses that begin with https://.")
    client = _client(allow_private, os.getpid())
    named = {"Content-Type": "application/json", "User-Agent": "Foyer"} | dict(headers)
    within = httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT))
    with at_most(longest):
        try:
            request = client.build_request("POST", url, content=body, headers=named, timeout=within)
            response = client.send(request, stream=True)
            response.close()
        except httpx.ConnectTimeout:
            raise Unreachable("It did not answer the call within 5 seconds.") from None
        except httpx.TimeoutException:
            raise Unreachable("It did not answer in time.") from None
        except httpx.ConnectError as error:
            if "SSL" in str(error):
                raise Unreachable("No secure connection: its certificate or its TLS is not in order.") from None
            raise Unreachable("It cannot be reached: the connection was refused or its name is not known.") from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError):
            raise Unreachable("The connection broke before the answer was complete.") from None
    said = response.headers.get("Retry-After", "")
    return Said(response.status_code, int(said) if said.isascii() and said.isdecimal() and len(said) < 8 else 0)


@lru_cache(maxsize=4)
def _client(allow_private: bool, process: int) -> httpx.Client:
    """Of its own: nothing of a connection to a provider is shared with it."""
    return make_client(GuardedTransport(allow_private=allow_private))
