from servers.event_api.models import RateWindow
from servers.kit import limits
from servers.kit.limits import Allowance
from servers.organizations.models import ApiKey


def take_for_key(key: ApiKey) -> Allowance:
    return limits.take(RateWindow, f"key:{key.pk}", key.limit_requests, key.limit_seconds)


def take_for_address(address: str) -> Allowance:
    return limits.take_for_address(RateWindow, address)
