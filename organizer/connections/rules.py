"""What may be typed as an address or a key, and how a key is shown. Pure."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit, urlunsplit

UNTRIED_AFTER, LACKING_AFTER = timedelta(minutes=1), timedelta(minutes=5)
SHOWN_PREFIX, SHOWN_END = 12, 4
_VISIBLE = re.compile(r"[^\s\x00-\x20\x7f]*")
_KEY = re.compile(r"[\x21-\x7e]{8,500}")


@dataclass(frozen=True)
class Notice:
    """A banner: what is wrong, and what to do about it."""

    level: str  # danger, warning, info
    text: str
    fix_url_name: str = "connections:index"
    since: datetime | None = None


@dataclass(frozen=True)
class Budget:
    """How much of a key's allowance is used in its present window."""

    used: int
    limit: int
    resets_in: float


def address(text: str) -> str:
    """An API's base address as it is stored: two spellings of one address are one connection. Raises ValueError."""
    if not _VISIBLE.fullmatch(text.strip()):
        raise ValueError("An address has no spaces in it.")
    parts = urlsplit(text.strip())
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError("An address begins with https:// and names a host.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("An address has no user, no password, no question mark and no hash.")
    standard = {"http": 80, "https": 443}[parts.scheme]
    shown = f"[{host}]" if ":" in host else host
    port = "" if parts.port in (None, standard) else f":{parts.port}"
    return urlunsplit((parts.scheme, shown.lower() + port, parts.path.rstrip("/"), "", ""))


def is_private_by_sight(url: str) -> bool:
    """Only what can be told without a name server: the rest is judged when connecting."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "https" or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False


def is_key(text: str) -> bool:
    return bool(_KEY.fullmatch(text))


def shown_parts(key: str) -> tuple[str, str]:
    """Prefix and last four; of a short key less, so that most of it stays unknown."""
    if len(key) < 3 * (SHOWN_PREFIX + SHOWN_END) // 2:
        return key[:2], ""
    return key[:SHOWN_PREFIX], key[-SHOWN_END:]


def scope_in_words(scope: str) -> str:
    """`ticket_classes:write` is to "change ticket classes"; the screens call attendees guests."""
    resource, _, action = scope.partition(":")
    verb = {"read": "read", "write": "change"}.get(action, action)
    what = "guests" if resource == "attendees" else resource.replace("_", " ")
    return f"{verb} {what}"


def is_check_due(health: str, scopes: Mapping[str, str], checked_at: datetime | None, now: datetime) -> bool:
    """Whether what is known of a key is to be found out again, without anybody asking for it."""
    if checked_at is None:
        return health in ("checking", "working")
    if not scopes and health in ("working", "unreachable"):  # it was away when it was tried
        return now - checked_at >= UNTRIED_AFTER
    return health == "working" and "denied" in scopes.values() and now - checked_at >= LACKING_AFTER
