"""A delivery of our own through the front door: put to the worker, signed, sent, and seen arriving.

No page sends it: a server of one process would wait for itself. Its header names the row that it is known by, so
that nobody else's delivery is taken for a test, whatever it says.
"""

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from celery import current_app
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import User
from organizer.connections import vault
from organizer.upstream import front_door
from organizer.upstream.errors import Unreachable
from organizer.webhooks.models import Auth, Delivery, Purpose, Reason, Trial, Vendor, VendorSecret
from organizer.webhooks.receiver import signatures
from organizer.webhooks.rejections import FIXES

log = logging.getLogger(__name__)

TASK = "organizer.webhooks.tasks.send_test"
HEADER = "X-Foyer-Test"
EVENT = "test"
COUNTS_FOR = timedelta(minutes=1)
"""After that it is neither sent nor known for a test."""
PATIENCE = timedelta(seconds=10)
KEPT = timedelta(days=30)
AT_ONCE = 5


class CouldNotTest(Exception):
    pass


def ask(*, vendor: Vendor, by: User) -> Trial:
    """The worker sends it. Raises `CouldNotTest`."""
    if why := why_not(vendor):
        raise CouldNotTest(why)
    now = timezone.now()
    open_ones = Trial.objects.filter(vendor=vendor, asked_at__gt=now - COUNTS_FOR, answered_at=None)
    if open_ones.count() >= AT_ONCE:
        raise CouldNotTest(_("There are tests on their way already. Wait for them."))
    with transaction.atomic():
        trial = Trial.objects.create(organization_id=vendor.organization_id, vendor=vendor, by_name=str(by))
        audit.record(
            "vendor.test", target=vendor, organization=vendor.organization, by=by, after={"reference": trial.reference}
        )
    transaction.on_commit(lambda: _kick(trial.pk))
    return trial


def why_not(vendor: Vendor) -> str:
    """Why one cannot be sent at all; empty where it can."""
    if vendor.auth == Auth.HMAC and _secret(vendor) is None:
        return _("There is no secret to sign it with.")
    return ""


def send(trial_id: Any, address: str, *, now: Callable[[], datetime] = timezone.now) -> None:
    """Once, whoever is told twice; `address` is the supplier's own."""
    fresh = Trial.objects.filter(pk=trial_id, sent_at=None, asked_at__gt=now() - COUNTS_FOR)
    if not fresh.update(sent_at=now()):
        return
    trial = Trial.objects.select_related("vendor").get(pk=trial_id)
    changes: dict[str, Any] = {}
    began = time.perf_counter()
    try:
        answer = front_door.post(address, body(trial), headers(trial))
        changes |= {"status": answer.status, "answer": answer.text}
    except Unreachable as problem:
        changes["problem"] = problem.message
    changes["took"] = round((time.perf_counter() - began) * 1000)
    arrived = Delivery.objects.filter(vendor=trial.vendor_id, reference=trial.reference).only("pk").first()
    Trial.objects.filter(pk=trial_id).update(answered_at=now(), delivery=arrived, **changes)


def body(trial: Trial) -> bytes:
    return json.dumps({"event": EVENT, "reference": trial.reference}).encode()


def headers(trial: Trial) -> dict[str, str]:
    vendor = trial.vendor
    said = {"Content-Type": "application/json", "User-Agent": "Foyer", HEADER: str(trial.pk)}
    if vendor.id_headers:
        said[vendor.id_headers[0]] = f"test-{trial.pk}"
    secret = _secret(vendor) if vendor.auth == Auth.HMAC else None
    if secret:
        said[vendor.signature_header] = signatures.sign(body(trial), vault.opened(secret))
    return said


def is_ours(header: str, vendor: Vendor, now: datetime) -> bool:
    """What somebody else writes there says nothing."""
    try:
        trial_id = UUID(header)
    except ValueError:
        return False
    sent = Trial.objects.filter(pk=trial_id, vendor=vendor.pk, sent_at__isnull=False, answered_at=None)
    return sent.filter(asked_at__gt=now - COUNTS_FOR).exists()


def last(vendor: Vendor) -> Trial | None:
    return Trial.objects.filter(vendor=vendor).order_by("-asked_at").first()


@dataclass(frozen=True)
class TrialRow:
    """How the last test stands."""

    trial: Trial
    now: datetime

    @property
    def is_open(self) -> bool:
        return self.trial.answered_at is None and self.now - self.trial.asked_at <= COUNTS_FOR

    @property
    def is_slow(self) -> bool:
        """Nobody has taken it up."""
        return self.is_open and self.trial.sent_at is None and self.now - self.trial.asked_at > PATIENCE

    @property
    def level(self) -> str:
        if self.is_open:
            return "info"
        return "ok" if self.trial.status == 200 else "warn" if self._is_expected else "stop"

    @property
    def _error(self) -> str:
        try:
            said = json.loads(self.trial.answer)
        except ValueError:
            return ""
        return str(said.get("error") or "") if isinstance(said, dict) else ""

    @property
    def _is_expected(self) -> bool:
        return self._error == Reason.SOURCE_NOT_ALLOWED or (self._error == "unknown_vendor" and not self._active)

    @property
    def _active(self) -> bool:
        return self.trial.vendor.active

    @property
    def words(self) -> str:
        trial = self.trial
        if self.is_slow:
            return _("Nobody has sent it yet: is the worker running?")
        if self.is_open:
            return _("On its way…")
        if trial.answered_at is None:
            return _("It was never sent. Is the worker running?")
        if trial.status is None:
            return _("No answer: %s") % trial.problem
        if trial.status == 200:
            return _("It arrived, and was stored.")
        return _("It was refused.")

    @property
    def fix(self) -> str:
        if self._error == Reason.SOURCE_NOT_ALLOWED:
            return _(
                "That is as it should be, unless the address of this installation is on the list: the test comes "
                "from there, and not from the supplier."
            )
        if self._error == "unknown_vendor":
            return _("It is switched off.") if not self._active else _("The address leads elsewhere: see its setting.")
        if self.trial.answered_at and self.trial.status is None:
            return _("The address is what FOYER_PUBLIC_URL says: it has to be reached from where the worker runs.")
        return str(FIXES.get(self._error, ""))


def forget(now: datetime) -> None:
    Trial.objects.filter(asked_at__lt=now - KEPT).delete()


def _secret(vendor: Vendor) -> VendorSecret | None:
    return vendor.secrets.filter(purpose=Purpose.SIGNING, ends_at=None).first()


def _kick(trial_id: UUID) -> None:
    try:
        current_app.send_task(TASK, kwargs={"trial_id": str(trial_id)})
    except Exception:
        log.warning("a test delivery could not be queued", exc_info=True)
