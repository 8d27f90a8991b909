"""One notification over HTTP, bounded as a whole, and what came back."""

import asyncio
import hashlib
import hmac
import ssl
import time
from dataclasses import dataclass
from functools import cache

import httpx

CONNECT_TIMEOUT, LONGEST = 5.0, 15.0
"""Seconds to connect, and for all of it: far below a job's lease."""
ANSWER_KEPT = 2000


@dataclass(frozen=True)
class Answer:
    """Without a status nothing whole came back, and `error` says why."""

    status: int | None = None
    text: str = ""
    error: str = ""
    retry_after: str = ""
    milliseconds: int = 0


def signature(body: bytes, secret: str, *, prefix: bool) -> str:
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return f"sha256={digest}" if prefix else digest


def send(url: str, body: bytes, headers: dict[str, str]) -> Answer:
    """Goes nowhere else than to `url`: an answer that points on is an answer."""
    began = time.monotonic()
    response, error = None, ""
    try:
        # asyncio for its timeout: it ends also an answer that trickles in
        response = asyncio.run(_exchange(url, body, headers))
    except httpx.ConnectTimeout:
        error = f"It did not answer the call within {CONNECT_TIMEOUT:.0f} seconds."
    except (httpx.TimeoutException, TimeoutError):
        error = f"It did not answer within {LONGEST:.0f} seconds."
    except httpx.ConnectError:
        error = "It cannot be reached: refused, or its name is not known, or its certificate is not in order."
    except httpx.HTTPError:
        error = "The connection broke before the answer was complete."
    except (httpx.InvalidURL, UnicodeError):
        error = "Its address cannot be read."
    took = round((time.monotonic() - began) * 1000)
    if response is None:
        return Answer(error=error, milliseconds=took)
    status, raw, retry_after = response
    return Answer(status, raw.decode("utf-8", "replace").replace("\x00", "\ufffd"), "", retry_after, took)


async def _exchange(url: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, str]:
    timeout = httpx.Timeout(LONGEST, connect=CONNECT_TIMEOUT)
    async with (
        asyncio.timeout(LONGEST),
        httpx.AsyncClient(follow_redirects=False, trust_env=False, verify=_tls(), timeout=timeout) as client,
        client.stream("POST", url, content=body, headers=headers) as response,
    ):
        kept = b""
        async for part in response.aiter_bytes():
            kept += part
            if len(kept) >= ANSWER_KEPT:
                break
        return response.status_code, kept[:ANSWER_KEPT], response.headers.get("Retry-After", "")


@cache
def _tls() -> ssl.SSLContext:
    """Reading all certificate authorities takes longer than sending."""
    return httpx.create_ssl_context()
