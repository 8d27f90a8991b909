"""The demo's suppliers: who they are, how they are known to the retail service, and what they sell. Data only."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Section:
    key: str
    name: str
    factor: Decimal
    """Of the event's own price."""
    available: int
    seats_a_row: int = 0
    ticket_type: str = "pdf"


@dataclass(frozen=True)
class SupplierPlan:
    key: str
    name: str
    sections: tuple[Section, ...]
    auth: str = "hmac"
    header: str = "X-Vendor-Signature"
    has_prefix: bool = False
    step_seconds: int = 4


EVENTS = {"today": "24.00", "next-week": "85.00", "sold-out": "18.00"}
"""Those of the demo that suppliers sell, with the price that a factor of 1 means in the event's currency."""

SUPPLIERS = (
    SupplierPlan(
        key="platzwerk",
        name="Platzwerk",
        sections=(
            Section("stalls", "Parkett", Decimal("1.10"), 120, seats_a_row=24),
            Section("circle", "Rang, 1. Reihe", Decimal("1.75"), 32, seats_a_row=16),
            Section("standing", "Stehplatz", Decimal("0.80"), 400, ticket_type="qrcode"),
        ),
    ),
    SupplierPlan(
        key="norrtix",
        name="Norrtix Resale",
        header="X-Norrtix-Signature",
        has_prefix=True,
        step_seconds=6,
        sections=(
            Section("pair", "Pair, side by side", Decimal("2.20"), 8, seats_a_row=2, ticket_type="qrcode"),
            Section("single", "Single seat", Decimal("0.95"), 14, seats_a_row=14, ticket_type="qrcode"),
            Section("balcony", "Balcony", Decimal("1.30"), 20, seats_a_row=10, ticket_type="barcode"),
        ),
    ),
    SupplierPlan(
        key="abendkasse",
        name="Abendkasse am Ufer",
        auth="ip",
        step_seconds=12,
        sections=(
            Section("door", "Abendkasse", Decimal("1.00"), 60, ticket_type="barcode"),
            Section("late", "Late entry", Decimal("0.50"), 40, ticket_type="barcode"),
        ),
    ),
)
