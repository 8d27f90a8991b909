"""What the pages say of an alert, of its history, and of what was sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.contrib.humanize.templatetags.humanize import intcomma
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from organizer.alerts import links, queries, rules, words
from organizer.alerts.links import Link
from organizer.alerts.models import Alert, Attempt, Channel, Condition, Move, Sending, SendingState, State
from organizer.webhooks.models import Reason

LOOKS = {
    State.OPEN: ("warn", "alert-triangle"),
    State.ACKNOWLEDGED: ("info", "user-check"),
    State.RESOLVED: ("ok", "f-circle-check"),
    State.IGNORED: ("mute", "eye-off"),
}
SENDING_LOOKS = {
    SendingState.WAITING: ("info", "clock-hour-4"),
    SendingState.SENT: ("ok", "f-circle-check"),
    SendingState.FAILED: ("stop", "alert-triangle"),
    SendingState.DROPPED: ("mute", "ban"),
}


@dataclass(frozen=True)
class AlertRow:
    alert: Alert
    now: datetime

    @property
    def level(self) -> str:
        return LOOKS[State(self.alert.state)][0]

    @property
    def icon(self) -> str:
        return LOOKS[State(self.alert.state)][1]

    @property
    def title(self) -> str:
        return words.title(self.alert)

    @property
    def text(self) -> str:
        """Of one that is over as it was then: what waited does not wait any longer."""
        over = not self.alert.holds or self.alert.state == State.RESOLVED
        return words.sentence(self.alert, self.alert.resolved_at or self.alert.changed_at if over else self.now)

    @property
    def may_acknowledge(self) -> bool:
        return self._may(State.ACKNOWLEDGED)

    @property
    def may_ignore(self) -> bool:
        return self._may(State.IGNORED)

    @property
    def may_resolve(self) -> bool:
        return self._may(State.RESOLVED)

    @property
    def may_reopen(self) -> bool:
        return self._may(State.OPEN)

    @property
    def is_ignored(self) -> bool:
        return self.alert.state == State.IGNORED

    @property
    def still(self) -> bool:
        """Said to be over by a person while it is not."""
        return self.alert.state == State.RESOLVED and not self.alert.closed

    def _may(self, to: str) -> bool:
        return rules.may_become(self.alert.state, to, closed=self.alert.closed)


@dataclass(frozen=True)
class AlertPage(AlertRow):
    @property
    def advice(self) -> str:
        return str(words.ADVICE[Condition(self.alert.condition)])

    @property
    def about(self) -> str:
        return str(words.ABOUT[Condition(self.alert.condition)])

    @cached_property
    def links(self) -> Sequence[Link]:
        return links.of(self.alert)

    @cached_property
    def measured(self) -> Sequence[tuple[str, str]]:
        return [(label, said) for label, said in _measured(self.alert) if said]

    @cached_property
    def reasons(self) -> Sequence[tuple[str, str]]:
        if self.alert.condition != Condition.REJECTS:
            return []
        counted = queries.refused_by_reason(self.alert, self.alert.resolved_at or self.now)
        return [(str(Reason(reason).label), intcomma(number)) for reason, number in counted]

    @cached_property
    def moves(self) -> "Sequence[MoveRow]":
        return [MoveRow(one) for one in queries.moves(self.alert)]


@dataclass(frozen=True)
class MoveRow:
    move: Move

    @property
    def level(self) -> str:
        return LOOKS[State(self.move.after)][0]

    @property
    def icon(self) -> str:
        return LOOKS[State(self.move.after)][1]

    @property
    def what(self) -> str:
        if self.move.after == State.OPEN and self.move.before:
            return _("Open again")
        return str(State(self.move.after).label)

    @property
    def who(self) -> str:
        return self.move.by_name or _("by itself")

    @property
    def for_good(self) -> bool:
        return self.move.after == State.IGNORED and self.move.until is None

    @cached_property
    def told(self) -> Sequence[str]:
        """`ada@demo.test (sent)`, `Webhook (failed)`."""
        said = []
        for one in self.move.sendings.all():
            whom = one.user.email if one.user else Channel(one.channel).label
            said.append(f"{whom} ({str(SendingState(one.state).label).lower()})")
        return said


@dataclass(frozen=True)
class SendingRow:
    sending: Sending
    now: datetime

    @property
    def level(self) -> str:
        return SENDING_LOOKS[SendingState(self.sending.state)][0]

    @property
    def icon(self) -> str:
        return SENDING_LOOKS[SendingState(self.sending.state)][1]

    @property
    def what(self) -> str:
        alert = self.alert
        return str(alert) if alert else _("A test")

    @property
    def alert(self) -> Alert | None:
        return self.sending.move.alert if self.sending.move else None

    @property
    def waits(self) -> bool:
        return self.sending.state == SendingState.WAITING

    @property
    def next_at(self) -> datetime | None:
        return self.sending.next_at if self.waits and self.sending.tries else None

    @property
    def failed(self) -> bool:
        return self.sending.state == SendingState.FAILED

    @property
    def attempts(self) -> "Sequence[AttemptRow]":
        return [AttemptRow(one) for one in self.sending.attempts.all()]


@dataclass(frozen=True)
class AttemptRow:
    attempt: Attempt

    @property
    def said(self) -> str:
        one = self.attempt
        if one.took is None:
            return _("It was cut off: nobody knows how it ended.")
        took = _("%(n)s ms") % {"n": intcomma(one.took)}
        return f"{one.problem or one.status} · {took}" if one.problem or one.status else took


def _measured(alert: Alert) -> Sequence[tuple[str, str]]:
    of = alert.measured
    match Condition(alert.condition):
        case Condition.REJECTS:
            return [
                (_("Refused in an hour"), intcomma(of["recent"])),
                (_("Usual in an hour"), intcomma(of["usual"])),
                (_("Opens from"), intcomma(of["line"])),
            ]
        case Condition.NO_MATCH:
            return [
                (_("Answered in an hour"), intcomma(of["settled"])),
                (_("Without an order"), f"{intcomma(of['unmatched'])} ({of['share']} %)"),
            ]
        case Condition.FAILED:
            return [(_("Failed in an hour"), intcomma(of["failed"]))]
        case Condition.WAITING:
            return [(_("Waiting"), intcomma(of["waiting"]))]
        case Condition.QUIET:
            usual, line = (words.seconds(of[name]) for name in ("usual", "line"))
            return [(_("Usually every"), usual), (_("Opens after"), line)]
        case Condition.OLD_SECRET:
            return [(_("Secret"), f"{_('no.')} {of['number']} …{of['last4']}")]
        case Condition.LATE:
            return [(_("Late orders"), intcomma(of["late"])), (_("Its last answer"), of.get("problem", ""))]
        case Condition.GROWTH:
            return [
                (_("Deliveries in 24 hours"), intcomma(of["rows"])),
                (_("Their bodies"), filesizeformat(of["bytes"]).replace("\xa0", " ")),
            ]
    return []
