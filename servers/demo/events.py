"""The demo's six events: what they are, what they sell and how their guests are spread. Data only."""

from dataclasses import dataclass, field
from decimal import Decimal

Mix = dict[str, int]
"""Status to weight."""


@dataclass(frozen=True)
class Venue:
    name: str
    address: str
    city: str
    country: str
    state: str | None = None
    latitude: float | None = None
    longitude: float | None = None


@dataclass(frozen=True)
class TicketClassPlan:
    key: str
    name: str
    weight: int
    mix: Mix
    cost: Decimal = Decimal(0)
    kind: str = "fixed"
    seats: str = "roomy"
    """roomy: more than are taken; full: exactly what is taken; unlimited."""
    require_approval: bool = False
    hidden: bool = False
    description: str | None = None
    minimum: int = 1
    maximum: int = 10
    sales_days: tuple[int, int] | None = None
    """Sales open and close this many days before the event starts."""


@dataclass(frozen=True)
class EventPlan:
    key: str
    name: str
    day: int
    """Days from today, in the event's own time zone."""
    starts: str
    hours: float
    timezone: str
    currency: str
    weight: int
    lead: int
    """Registration opened this many days before the start."""
    classes: tuple[TicketClassPlan, ...]
    description: str
    status: str = "active"
    venue: Venue | None = None
    video_link: str | None = None
    hidden: bool = False
    require_approval: bool = False
    categories: tuple[str, ...] = field(default=())


TODAY: Mix = {"valid": 50, "checked_in": 35, "pending_approval": 8, "invited": 2, "rejected": 2, "deleted": 3}
PAST: Mix = {"checked_in": 86, "valid": 8, "rejected": 2, "deleted": 4}
COMING: Mix = {"valid": 92, "invited": 4, "deleted": 4}
APPROVED_BY_HAND: Mix = {"pending_approval": 48, "valid": 37, "invited": 5, "rejected": 6, "deleted": 4}
FULL: Mix = {"valid": 86, "pending_approval": 8, "rejected": 2, "deleted": 4}
INVITED: Mix = {"invited": 1}

EVENTS = (
    EventPlan(
        key="today",
        name="Cities After Dark",
        day=0,
        starts="19:00",
        hours=7,
        timezone="Europe/Berlin",
        currency="eur",
        weight=1000,
        lead=75,
        categories=("music", "art"),
        venue=Venue("Halle am Wasser", "Uferweg 12", "Berlin", "Germany", None, 52.5096, 13.4376),
        description="Light, film and music on three floors. Doors at 18:00; check-in for crew and press all day.",
        classes=(
            TicketClassPlan("general", "General Admission", 62, TODAY, Decimal("24.00")),
            TicketClassPlan("supporter", "Supporter", 12, TODAY, Decimal("60.00"), maximum=4),
            TicketClassPlan("balcony", "Balcony", 8, TODAY, Decimal("38.50"), seats="full", maximum=4),
            TicketClassPlan("community", "Community (free)", 10, TODAY, require_approval=True),
            TicketClassPlan("press", "Press & crew", 5, TODAY, hidden=True),
            TicketClassPlan("pay", "Pay what you can", 3, TODAY, Decimal("8.00"), kind="donation"),
        ),
    ),
    EventPlan(
        key="next-week",
        name="Winter Supper",
        day=7,
        starts="18:30",
        hours=4,
        timezone="Europe/Berlin",
        currency="eur",
        weight=300,
        lead=40,
        require_approval=True,
        categories=("food",),
        venue=Venue("Gärtnerei Süd", "Am Treptower Hafen 3", "Berlin", "Germany", None, 52.4912, 13.4721),
        description="One long table, five courses. Each guest is approved by hand; allergies are asked for by mail.",
        classes=(
            TicketClassPlan(
                "supper", "Supper", 70, APPROVED_BY_HAND, Decimal("85.00"), require_approval=True, maximum=2
            ),
            TicketClassPlan(
                "kitchen", "Supper at the kitchen table", 20, APPROVED_BY_HAND, Decimal("120.00"), require_approval=True
            ),
            TicketClassPlan(
                "friends", "Friends of the house", 10, APPROVED_BY_HAND, require_approval=True, hidden=True
            ),
        ),
    ),
    EventPlan(
        key="virtual",
        name="夜の音楽会 · Night Concert (live stream)",
        day=12,
        starts="19:30",
        hours=2,
        timezone="Asia/Tokyo",
        currency="jpy",
        weight=180,
        lead=30,
        categories=("music", "online"),
        video_link="https://meet.example/night-concert",
        description="Piano and shamisen from a small hall in Kyōto, streamed. The link opens ten minutes before.",
        classes=(
            TicketClassPlan("stream", "Stream", 75, COMING, Decimal(1500), seats="unlimited"),
            TicketClassPlan("student", "Student (free)", 20, COMING),
            TicketClassPlan(
                "gift", "Gift to the musicians", 5, COMING, Decimal(3000), kind="donation", seats="unlimited"
            ),
        ),
    ),
    EventPlan(
        key="sold-out",
        name="Reading: Letters from Two Harbors",
        day=18,
        starts="20:00",
        hours=2,
        timezone="America/New_York",
        currency="usd",
        weight=110,
        lead=60,
        categories=("literature",),
        venue=Venue("The Lamp Room", "48 Harbor Street", "New York", "United States", "NY", 40.7033, -74.0170),
        description="Two authors read each other's letters. Sold out; the waiting list moves as seats return.",
        classes=(
            TicketClassPlan("seat", "Seat", 80, FULL, Decimal("18.00"), seats="full", maximum=2),
            TicketClassPlan("front", "Front row", 10, FULL, Decimal("45.00"), seats="full", maximum=2),
            TicketClassPlan("access", "Accessible seat (free)", 10, FULL, seats="full", require_approval=True),
        ),
    ),
    EventPlan(
        key="past",
        name="Herbstball · Autumn Ball",
        day=-21,
        starts="20:30",
        hours=6,
        timezone="Europe/Vienna",
        currency="eur",
        weight=390,
        lead=90,
        categories=("dance", "music"),
        venue=Venue("Palais am Ring", "Schwarzstraße 8", "Wien", "Austria", None, 48.2010, 16.3655),
        description="Waltz, swing and a brass band at midnight.",
        classes=(
            TicketClassPlan("ball", "Ball ticket", 70, PAST, Decimal("49.00")),
            TicketClassPlan("early", "Early bird", 20, PAST, Decimal("35.00"), seats="full", sales_days=(90, 60)),
            TicketClassPlan("honour", "Guests of honour", 10, PAST, hidden=True, seats="unlimited"),
        ),
    ),
    EventPlan(
        key="draft",
        name="Spring Fair (working title)",
        day=120,
        starts="11:00",
        hours=9,
        timezone="Europe/Lisbon",
        currency="eur",
        weight=20,
        lead=140,
        status="draft",
        hidden=True,
        venue=Venue("Mercado do Rio", "Rua da Ribeira 21", "Lisboa", "Portugal"),
        description="Forty makers, two stages. Nothing is announced yet.",
        classes=(
            TicketClassPlan("day", "Day ticket", 60, INVITED, Decimal("6.00")),
            TicketClassPlan("maker", "Maker", 40, INVITED, require_approval=True, hidden=True),
        ),
    ),
)
