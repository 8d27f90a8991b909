"""How a verdict looks and sounds: word, shape, colour and sound say the same, each enough alone. Pure."""

from dataclasses import dataclass

from organizer.attendees.verdicts import Verdict


@dataclass(frozen=True)
class Look:
    tone: str
    """admit, ask or stop: colour, shape and sound. Quiet ones are of something that was taken back."""
    icon: str
    """In the list of the last scans."""


ADMIT, ASK, STOP, QUIET = (
    Look("admit", "circle-check"),
    Look("ask", "alert-triangle"),
    Look("stop", "alert-octagon"),
    Look("quiet", "circle-minus"),
)
LOOKS = {
    Verdict.ADMITTED: ADMIT,
    Verdict.JUST_NOW: ADMIT,
    Verdict.ALREADY_IN: ASK,
    Verdict.RECORDED: ASK,
    Verdict.PENDING: ASK,
    Verdict.INVITED: ASK,
    Verdict.ODD: ASK,
    Verdict.REJECTED: STOP,
    Verdict.CANCELLED: STOP,
    Verdict.OTHER_EVENT: STOP,
    Verdict.UNKNOWN: STOP,
    Verdict.NO_TICKET: STOP,
    Verdict.UNDONE: QUIET,
    Verdict.NOT_INSIDE: QUIET,
}


def look(verdict: str) -> Look:
    return LOOKS[Verdict(verdict)]
