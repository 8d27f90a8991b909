"""What can come of asking another machine, in the shape of the protocol.

Callers branch on the class, never on a status.
"""

from typing import Any


class UpstreamError(Exception):
    """`message` is for people: it never holds a key, an address with a query, or an answer's whole body.

    `error` is the API's own stable word for it, where it gave one.
    """

    def __init__(self, message: str, error: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.error = error


class NotYet(UpstreamError):
    """The limiter said no; nothing was sent. Ask again in `wait` seconds."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"The key's allowance is used up for {wait:.1f} s.")
        self.wait = wait


class Unreachable(UpstreamError):
    """Nothing whole came back: of a write it is not known whether it was done."""


class AddressRefused(Unreachable):
    """A private address, or one without TLS, where the settings do not allow it. Nothing was sent."""


class Broken(UpstreamError):
    """An answer came that the protocol does not know: of a write it is not known whether it was done."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class KeyRefused(UpstreamError):
    """401."""


class ScopeMissing(UpstreamError):
    """403 `insufficient_scope`."""

    def __init__(self, message: str, scope: str) -> None:
        super().__init__(message, "insufficient_scope")
        self.scope = scope


class Forbidden(UpstreamError):
    """Any other 403."""


class NotFound(UpstreamError):
    """404 in the API's own words; a 404 page of some other server is `Broken`."""


class Refused(UpstreamError):
    """The API understood and will not do it: 400, 405, 409, 410, 413, 415, 422."""

    def __init__(self, message: str, status: int, error: str, details: list[Any]) -> None:
        super().__init__(message, error)
        self.status = status
        self.details = details


class InProgress(UpstreamError):
    """409 `idempotent_request_in_progress`: the same key again in a second."""


class Limited(UpstreamError):
    """429: nothing was done, and nobody may ask with this key for `wait` seconds."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"The provider asks to wait for {wait:.0f} s.")
        self.wait = wait
