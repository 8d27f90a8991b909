"""`POST /api/webhooks/{vendorKey}`: answers by itself, before sessions, cookies, hosts and languages.

The order of the checks, and each answer: docs/webhooks.md.
"""

import json
import logging
import re
import uuid
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from time import perf_counter

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from organizer.kit import logs, quick
from organizer.webhooks import actions, kicks, rules, trials
from organizer.webhooks.models import Action, Auth, Delivery, Outcome, Proof
from organizer.webhooks.receiver import bodies, budgets, callers, intake, notes, reading, signatures, sources

log = logging.getLogger(__name__)

_PATH = re.compile(rf"{rules.RECEIVED_AT}/({rules.KEY.pattern})/?")
FAILURES_A_SECOND, FAILURES_AT_ONCE = 0.5, 30
"""Of one address: thirty a minute."""
STORE_AWAY = 5.0


class Refused(Exception):
    """`reason` is what the log calls it, `error` what the caller reads."""

    def __init__(self, status: int, error: str, message: str, *, reason: str = "", wait: float = 0.0) -> None:
        super().__init__(message)
        self.status, self.error, self.message = status, error, message
        self.reason, self.wait = reason or error, wait


class WebhookMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not f"{request.path_info}/".startswith(f"{rules.RECEIVED_AT}/"):
            return self.get_response(request)
        token = logs.request_id.set(uuid.uuid4().hex)
        try:
            response = _answer(request)
            response["X-Request-Id"] = logs.request_id.get()
            return response
        finally:
            logs.request_id.reset(token)


def _answer(request: HttpRequest) -> HttpResponse:
    visit = Visit(request)
    try:
        action = visit.take()
    except Refused as refusal:
        visit.note(refusal)
        return _refusal(refusal)
    except DatabaseError:
        log.exception("a webhook could not be stored")
        notes.shared.refused(visit.vendor_id, "store_unavailable")
        return _refusal(Refused(503, "store_unavailable", "It could not be stored. Send it again.", wait=STORE_AWAY))
    return _json(200, {"received": True, "action": action})


