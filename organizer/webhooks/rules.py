"""What holds of suppliers' notices, without a database."""

import re
import secrets

RECEIVED_AT = "/api/webhooks"
SIGNATURE_HEADER = "X-Vendor-Signature"
ID_HEADERS = ("X-Webhook-Id", "X-Delivery-Id", "X-Request-Id")
KEY = re.compile(r"[a-z0-9-]{2,60}")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")  # RFC 9110, 5.6.2
_NOT_FOR_SIGNATURES = ("host", "cookie", "authorization", "connection", "transfer-encoding", "x-forwarded-for")


_SECRET_NAME = re.compile(r"token|secret|key|signature|authoriz|cookie|passw", re.IGNORECASE)
REDACTED = "[redacted]"


def id_headers() -> list[str]:
    return list(ID_HEADERS)


def new_secret() -> str:
    return f"whsec_{secrets.token_urlsafe(32)}"


def is_header_name(name: str) -> bool:
    """One that a signature may come in."""
    lowered = name.lower()
    fits = _TOKEN.fullmatch(name) and "_" not in name  # servers take `_` for `-`, or drop it
    return bool(fits) and lowered not in _NOT_FOR_SIGNATURES and not lowered.startswith(("content-", "x-forwarded-"))


def redacted(name: str, value: str, signature_header: str) -> str:
    """A stored body with its signature would be all that somebody needs to send it again."""
    hidden = _SECRET_NAME.search(name) or name.lower() == signature_header.lower()
    return REDACTED if hidden else value
