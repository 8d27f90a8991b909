"""What the health page says of each thing: how it stands, in words, and what to do. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from organizer.overview.rules import Check

OK, WARN, STOP, MUTE = "ok", "warn", "stop", "mute"
LITTLE_ROOM, NO_ROOM = 2_000_000_000, 200_000_000
"""Bytes free: below the first somebody should look, below the second nothing is safe to write."""
LATE, VERY_LATE = timedelta(seconds=30), timedelta(minutes=10)
BACKUP_EVERY = timedelta(days=7)


@dataclass(frozen=True)
class Line:
    name: str
    level: str
    words: str
    advice: str = ""
    url: str = ""
    """Where to do what is advised."""


def disk_check(free: int) -> Check:
    """What `/readyz` says of it."""
    if free < NO_ROOM:
        return Check("disk", False, f"Only {size(free)} are free in the data folder: make room.")
    return Check("disk", True, f"{size(free)} are free in the data folder.")


def disk(free: int, total: int) -> Line:
    words = _("%(free)s of %(total)s are free.") % {"free": size(free), "total": size(total)}
    if free < NO_ROOM:
        return Line(_("Disk"), STOP, words, _("Make room now: check-ins and changes can no longer be written safely."))
    if free < LITTLE_ROOM:
        return Line(_("Disk"), WARN, words, _("Make room, or move FOYER_DATA to a larger disk."))
    return Line(_("Disk"), OK, words)


def worker(check: Check, *, alive: int) -> Line:
    advice = _(
        "Changes are kept and pages still answer, but nothing is read or sent. Start the worker again: make run."
    )
    if check.ok:
        many = ngettext("%(n)d worker reports.", "%(n)d workers report.", alive) % {"n": alive}
        return Line(_("Worker"), OK, many)
    if check.reports:
        return Line(_("Worker"), WARN, check.words, _("It cannot keep up. Start another one beside it."))
    return Line(_("Worker"), STOP, check.words, advice)


def schedule(age: timedelta | None, jobs: int) -> Line:
    """The pulse comes by the schedule, so that it tells of both."""
    name = _("Schedule")
    if age is None or age > LATE:
        return Line(
            name, STOP, _("Nothing has been started by it lately."), _("It runs in the worker: start that again.")
        )
    return Line(name, OK, _("%(n)d regular jobs; the last began %(s)d s ago.") % {"n": jobs, "s": age.total_seconds()})


def outbox(*, waiting: int, overdue: timedelta | None, held: int, failed: int, url: str) -> Line:
    name = _("Outbox")
    if failed:
        words = ngettext("%(n)d change came to nothing.", "%(n)d changes came to nothing.", failed) % {"n": failed}
        return Line(name, WARN, words, _("Look at each: send it again, or set it aside."), url)
    if held:
        words = ngettext("%(n)d change is held.", "%(n)d changes are held.", held) % {"n": held}
        return Line(name, WARN, words, _("They go on by themselves as soon as the connection is mended."), url)
    if overdue and overdue > LATE:
        words = _("The oldest of %(n)d changes waits since %(time)s.") % {"n": waiting, "time": span(overdue)}
        return Line(name, STOP if overdue > VERY_LATE else WARN, words, _("Look at what it waits for."), url)
    if waiting:
        return Line(
            name,
            OK,
            ngettext("%(n)d change is on its way.", "%(n)d changes are on their way.", waiting) % {"n": waiting},
        )
    return Line(name, OK, _("Nothing waits to be sent."))


def mail(backend: str, where: str) -> Line:
    name = _("Mail")
    if backend.endswith("console.EmailBackend"):
        return Line(name, WARN, _("Mails are printed to the log and not sent."), _("Set EMAIL_URL to a mail server."))
    if backend.endswith("smtp.EmailBackend"):
        return Line(name, OK, _("Mails go to %s.") % where)
    return Line(name, MUTE, _("Mails are kept in %s and not sent.") % (where or backend))


def backup(age: timedelta | None, *, with_keys: bool) -> Line:
    name, command = _("Backup"), "manage.py backup FILE"
    if age is None:
        return Line(name, WARN, _("None has been made here."), _("One command makes one: %s") % command)
    words = _("The last one was made %s ago.") % span(age)
    if not with_keys:
        words += " " + _("It lacks the key ring.")
    if age > BACKUP_EVERY:
        return Line(name, WARN, words, _("One command makes another: %s") % command)
    return Line(name, OK, words)


def lists(name: str, *, read: int, stale: int, problems: Sequence[str], skipped: int, oldest: timedelta | None) -> Line:
    """Of one noun: of events there is one list, of guests one for each event."""
    many = ngettext("%(n)d list", "%(n)d lists", read) % {"n": read}
    if oldest is None:
        return Line(name, MUTE, _("%s, not read yet.") % many)
    one, several = _("%(many)s, read %(time)s ago."), _("%(many)s, the oldest of them read %(time)s ago.")
    words = (one if read == 1 else several) % {"many": many, "time": span(oldest)}
    if problems:
        return Line(name, WARN, f"{words} {problems[0]}", _("Foyer keeps trying, and shows what was read before."))
    if stale:
        late = ngettext("%(n)d is older than it should be.", "%(n)d are older than they should be.", stale) % {
            "n": stale
        }
        return Line(name, WARN, f"{words} {late}", _("Is the worker behind, or the key's limit small?"))
    if skipped:
        left = ngettext("%(n)d row could not be taken.", "%(n)d rows could not be taken.", skipped) % {"n": skipped}
        return Line(name, WARN, f"{words} {left}", _("The list says which, and why. The provider has to mend them."))
    return Line(name, OK, words)


def size(count: float) -> str:
    """`812 MB`, `78.2 GB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit != "GB" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def span(time: timedelta) -> str:
    seconds = max(0, int(time.total_seconds()))
    if seconds < 60:
        return _("%d s") % seconds
    if seconds < 3600:
        return _("%d min") % (seconds // 60)
    if seconds < 48 * 3600:
        return _("%d h") % (seconds // 3600)
    return _("%d days") % (seconds // 86400)
