"""What the pages about deliveries and suppliers say of alerts."""

from collections.abc import Sequence

from django.contrib.humanize.templatetags.humanize import intcomma
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.alerts import queries, words
from organizer.alerts.models import State
from organizer.webhooks import registry
from organizer.webhooks.models import Vendor
from organizer.webhooks.registry import Alarm, Tab


class Alarms(registry.Alarms):
    def tab(self, organization: Organization) -> Tab:
        number = queries.open_count(organization)
        count = intcomma(number) if number else ""
        return Tab("alerts", _("Alerts"), reverse("alerts:index", args=[organization.slug]), count)

    def of(self, vendor: Vendor) -> Sequence[Alarm]:
        now = timezone.now()
        return [
            Alarm(
                title=words.title(alert),
                text=words.sentence(alert, now),
                url=reverse("alerts:detail", args=[alert.organization.slug, alert.pk]),
                since=alert.opened_at,
                acknowledged=alert.state == State.ACKNOWLEDGED,
            )
            for alert in queries.of_vendor(vendor)
        ]