class Visit:
    """One request, from its first byte to what is stored of it."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request
        self._began = perf_counter()
        self._now: datetime = timezone.now()
        self._caller: callers.Caller | None = None
        self._body: bytes | None = None
        self._secret_number: int | None = None
        self._proof = Proof.IP
        self._is_test = False
        self._source = sources.find(
            request.META.get("REMOTE_ADDR") or "",
            request.META.get("HTTP_X_FORWARDED_FOR") or "",
            settings.FOYER_PROXY_NETWORKS,
        )

    @property
    def vendor_id(self) -> uuid.UUID | None:
        return self._caller.vendor.pk if self._caller else None

    def take(self) -> str:
        """The action that is answered. Raises `Refused`, and DatabaseError where it is not stored."""
        if self._request.method != "POST":
            raise Refused(405, "method_not_allowed", "Send a POST.")
        self._caller = caller = self._find()
        self._is_test = self._was_sent_by_us(caller)
        self._body = body = self._read()
        self._authenticate(caller, body)
        vendor = caller.vendor
        if wait := budgets.shared().take(f"vendor:{vendor.pk.hex}", vendor.rate, vendor.burst):
            raise Refused(429, "rate_limited", "Too many deliveries at once.", wait=wait)
        delivery = self._delivery(caller, body)
        if intake.store(delivery, same_body_for=vendor.same_body_for):
            if delivery.outcome == Outcome.WAITING:
                kicks.waits(vendor.pk)
            return delivery.action
        notes.shared.repeated(vendor.pk, bytes(delivery.dedupe_key), bytes(delivery.body_hash))
        return "duplicate"

    def note(self, refusal: Refused) -> None:
        """Best effort: the answer is decided."""
        if refusal.status == 405 or self._is_test:
            return
        notes.shared.refused(self.vendor_id, refusal.reason)
        log.info("webhook refused: %s %s from %s", refusal.status, refusal.reason, self._source.address)
        if self._caller is None or refusal.status == 429:
            return
        try:
            actions.keep_rejection(
                vendor=self._caller.vendor,
                status=refusal.status,
                reason=refusal.reason,
                source=self._source.address,
                size=None if self._body is None else len(self._body),
                body_hash="" if self._body is None else sha256(self._body).hexdigest()[:12],
                header_names=[name for name, _ in self._headers()],
                elsewhere=self._signature_elsewhere(self._caller) if refusal.status == 401 else None,
            )
        except DatabaseError:
            log.warning("a refusal could not be noted", exc_info=True)

    def _find(self) -> callers.Caller:
        match = _PATH.fullmatch(self._request.path_info)
        caller = callers.find(match[1], self._now) if match else None
        if caller is None:
            raise Refused(404, "unknown_vendor", "There is no supplier with this key.")
        if not caller.vendor.active:
            self._caller = caller
            self._is_test = self._was_sent_by_us(caller)
            raise Refused(404, "unknown_vendor", "There is no supplier with this key.", reason="vendor_disabled")
        return caller

    def _was_sent_by_us(self, caller: callers.Caller) -> bool:
        """A test: only who says so costs a question."""
        said = self._request.META.get(_meta(trials.HEADER))
        return bool(said) and trials.is_ours(str(said), caller.vendor, self._now)

    def _read(self) -> bytes:
        try:
            return bodies.read(self._request)
        except bodies.CouldNotRead as problem:
            reason = problem.code if problem.code == "payload_too_large" else "unreadable"
            raise Refused(400, problem.code, problem.message, reason=reason) from None

    def _authenticate(self, caller: callers.Caller, body: bytes) -> None:
        refusal = self._by_address(caller) if caller.vendor.auth == Auth.IP else self._by_signature(caller, body)
        if refusal is None:
            return
        if wait := budgets.shared().take(f"failures:{self._source.address}", FAILURES_A_SECOND, FAILURES_AT_ONCE):
            message = "Too many failures from this address."
            raise Refused(429, "rate_limited", message, reason="too_many_failures", wait=wait)
        raise refusal

    def _by_address(self, caller: callers.Caller) -> Refused | None:
        address = self._source.address
        if address and sources.contains(sources.networks(caller.vendor.allowed), address):
            return None
        return Refused(403, "source_not_allowed", "This address is not on the supplier's list.")

    def _by_signature(self, caller: callers.Caller, body: bytes) -> Refused | None:
        name = caller.vendor.signature_header
        said = (self._request.META.get(_meta(name)) or "").strip()
        if not said:
            return Refused(401, "signature_missing", f"There is no signature in {name}.")
        number = signatures.matching(body, said, caller.opened())
        if number is None:
            return Refused(401, "signature_invalid", f"The signature in {name} does not belong to this body.")
        secret = caller.secrets[number]
        self._secret_number = secret.number
        self._proof = Proof.OLD_SECRET if number else Proof.HMAC
        if actions.is_use_worth_noting(secret, self._now):
            notes.shared.used(secret.pk)
        return None

    def _signature_elsewhere(self, caller: callers.Caller) -> tuple[str, bool] | None:
        """Another header that holds what looks like a signature, and whether it is the right one."""
        expected = caller.vendor.signature_header.lower()
        for name, value in self._headers():
            if name.lower() != expected and signatures.digest_in(value):
                return name, signatures.matching(self._body or b"", value, caller.opened()) is not None
        return None

    def _delivery(self, caller: callers.Caller, body: bytes) -> Delivery:
        vendor = caller.vendor
        said = reading.read(body)
        header, delivery_id = self._delivery_id(vendor.id_headers)
        outcome = Outcome.TEST if self._is_test else Outcome.WAITING if said.reference else Outcome.STORED_ONLY
        body_hash = sha256(body).digest()
        return quick.new(
            Delivery,
            organization_id=vendor.organization_id,
            vendor_id=vendor.pk,
            dedupe_key=intake.dedupe_key(delivery_id, body_hash),
            delivery_id=delivery_id[:255],
            id_header=header,
            body=body,
            body_hash=body_hash,
            body_size=len(body),
            beginning=_line(body),
            content_type=(self._request.META.get("CONTENT_TYPE") or "")[:255],
            headers=[[name, rules.redacted(name, value, vendor.signature_header)] for name, value in self._headers()],
            source=str(self._source.address) if self._source.address else None,
            proxies=self._source.proxies,
            auth=self._proof,
            secret_number=self._secret_number,
            event=said.event,
            reference=said.reference,
            reference_field=said.field,
            flags=list(said.flags),
            odd=bool(said.flags),
            action=Action.RECONCILE if said.reference else Action.STORED_ONLY,
            outcome=outcome,
            settled_at=None if outcome == Outcome.WAITING else self._now,
            received_at=self._now,
            took=round((perf_counter() - self._began) * 1_000_000),
        )

    def _delivery_id(self, names: list[str]) -> tuple[str, str]:
        for name in names:
            if value := (self._request.META.get(_meta(name)) or "").strip():
                return name, value
        return "", ""

    def _headers(self) -> list[tuple[str, str]]:
        """As many, and as much of each, as one wants to read."""
        found = [
            (key.removeprefix("HTTP_").replace("_", "-").title(), str(value))
            for key, value in self._request.META.items()
            if key.startswith("HTTP_") or key in ("CONTENT_TYPE", "CONTENT_LENGTH")
        ]
        return [(name[:100], value.replace("\x00", "")[:500]) for name, value in sorted(found)[:60] if value]


def _meta(name: str) -> str:
    return f"HTTP_{name.upper().replace('-', '_')}"


def _line(body: bytes) -> str:
    """The beginning of a body as one line of a list."""
    text = body[:200].decode("utf-8", "replace")
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())[:80]


def _refusal(refusal: Refused) -> HttpResponse:
    response = _json(refusal.status, {"received": False, "error": refusal.error, "message": refusal.message})
    if refusal.wait:
        response["Retry-After"] = str(budgets.retry_after(refusal.wait))
    if refusal.status == 405:
        response["Allow"] = "POST"
    return response


def _json(status: int, value: dict[str, object]) -> HttpResponse:
    body = json.dumps(value)
    headers = {
        "Content-Length": str(len(body)), "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"
    }  # fmt: skip
    return HttpResponse(body, content_type="application/json", status=status, headers=headers)
