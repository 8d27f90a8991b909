"""When a job that failed is tried again."""

from datetime import timedelta

BACK_OFF = tuple(timedelta(seconds=s) for s in (5, 15, 60, 300, 900, 1800, 3600, 7200, 14400, 28800, 28800))


def wait_after(attempts: int) -> timedelta | None:
    """The pause after so many attempts; None where it is time to give up (after about a day)."""
    return BACK_OFF[attempts - 1] if attempts <= len(BACK_OFF) else None
