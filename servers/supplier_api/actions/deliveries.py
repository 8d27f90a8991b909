"""Notifications to the retail service: a row and a job in the move's own transaction, sent by the worker."""

import json
import random
import uuid
from datetime import datetime
from typing import Any

from servers.jobs import actions as jobs
from servers.kit import clock, vault, writes
from servers.kit.times import text
from servers.supplier_api import sender, verdicts
from servers.supplier_api.actions import suppliers
from servers.supplier_api.models import Attempt, Delivery, Order, Supplier
from servers.supplier_api.verdicts import Outcome

KIND = "supplier notification"
State = Delivery.State


def put(order: Order, event: str) -> Delivery | None:
    """Call it inside the transaction of what it tells of. Nothing is put where nobody is to be told."""
    if not order.supplier.notify_url:
        return None
    now = clock.now()
    delivery = Delivery.objects.create(
        supplier=order.supplier,
        order=order,
        webhook_id=f"dlv_{uuid.uuid4().hex}",
        event=event,
        body=_body(order, event, now),
        started_at=now,
        created_at=now,
    )
    _queue(delivery)
    return delivery


def send_again(*, delivery: Delivery) -> None:
    """The same bytes under the same id, at once. One that waits anyway is sent now."""
    with writes.write():
        locked = Delivery.objects.select_for_update(no_key=True).get(pk=delivery.pk)
        locked.state, locked.turn, locked.tries, locked.started_at = State.WAITING, locked.turn + 1, 0, clock.now()
        locked.save(update_fields=["state", "turn", "tries", "started_at"])
        _queue(locked)


def send_as_new(*, delivery: Delivery) -> Delivery | None:
    """The same event, told once more under an id of its own."""
    with writes.write():
        return put(delivery.order, delivery.event)


def deliver(payload: dict[str, Any]) -> None:
    """Sends once and writes down what came of it.

    A worker that dies between the receiver's 200 and our mark sends once more, under the same id.
    """
    begun = _begin(payload["delivery"], payload["turn"])
    if begun is None:
        return
    delivery, attempt = begun
    answer = _send(delivery)
    verdict = verdicts.judge(
        answer.status,
        answer.retry_after,
        attempts=delivery.tries,
        age=clock.now() - delivery.started_at,
        chance=random.random(),  # noqa: S311  # it spreads a wait
        now=clock.now(),
    )
    ours = _finish(delivery, attempt, answer, verdict)
    if ours and verdict.outcome is Outcome.AGAIN:
        raise jobs.TryAgain(verdict.wait, answer.error or f"It answered {answer.status}.")


def _begin(delivery_id: int, turn: int) -> tuple[Delivery, Attempt] | None:
    """Not for what has ended, is no longer there, or waits for the job of somebody who sent it again."""
    with writes.write():
        rows = Delivery.objects.select_for_update(no_key=True, of=("self",)).select_related("supplier")
        delivery = rows.filter(pk=delivery_id, turn=turn, state=State.WAITING).first()
        if delivery is None:
            return None
        delivery.tries += 1
        delivery.next_at = None
        delivery.save(update_fields=["tries", "next_at"])
        return delivery, Attempt.objects.create(delivery=delivery)


def _send(delivery: Delivery) -> sender.Answer:
    supplier = delivery.supplier
    try:
        return sender.send(supplier.notify_url, bytes(delivery.body), _headers(supplier, delivery))
    except vault.CouldNotOpen as error:
        return sender.Answer(error=str(error))


def _finish(delivery: Delivery, attempt: Attempt, answer: sender.Answer, verdict: verdicts.Verdict) -> bool:
    """Whether it was still this job's to say what comes next."""
    again = verdict.outcome is Outcome.AGAIN
    ended = State.DELIVERED if verdict.outcome is Outcome.DELIVERED else State.FAILED
    with writes.write():
        Attempt.objects.filter(pk=attempt.pk).update(
            status=answer.status, error=answer.error, answer=answer.text, milliseconds=answer.milliseconds
        )
        ours = Delivery.objects.filter(pk=delivery.pk, turn=delivery.turn).update(
            state=State.WAITING if again else ended, next_at=clock.now() + verdict.wait if again else None
        )
    return bool(ours)


def _queue(delivery: Delivery) -> None:
    job = jobs.put(KIND, {"delivery": delivery.pk, "turn": delivery.turn})
    delivery.next_at = job.due_at
    delivery.save(update_fields=["next_at"])


def _headers(supplier: Supplier, delivery: Delivery) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Foyer-Suppliers",
        "X-Webhook-Id": delivery.webhook_id,
    }
    if supplier.auth == Supplier.Auth.HMAC:
        secret = suppliers.secret_of(supplier)
        headers[supplier.signature_header] = sender.signature(bytes(delivery.body), secret, prefix=supplier.has_prefix)
    return headers


def _body(order: Order, event: str, now: datetime) -> bytes:
    # our own ids stay inside: at the top they would be taken for the reference
    said = {
        "event": event,
        "reference": order.reference,
        "order": {"id": order.pk, "status": order.status},
        "sent_at": text(now),
    }
    return json.dumps(said, ensure_ascii=False).encode()
