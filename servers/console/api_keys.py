"""An organization's keys as their page shows them."""

from typing import Any

from django.db.models import CharField, F, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Concat

from servers.event_api.models import RateWindow
from servers.organizations.models import ApiKey, Organization


def of(organization: Organization) -> QuerySet[Any]:
    """The live ones first, the newest first. `used_us` is when a key's last rate window began, in microseconds."""
    subject = Concat(Value("key:"), Cast(OuterRef("pk"), CharField()))
    windows = RateWindow.objects.filter(subject=subject).values("started_us")
    keys: QuerySet[Any] = ApiKey.objects.filter(organization=organization)
    return keys.annotate(used_us=Subquery(windows)).order_by(F("revoked_at").desc(nulls_first=True), "-pk")
