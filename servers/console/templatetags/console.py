from datetime import UTC, datetime
from decimal import Decimal

from django import template

from servers.event_api.money import decimals
from servers.organizations.scopes import ALL

register = template.Library()


@register.filter
def grants(scopes: list[str]) -> list[tuple[str, str]]:
    """Scopes as people read them: each resource once, with what may be done to it."""
    if set(scopes) == set(ALL):
        return [("everything", "")]
    by_resource: dict[str, list[str]] = {}
    for scope in scopes:
        resource, _, action = scope.partition(":")
        by_resource.setdefault(resource.replace("_", " "), []).append(action)
    return [(resource, ", ".join(actions)) for resource, actions in by_resource.items()]


@register.filter
def moment(microseconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC) if microseconds else None


@register.filter
def money(amount: Decimal, currency: str) -> str:
    """With as many decimals as the currency has."""
    return f"{amount:,.{decimals(currency)}f}"
