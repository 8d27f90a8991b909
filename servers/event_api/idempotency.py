"""`Idempotency-Key`: the record of an answer, the write behind it and its mail are one transaction.

A request first claims its key in a transaction of its own, so that a second one, in any process, is told 409 at once.
The claim has a lease: it outlives a process that dies, and is then taken over. The answer is recorded only while the
claim is still ours; so whatever happens, one key writes once.
"""

import hashlib
import uuid
from collections.abc import Callable
from datetime import timedelta

from django.db import IntegrityError, models, transaction
from django.http import HttpRequest, HttpResponse

from servers.event_api.errors import ApiError, invalid
from servers.event_api.models import IdempotencyRecord
from servers.kit import clock, writes
from servers.organizations.models import ApiKey

HEADER = "Idempotency-Key"
MAX_LENGTH = 255
LIFETIME = timedelta(hours=24)
LEASE = timedelta(seconds=60)
NEVER_RECORDED = frozenset({401, 403, 409, 413, 429})
Answer = Callable[[], HttpResponse]


def answer(request: HttpRequest, api_key: ApiKey, body: bytes, answer: Answer) -> HttpResponse:
    """Runs `answer` in one transaction, or replays what it said the first time. A refusal writes nothing."""
    key = request.headers.get(HEADER)
    if key is None:
        with writes.write():
            return _undone_if_refused(answer)
    if not 1 <= len(key) <= MAX_LENGTH:
        raise invalid(HEADER, f"An idempotency key has 1 to {MAX_LENGTH} characters.", "length")
    claimed = _claim(request, api_key, key, hashlib.sha256(body).hexdigest())
    if isinstance(claimed, HttpResponse):
        return claimed
    return _recorded(claimed, answer)


def _recorded(mine: IdempotencyRecord, answer: Answer) -> HttpResponse:
    kept = False
    try:
        with writes.write():
            with transaction.atomic():
                response = _undone_if_refused(answer)
            if _is_recorded(response):
                kept = _ours(mine).update(status=response.status_code, body=response.content) == 1
                if not kept:  # our lease ran out and another request has the key: its answer counts
                    raise _in_progress()
            return response
    finally:
        if not kept:
            with writes.turn():
                _ours(mine).delete()


def _undone_if_refused(answer: Answer) -> HttpResponse:
    response = answer()
    if response.status_code >= 400:
        transaction.set_rollback(True)
    return response


def _is_recorded(response: HttpResponse) -> bool:
    return response.status_code < 500 and response.status_code not in NEVER_RECORDED


def _claim(request: HttpRequest, api_key: ApiKey, key: str, body_sha256: str) -> IdempotencyRecord | HttpResponse:
    now = clock.now()
    scope = {"api_key": api_key, "method": request.method, "path": _path(request), "key": key}
    fresh = {
        "body_sha256": body_sha256,
        "claim": uuid.uuid4().hex,
        "lease_until": now + LEASE,
        "status": None,
        "body": b"",
        "created_at": now,
    }
    known = IdempotencyRecord.objects.filter(**scope).first()
    if known is None:
        try:
            with writes.write():
                return IdempotencyRecord.objects.create(**scope, **fresh)
        except IntegrityError:  # another request was first, this instant
            raise _in_progress() from None
    expired = known.created_at + LIFETIME <= now
    if not expired:
        if known.body_sha256 != body_sha256:
            raise ApiError(400, "idempotency_key_reuse", "This idempotency key was used with another body.")
        if known.status is not None:
            return _replay(known.status, bytes(known.body))
        if known.lease_until > now:
            raise _in_progress()
    with writes.turn():
        taken = _ours(known).filter(status=known.status).update(**fresh)
    if not taken:
        raise _in_progress()
    known.claim = str(fresh["claim"])
    return known


def _ours(record: IdempotencyRecord) -> models.QuerySet[IdempotencyRecord]:
    return IdempotencyRecord.objects.filter(pk=record.pk, claim=record.claim)


def _path(request: HttpRequest) -> str:
    path = request.path
    return path if len(path) <= 400 else f"sha256:{hashlib.sha256(path.encode()).hexdigest()}"


def _replay(status: int, body: bytes) -> HttpResponse:
    response = HttpResponse(body, status=status, content_type="application/json")
    response["Idempotent-Replay"] = "true"
    return response


def _in_progress() -> ApiError:
    return ApiError(409, "idempotent_request_in_progress", "The first request with this key is still being answered.")
