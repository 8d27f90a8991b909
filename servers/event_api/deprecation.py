"""How an operation is retired: the headers of RFC 9745 and RFC 8594, at least half a year ahead."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.http import HttpResponse
from django.utils.http import http_date

NOTICE = timedelta(days=180)


@dataclass(frozen=True)
class Deprecation:
    since: datetime
    sunset: datetime
    notes: str
    """Where the way to its successor is described."""

    def __post_init__(self) -> None:
        if self.sunset - self.since < NOTICE:
            raise ValueError(f"An operation goes {NOTICE.days} days after its deprecation at the earliest.")

    def write_on(self, response: HttpResponse) -> None:
        response["Deprecation"] = f"@{int(self.since.timestamp())}"
        response["Sunset"] = http_date(self.sunset.timestamp())
        response["Link"] = f'<{self.notes}>; rel="deprecation"'
