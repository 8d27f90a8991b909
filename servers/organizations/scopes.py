"""Every scope that a key may carry. A scope grants exactly itself: `write` does not imply `read`."""

RESOURCES: dict[str, tuple[str, ...]] = {
    "events": ("read", "write"),
    "ticket_classes": ("read", "write"),
    "attendees": ("read", "write"),
    "contacts": ("read", "write"),
    "applications": ("read", "write"),
    "experiences": ("read", "write"),
    "forms": ("read",),
    "lists": ("read",),
    "custom_fields": ("read",),
    "payments": ("read",),
    "catalog": ("read",),
    "checkout": ("read", "write"),
    "webhooks": ("read", "write"),
}
ALL = tuple(f"{resource}:{action}" for resource, actions in RESOURCES.items() for action in actions)


def parse(text: str) -> list[str]:
    """`a:read,b:write` as a list, in our order and without repeats. Raises ValueError naming what is unknown."""
    wanted = {part.strip() for part in text.split(",") if part.strip()}
    if unknown := sorted(wanted.difference(ALL)):
        raise ValueError(f"Unknown scopes: {', '.join(unknown)}. Known are: {', '.join(ALL)}.")
    if not wanted:
        raise ValueError("A key needs at least one scope.")
    return [scope for scope in ALL if scope in wanted]
