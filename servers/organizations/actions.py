"""What changes organizations and their keys."""

import hashlib
import re
import secrets
from dataclasses import dataclass

from django.db import transaction

from servers.kit import clock
from servers.organizations.models import ApiKey, Organization, User

PREFIX = "evt_live_"
DEFAULT_LIMIT = "60/10"
MAX_NAME = 120
_SLUG = re.compile(r"[A-Za-z0-9_-]{1,60}")


class CouldNotCreateKey(ValueError):
    """The message says what is wrong with what was asked."""


class CouldNotName(ValueError):
    """The message says what an organization's name in addresses looks like."""


@dataclass(frozen=True)
class NewKey:
    key: ApiKey
    secret: str
    """The whole key. It is stored nowhere: show it once."""


def organization_named(*, slug: str, name: str = "") -> Organization:
    """The organization, made if it is new."""
    if not _SLUG.fullmatch(slug):
        raise CouldNotName(f"An organization is 1 to 60 letters, digits, - and _; not {slug!r}.")
    organization, _ = Organization.objects.get_or_create(slug=slug, defaults={"name": name or slug.title()})
    return organization


def create_key(
    *,
    organization: Organization,
    scopes: list[str],
    name: str = "API key",
    limit: str = DEFAULT_LIMIT,
    by: User | None = None,
) -> NewKey:
    requests, seconds = parse_limit(limit)
    if not 1 <= len(name) <= MAX_NAME:
        raise CouldNotCreateKey(f"A key's name has 1 to {MAX_NAME} characters.")
    secret = PREFIX + secrets.token_urlsafe(32)
    key = ApiKey.objects.create(
        organization=organization,
        name=name,
        sha256=digest(secret),
        prefix=secret[: len(PREFIX) + 4],
        last4=secret[-4:],
        scopes=scopes,
        limit_requests=requests,
        limit_seconds=seconds,
        created_by=by,
    )
    return NewKey(key, secret)


def revoke_key(*, key: ApiKey) -> None:
    """Holds from the next request on. A second time changes nothing."""
    with transaction.atomic():
        ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=clock.now())
    key.refresh_from_db()


def digest(secret: str) -> str:
    """A key is 256 random bits, so a plain hash is as good as a slow one."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def parse_limit(text: str) -> tuple[int, int]:
    requests, _, seconds = text.partition("/")
    if not (requests.isdecimal() and seconds.isdecimal() and 0 < int(requests) < 10**6 and 0 < int(seconds) < 10**5):
        raise CouldNotCreateKey(f"A limit is requests/seconds, such as {DEFAULT_LIMIT}; not {text!r}.")
    return int(requests), int(seconds)
