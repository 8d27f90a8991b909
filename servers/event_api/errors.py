"""The event API's own refusals, beside those of every API here."""

from servers.kit.errors import ApiError, Detail, invalid, json_response, response, validation_failed

__all__ = [
    "ApiError",
    "Detail",
    "invalid",
    "json_response",
    "name_exists",
    "not_found",
    "nothing_to_change",
    "response",
    "sold_tickets",
    "transition_refused",
    "validation_failed",
]


def not_found(noun: str) -> ApiError:
    return ApiError(404, f"{noun} not found", f"There is no such {noun.lower()} in this organization.")


def nothing_to_change() -> ApiError:
    return ApiError(400, "At least one field is required", "An update names at least one field.")


def transition_refused(reason: str) -> ApiError:
    return ApiError(422, reason)


def name_exists(name: str) -> ApiError:
    return ApiError(409, "name_exists", f"Another ticket class of this event is named {name!r}.")


def sold_tickets(noun: str, count: int) -> ApiError:
    return ApiError(409, "sold_tickets", f"This {noun} has sold tickets.", sold_count=count)
