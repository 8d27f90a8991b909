import time
from collections.abc import Sequence
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.connections import limiter, rules
from organizer.connections.models import Connection, Health, Service
from organizer.connections.rules import Budget, Notice, scope_in_words
from organizer.kit import quick
from organizer.upstream import pacing

CONNECTION = quick.Columns(Connection, "c", tuple(field.name for field in Connection._meta.concrete_fields))
_ALL_LIVE = (
    f"SELECT {CONNECTION} FROM connections_connection c"  # noqa: S608 names of our own
    " WHERE c.organization_id = %s AND c.live AND c.service <> %s ORDER BY c.service"
)


def live(organization: Organization, service: str) -> Connection | None:
    return Connection.objects.filter(organization=organization, service=service, live=True).first()


def all_live(organization: Organization) -> list[Connection]:
    """What the organization's pages are about, for the frame of each, so it is worded once.

    A supplier's is a matter of its own page.
    """
    params = [quick.value(Connection, "organization", organization.pk), Service.SUPPLIER.value]
    return [connection for (connection,) in quick.read(_ALL_LIVE, params, CONNECTION)]


def not_suppliers(organization: Organization) -> QuerySet[Connection]:
    return Connection.objects.filter(organization=organization).exclude(service=Service.SUPPLIER)


def to_check(now: datetime | None = None) -> list[Connection]:
    now = now or timezone.now()
    services = (Service.EVENTS, Service.SUPPLIER)
    live = Connection.objects.filter(live=True, service__in=services).order_by("created_at")
    return [row for row in live if rules.is_check_due(row.health, row.scopes, row.checked_at, now)]


def is_usable(connection: Connection) -> bool:
    """Whether it makes sense to ask. What is not usable is held, and goes on by itself when it is."""
    return connection.live and connection.health != Health.KEY_REFUSED and not connection.sees_other_events


def may(connection: Connection, scope: str) -> bool:
    """Whether the key is not known to lack `scope`."""
    return connection.scopes.get(scope) != "denied"


def budget(connection: Connection) -> Budget:
    now = time.time()
    state = pacing.current(limiter.shared_store().read(connection.key_fingerprint), now)
    return Budget(used=min(state.counted, state.limit), limit=state.limit, resets_in=pacing.resets_in(state, now))


def is_spent(connection: Connection) -> bool:
    """Whether the key's allowance is used up until its window ends: nothing can be sent that moment."""
    now = budget(connection)
    return now.used >= now.limit and now.resets_in > 0


def notices(organization: Organization, connections: Sequence[Connection] | None = None) -> list[Notice]:
    """What is wrong with the connections, each with what to do; the most urgent first.

    Whoever has the live ones at hand gives them, and a query is saved.
    """
    if connections is None:
        connections = all_live(organization)
    if not any(connection.service == Service.EVENTS for connection in connections):
        return [
            Notice(
                "info",
                _("Nothing is connected yet. Connect the event API to see events and guests."),
                "connections:add",
            )
        ]
    return [notice for connection in connections for notice in _notices_of(connection)]


def _notices_of(connection: Connection) -> list[Notice]:
    name = connection.get_service_display()
    if connection.health == Health.KEY_REFUSED:
        return [
            Notice(
                "danger",
                _("%(service)s: the key was refused. Make a new key at the provider and replace it here.")
                % {"service": name},
                since=connection.health_since,
            )
        ]
    if connection.health == Health.UNREACHABLE:
        return [
            Notice(
                "warning",
                _("%(service)s: not answering. What you see is from before; we keep trying. %(reason)s")
                % {"service": name, "reason": connection.health_message},
                since=connection.health_since,
            )
        ]
    if connection.sees_other_events:
        return [
            Notice(
                "warning",
                _("%(service)s: the new key sees other events than those shown here. Say which of them you want.")
                % {"service": name},
            )
        ]
    return [
        Notice(
            "warning",
            _("%(service)s: the key lacks the scope %(scope)s, so Foyer cannot %(what)s. Give the key this scope.")
            % {"service": name, "scope": scope, "what": scope_in_words(scope)},
        )
        for scope, outcome in sorted(connection.scopes.items())
        if outcome == "denied"
    ]
