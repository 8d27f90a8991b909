from datetime import UTC, datetime


def text(moment: datetime | None) -> str | None:
    """As every API here writes it."""
    if moment is None:
        return None
    moment = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return moment.isoformat().removesuffix("+00:00") + "Z"
