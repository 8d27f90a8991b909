"""What becomes of a delivery once it is stored: a room above says it, here it is only shown.

Without one the pages end where the receiver ends: stored, and waiting.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from organizer.accounts.models import Organization
from organizer.webhooks.models import Delivery, Vendor


@dataclass(frozen=True)
class Step:
    """A line of a delivery's timeline."""

    level: str
    """"ok", "warn", "stop", "info" or "mute": the colour of its icon."""
    title: str
    text: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Story:
    """What follows "acme said order.accepted for R-1. The signature is valid."."""

    sentence: str = ""
    """May be marked as safe HTML by who wrote it."""
    steps: Sequence[Step] = ()
    order_url: str = ""
    is_open: bool = False
    """Somebody is about to look."""


@dataclass(frozen=True)
class Tab:
    """Beside Deliveries, Rejected and Suppliers."""

    name: str
    label: str
    url: str
    count: str = ""


@dataclass(frozen=True)
class Told:
    """Of the changes that were found: how many no delivery had told of."""

    missed: int = 0
    changes: int = 0


@dataclass(frozen=True)
class Checks:
    """How asking a supplier goes, whoever wants to know."""

    told: Told
    steps: Sequence[Step]


class Sequel:
    """Of the room above. What it does not say is not shown."""

    delivery_acts = ""
    """A template for the head of a delivery's page: "Reconcile now". Values: delivery."""
    list_acts = ""
    """A template for the head of the list: "Reconcile 14 failed". Values: filters."""

    def links(self, deliveries: Sequence[Delivery]) -> Mapping[int, str]:
        """The address of each one's order, by the delivery's key: asked once for a page of the list."""
        return {}

    def excerpts(self, deliveries: Sequence[Delivery]) -> Mapping[int, str]:
        """What stands in the list instead of the beginning of a body: why it failed."""
        return {}

    def story(self, delivery: Delivery) -> Story:
        return Story()

    def tabs(self, organization: Organization) -> Sequence[Tab]:
        return ()

    def matched_at(self, vendor: Vendor) -> datetime | None:
        """When an order of this supplier's was found first: the last tick of its checklist."""
        return None

    def told(self, vendors: Sequence[Vendor], since: datetime) -> Mapping[UUID, Told]:
        """By the supplier's key: asked once for all of the list."""
        return {}

    def checks(self, vendor: Vendor, since: datetime, now: datetime) -> Checks | None:
        return None


_sequel = Sequel()


def register(sequel: Sequel) -> None:
    global _sequel
    _sequel = sequel


def sequel() -> Sequel:
    return _sequel


@dataclass(frozen=True)
class Alarm:
    """What is not as it should be with a supplier, at the top of its page."""

    title: str
    text: str
    url: str
    since: datetime
    acknowledged: bool = False


class Alarms:
    """Of the room that watches."""

    def tab(self, organization: Organization) -> Tab | None:
        return None

    def of(self, vendor: Vendor) -> Sequence[Alarm]:
        return ()


_alarms = Alarms()


def register_alarms(alarms: Alarms) -> None:
    global _alarms
    _alarms = alarms


def alarms() -> Alarms:
    return _alarms
