"""A delivery told: the sentence that its page begins with, and what happened when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from organizer.webhooks import layout, queries, registry
from organizer.webhooks.actions import REUSED_ID
from organizer.webhooks.layout import Shown
from organizer.webhooks.models import Action, Delivery, Outcome, Proof, VendorSecret
from organizer.webhooks.receiver import reading
from organizer.webhooks.registry import Step, Story
from organizer.webhooks.rows import DeliveryRow, duration

MOST_RELATED = 8
MOST_COPIED = 16_384
ODD = {
    reading.SHADOWED: gettext_lazy("a name that wins over reference stands beside it"),
    reading.ID_BESIDE_REFERENCE: gettext_lazy("an id stands beside the reference"),
    reading.DUPLICATE_KEYS: gettext_lazy("a name stands there twice"),
    reading.REPEATED_FIELD: gettext_lazy("a field stands there twice"),
}


@dataclass(frozen=True)
class Told:
    delivery: Delivery
    now: datetime

    @cached_property
    def row(self) -> DeliveryRow:
        return DeliveryRow(self.delivery, self.delivery.vendor)

    @cached_property
    def sequel(self) -> Story:
        return registry.sequel().story(self.delivery)

    @property
    def proof(self) -> str:
        one = self.delivery
        if one.auth == Proof.IP:
            return _("The address is on the list.")
        if one.auth == Proof.OLD_SECRET:
            return _("The signature is valid, by a secret that a rotation had replaced.")
        return _("The signature is valid.")

    @property
    def ending(self) -> str:
        """What became of it, in a sentence; the room above knows more."""
        one = self.delivery
        if self.sequel.sentence:
            return self.sequel.sentence
        if one.outcome == Outcome.STORED_ONLY:
            return _("No order could be read from it, so it was only stored.")
        if one.outcome == Outcome.TEST:
            return _("It was a test of Foyer's own: nobody is asked, and no number counts it.")
        if one.outcome == Outcome.WAITING:
            return _("The supplier has not been asked yet.")
        said = {"supplier": one.vendor.name, "time": self.row.took}
        return {
            Outcome.CHANGED: _("%(supplier)s was asked, and the order changed."),
            Outcome.UNCHANGED: _("%(supplier)s was asked, and nothing had changed."),
            Outcome.NO_MATCH: _("%(supplier)s was asked, and knows no such order."),
            Outcome.FAILED: _("%(supplier)s could not be asked. The periodic check asks again."),
        }[Outcome(one.outcome)] % said

    @cached_property
    def steps(self) -> Sequence[Step]:
        one = self.delivery
        millis = duration(timedelta(microseconds=one.took))
        address = _("from %(address)s") % {"address": one.source or _("an unknown address")}
        stored_at = one.received_at + timedelta(microseconds=one.took)
        steps = [
            Step("ok", _("Received"), _("%(address)s, answered 200") % {"address": address}, one.received_at),
            Step(
                "ok", _("Stored"), _("%(time)s after its first byte, before the answer") % {"time": millis}, stored_at
            ),
        ]
        if one.duplicates:
            said = ngettext(
                "once more, answered as duplicate", "%(n)s times more, answered as duplicate", one.duplicates
            )
            times = said % {"n": one.duplicates}
            steps.append(Step("info", _("Repeated"), times, one.last_duplicate_at))
        if self.sequel.steps:
            return [*steps, *self.sequel.steps]
        return [*steps, self._last()]

    def _last(self) -> Step:
        one, row = self.delivery, self.row
        if one.outcome == Outcome.WAITING:
            waits = duration(self.now - one.received_at)
            return Step("info", _("Waiting"), _("for %(time)s so far") % {"time": waits})
        if one.outcome == Outcome.STORED_ONLY:
            return Step("mute", _("Nothing to do"), _("no order_id, orderId, reference or id that could be read"))
        if one.outcome == Outcome.TEST:
            return Step("mute", _("Nothing to do"), _("a test is seen arriving, and no more"))
        return Step(row.level, str(Outcome(one.outcome).label), row.took, one.settled_at)

    @property
    def reused_id(self) -> bool:
        return REUSED_ID in self.delivery.flags

    @property
    def odd(self) -> Sequence[str]:
        return [str(ODD[flag]) for flag in self.delivery.flags if flag in ODD]

    @property
    def may_read_again(self) -> bool:
        return self.delivery.action == Action.STORED_ONLY and self.delivery.body is not None

    @property
    def kept_until(self) -> datetime:
        return self.delivery.received_at + timedelta(days=self.delivery.vendor.keep_bodies_for)

    @property
    def hash(self) -> str:
        return bytes(self.delivery.body_hash).hex()

    @property
    def hash_shown(self) -> str:
        return f"{self.hash[:6]}…{self.hash[-4:]}"

    @cached_property
    def secret(self) -> VendorSecret | None:
        number = self.delivery.secret_number
        return next((one for one in self._secrets if one.number == number), None) if number else None

    @cached_property
    def _secrets(self) -> Sequence[VendorSecret]:
        return list(self.delivery.vendor.secrets.filter(purpose="signing"))

    @cached_property
    def related(self) -> Sequence[DeliveryRow]:
        found = queries.same_order(self.delivery, MOST_RELATED)
        return [DeliveryRow(one, self.delivery.vendor) for one in found]

    @cached_property
    def neighbours(self) -> tuple[int | None, int | None]:
        return queries.neighbours(self.delivery)

    def shown(self, view: str) -> Shown | None:
        if self.delivery.body is None:
            return None
        return layout.shown(bytes(self.delivery.body), view, self.delivery.reference_field)

    @property
    def is_live(self) -> bool:
        """Something may come of it yet: the page asks for itself."""
        return self.delivery.outcome == Outcome.WAITING or self.sequel.is_open

    @property
    def copied(self) -> str:
        """For the clipboard; empty where it is no text, or too long for a page to carry twice."""
        body = bytes(self.delivery.body or b"")
        try:
            return body.decode() if len(body) <= MOST_COPIED and b"\0" not in body else ""
        except UnicodeDecodeError:
            return ""
