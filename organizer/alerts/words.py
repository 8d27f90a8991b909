"""What an alert says, on the page, in a mail and to another machine."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from organizer.alerts.models import Alert, Condition

ADVICE = {
    Condition.REJECTS: gettext_lazy("The list of what was refused says why, and what mends it."),
    Condition.NO_MATCH: gettext_lazy(
        "The supplier says references that are not of your orders, or does not know those that are. "
        "Look at one of them: the name that was read as the reference is marked."
    ),
    Condition.FAILED: gettext_lazy("The supplier was asked and did not answer as it should. It is asked again."),
    Condition.WAITING: gettext_lazy(
        "They are stored, and nothing is lost. Look whether the worker runs, under Health."
    ),
    Condition.QUIET: gettext_lazy(
        "Orders are looked at by the periodic check all the same. "
        "Ask the supplier whether it still sends, and where to."
    ),
    Condition.OLD_SECRET: gettext_lazy(
        "From its end on what it signs is refused. Give the supplier the new one, or rotate again for more time."
    ),
    Condition.LATE: gettext_lazy("What you see of these orders is from before."),
    Condition.GROWTH: gettext_lazy(
        "Bodies go after the supplier's days: fewer of them keep the log small. Its limit holds a flood back."
    ),
}
ABOUT = {
    Condition.REJECTS: gettext_lazy("More requests of a supplier are refused than is usual."),
    Condition.NO_MATCH: gettext_lazy("Many of its deliveries are about no order of yours."),
    Condition.FAILED: gettext_lazy("The supplier could not be asked about many of its deliveries."),
    Condition.WAITING: gettext_lazy("A delivery waits too long for its order to be looked at."),
    Condition.QUIET: gettext_lazy(
        "Nothing comes for longer than is usual with this supplier, its nights and weekends counted."
    ),
    Condition.OLD_SECRET: gettext_lazy("A replaced secret is still used, and will soon be refused."),
    Condition.LATE: gettext_lazy("Orders were not looked at in time: the supplier cannot be reached, or is slow."),
    Condition.GROWTH: gettext_lazy("More is stored in a day than you expect."),
}


def title(alert: Alert) -> str:
    return str(Condition(alert.condition).label)


def sentence(alert: Alert, now: datetime) -> str:
    """As it was when it was last measured."""
    said, of = Condition(alert.condition), alert.measured
    match said:
        case Condition.REJECTS:
            text = ngettext(
                "%(n)s request was refused in an hour", "%(n)s requests were refused in an hour", of["recent"]
            )
            usual = _("usual is %s") % intcomma(of["usual"]) if of["usual"] else _("usual is none")
            return f"{text % {'n': intcomma(of['recent'])}}; {usual}."
        case Condition.NO_MATCH:
            text = _("%(unmatched)s of %(settled)s deliveries of an hour matched no order: %(share)s %%.")
            return text % {name: intcomma(of[name]) for name in ("unmatched", "settled", "share")}
        case Condition.FAILED:
            text = ngettext("%(n)s delivery of an hour failed.", "%(n)s deliveries of an hour failed.", of["failed"])
            return text % {"n": intcomma(of["failed"])}
        case Condition.WAITING:
            text = ngettext("%(n)s delivery waits", "%(n)s deliveries wait", of["waiting"])
            said_text = text % {"n": intcomma(of["waiting"])}
            return _("%(text)s, the oldest for %(time)s.") % {"text": said_text, "time": _since(of["oldest"], now)}
        case Condition.QUIET:
            text = _("Nothing has come for %(time)s; usually something comes every %(usual)s.")
            return text % {"time": _since(of["last"], now), "usual": span(timedelta(seconds=of["usual"]))}
        case Condition.OLD_SECRET:
            text = _("Secret no. %(number)s (…%(last4)s) counts for %(left)s more, and was used %(used)s ago.")
            left = span(datetime.fromisoformat(of["ends_at"]) - now)
            return text % {**of, "left": left, "used": _since(of["used_at"], now)}
        case Condition.LATE:
            text = ngettext(
                "%(n)s order was not looked at in time: %(why)s.",
                "%(n)s orders were not looked at in time: %(why)s.",
                of["late"],
            )
            return text % {"n": intcomma(of["late"]), "why": of["why"]}
        case Condition.GROWTH:
            text = _("%(rows)s deliveries with %(size)s were stored in 24 hours.")
            return text % {"rows": intcomma(of["rows"]), "size": filesizeformat(of["bytes"]).replace("\xa0", " ")}
    raise ValueError(alert.condition)


def span(time: timedelta) -> str:
    """`3 days`, `20 min`: one unit says enough."""
    seconds = max(0.0, time.total_seconds())
    if seconds < 90:
        return _("%(n)s s") % {"n": round(seconds)}
    if seconds < 90 * 60:
        return _("%(n)s min") % {"n": round(seconds / 60)}
    if seconds < 48 * 3600:
        hours = round(seconds / 3600)
        return ngettext("%(n)s hour", "%(n)s hours", hours) % {"n": hours}
    days = round(seconds / 86400)
    return ngettext("%(n)s day", "%(n)s days", days) % {"n": intcomma(days)}


def _since(moment: Any, now: datetime) -> str:
    return span(now - datetime.fromisoformat(moment)) if moment else _("a while")


def seconds(number: float) -> str:
    return span(timedelta(seconds=number))
