"""What stands above every page about webhooks."""

from collections.abc import Sequence

from django.urls import reverse
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.webhooks import registry
from organizer.webhooks.registry import Tab


def tabs(organization: Organization) -> Sequence[Tab]:
    named = (
        ("deliveries", _("Deliveries"), "webhooks:index"),
        ("rejected", _("Rejected"), "webhooks:rejected"),
        ("suppliers", _("Suppliers"), "webhooks:vendors"),
    )
    ours = [Tab(name, label, reverse(view, args=[organization.slug])) for name, label, view in named]
    alerts = registry.alarms().tab(organization)
    return [*ours, *registry.sequel().tabs(organization), *([alerts] if alerts else [])]
