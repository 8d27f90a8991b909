"""Notifications on their way: claimed by compare-and-set, tried until they are taken or too old, each under its id.

A process that dies between the answer and the mark sends once more, and whoever receives it knows the id.
"""

import random
import smtplib
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, mailers
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from organizer.accounts.models import Membership
from organizer.alerts import rules
from organizer.alerts.models import Attempt, Channel, Hook, Sending, SendingState
from organizer.connections import vault
from organizer.sync import leases
from organizer.upstream import hooks
from organizer.upstream.errors import UpstreamError

LEASE = timedelta(seconds=60)
"""Outlives a post, which ends within 20 s, and a mail."""
AT_ONCE = 2
CANDIDATES = 5
SECONDS_A_TASK = 20.0
GONE = 410
Clock = Callable[[], datetime]


class NotTaken(Exception):
    """`final`: no other try will change it."""

    def __init__(self, why: str, *, status: int | None = None, retry_after: int = 0, final: bool = False) -> None:
        super().__init__(why)
        self.why, self.status, self.retry_after, self.final = why, status, retry_after, final


class Unwanted(Exception):
    """Nobody is there any more who wants it."""


def with_due(now: datetime) -> QuerySet[Any]:
    return due(now).order_by().values_list("organization", flat=True).distinct()


def due(now: datetime) -> QuerySet[Sending]:
    free = Q(holder="") | Q(until__lt=now)
    return Sending.objects.filter(free, state=SendingState.WAITING, next_at__lte=now)


def drain(organization_id: Any, *, seconds: float = SECONDS_A_TASK, now: Clock = timezone.now) -> int:
    """Sends what is due, one after the other; how many were tried. A slow receiver keeps no other organization."""
    end, done, holder = time.monotonic() + seconds, 0, leases.new_holder()
    while time.monotonic() < end and (sending := claim(organization_id, holder, now())):
        send(sending, now)
        done += 1
    return done


def claim(organization_id: Any, holder: str, now: datetime) -> Sending | None:
    busy = Sending.objects.filter(organization=organization_id, state=SendingState.WAITING, until__gte=now)
    if busy.exclude(holder="").count() >= AT_ONCE:
        return None
    waiting = due(now).filter(organization=organization_id).select_related("user", "organization")
    for one in waiting.order_by("next_at", "id")[:CANDIDATES]:
        if due(now).filter(pk=one.pk, next_at=one.next_at).update(holder=holder, until=now + LEASE):
            one.holder = holder
            return one
    return None


def recover(now: datetime) -> None:
    """Frees at once what processes of this machine held that are no more."""
    held = Sending.objects.filter(state=SendingState.WAITING).exclude(holder="")
    dead = [holder for holder in held.values_list("holder", flat=True).distinct() if leases.is_dead(holder)]
    held.filter(holder__in=dead).update(holder="", until=None, next_at=now)


def send(sending: Sending, now: Clock = timezone.now) -> None:
    attempt = Attempt.objects.create(sending=sending, at=now())
    begun = time.monotonic()
    try:
        if sending.channel == Channel.MAIL:
            _mail(sending)
        else:
            attempt.status = _post(sending, now())
        ended: dict[str, Any] = {"state": SendingState.SENT, "problem": ""}
    except Unwanted as reason:
        attempt.problem = str(reason)
        ended = {"state": SendingState.DROPPED, "problem": str(reason)}
    except NotTaken as answer:
        attempt.status, attempt.problem = answer.status, answer.why
        ended = _not_taken(sending, answer, now())
    attempt.took = round((time.monotonic() - begun) * 1000)
    with transaction.atomic():
        attempt.save()
        mine = Sending.objects.filter(pk=sending.pk, holder=sending.holder)
        mine.update(holder="", until=None, tries=F("tries") + 1, **ended)


def forget(now: datetime, kept: timedelta = timedelta(days=90)) -> None:
    Sending.objects.filter(created_at__lt=now - kept).exclude(state=SendingState.WAITING).delete()


def _not_taken(sending: Sending, answer: NotTaken, now: datetime) -> dict[str, Any]:
    again = None
    if not answer.final:
        again = rules.next_try(sending.tries + 1, now, random.random(), answer.retry_after)  # noqa: S311
    if again is None:
        return {"state": SendingState.FAILED, "problem": answer.why}
    return {"next_at": again, "problem": answer.why}


def _post(sending: Sending, now: datetime) -> int:
    hook = Hook.objects.filter(organization=sending.organization_id, active=True).first()
    if hook is None:
        raise Unwanted("The address was removed or switched off.")
    body, stamp = sending.body.encode(), int(now.timestamp())
    try:
        signed = hooks.signature(vault.opened(hook), str(sending.pk), stamp, body)
    except vault.CouldNotOpen as problem:
        raise NotTaken(str(problem)) from None
    headers = {"webhook-id": str(sending.pk), "webhook-timestamp": str(stamp), "webhook-signature": signed}
    try:
        said = hooks.post(hook.url, body, headers, allow_private=settings.FOYER_ALLOW_PRIVATE_ADDRESSES)
    except UpstreamError as problem:
        raise NotTaken(problem.message) from None
    if said.status == GONE:
        Hook.objects.filter(pk=hook.pk, url=hook.url).update(active=False, problem="It answered 410: gone.")
    if not 200 <= said.status < 300:
        why = f"It answered {said.status}."
        raise NotTaken(why, status=said.status, retry_after=said.retry_after, final=said.status == GONE)
    return said.status


def _mail(sending: Sending) -> None:
    user = sending.user
    member = Membership.objects.filter(organization=sending.organization_id, user=user, user__is_active=True)
    if user is None or not member.exists():
        raise Unwanted("Is no member any more.")
    headers = {"Message-ID": f"<{sending.pk.hex}@foyer>", "Auto-Submitted": "auto-generated"}
    message = EmailMessage(sending.subject, sending.body, settings.DEFAULT_FROM_EMAIL, [user.email], headers=headers)
    try:
        mailers["default"].send_messages([message])
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError) as error:
        raise NotTaken(_in_words(error), final=_is_final(error)) from None
    except (smtplib.SMTPException, OSError) as error:
        raise NotTaken(f"The mail server did not take it: {type(error).__name__}.") from None
    except ValueError:
        raise NotTaken("No mail can be sent to this address.", final=True) from None


def _is_final(error: smtplib.SMTPRecipientsRefused | smtplib.SMTPDataError) -> bool:
    """5xx is the mail server's last word about this mail; 4xx asks for another try."""
    if isinstance(error, smtplib.SMTPDataError):
        return error.smtp_code >= 500
    return all(code >= 500 for code, _ in error.recipients.values())


def _in_words(error: smtplib.SMTPRecipientsRefused | smtplib.SMTPDataError) -> str:
    if isinstance(error, smtplib.SMTPDataError):
        return f"The mail server answered {error.smtp_code}."
    return f"The mail server answered {max(code for code, _ in error.recipients.values())}."
