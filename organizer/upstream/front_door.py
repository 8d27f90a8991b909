"""This installation's own public address, asked as anybody would ask it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import httpx

from organizer.upstream.addresses import GuardedTransport, at_most
from organizer.upstream.errors import Unreachable
from organizer.upstream.transport import make_client

TIMEOUT = 10.0
LONGEST_ANSWER = 4_096


@dataclass(frozen=True)
class Answer:
    status: int
    text: str


def post(url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Who runs the installation has said where it is, so that it may be in a private network. Raises `Unreachable`."""
    client = _client(os.getpid())
    try:
        with (
            at_most(TIMEOUT),
            client.stream("POST", url, content=body, headers=dict(headers), timeout=TIMEOUT) as response,
        ):
            text = b""
            for part in response.iter_bytes():
                text += part
                if len(text) > LONGEST_ANSWER:
                    break
            return Answer(response.status_code, text[:LONGEST_ANSWER].decode("utf-8", "replace"))
    except httpx.TimeoutException:
        raise Unreachable("It did not answer in time.") from None
    except httpx.ConnectError as error:
        if "SSL" in str(error):
            raise Unreachable("No secure connection: its certificate or its TLS is not in order.") from None
        raise Unreachable("It cannot be reached: the connection was refused or its name is not known.") from None
    except (httpx.HTTPError, httpx.InvalidURL):
        raise Unreachable("The connection broke before the answer was complete.") from None


@lru_cache(maxsize=1)
def _client(process: int) -> httpx.Client:
    """A forked process gets its own."""
    return make_client(GuardedTransport(allow_private=True))
