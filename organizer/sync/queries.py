"""How fresh the mirror is, what is due, and whether anybody works."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.connections.models import Connection, Health, Service
from organizer.kit import quick
from organizer.sync.models import FAILED, OPEN, Command, Pulse, State, Sweep, Walker
from organizer.sync.rules import ON_SCREEN_EVERY, is_stale

ASKED_IS_READING = timedelta(minutes=1)
DENIED = "denied"
MAY_READ = (Health.WORKING, Health.UNREACHABLE)
SENT_TO = (Service.EVENTS, Service.SUPPLIER)
SWEPT = (Service.EVENTS,)
"""A supplier's lists are not mirrored: what it holds of ours is found one by one."""
SWEEP = quick.Columns(Sweep, "s", tuple(field.name for field in Sweep._meta.concrete_fields))
WALKER = quick.Columns(Walker, "w", tuple(field.name for field in Walker._meta.concrete_fields))
_SWEEP_OF = (
    f"SELECT {SWEEP}, {WALKER} FROM sync_sweep s LEFT JOIN sync_walker w ON w.connection_id = s.connection_id"  # noqa: S608 names of our own
    " WHERE s.connection_id = %s AND s.noun = %s AND s.scope = %s"
)


@dataclass(frozen=True)
class Freshness:
    """`read_at` is when the walk began that the rows are from; `skipped` counts rows that could not be taken."""

    read_at: datetime | None
    reading: bool
    problem: str
    stale: bool
    skipped: int = 0
    doubts: tuple[str, ...] = ()
    unseen: bool = False
    """Nobody has looked at this list within the minute."""


def freshness(
    organization: Organization,
    noun: str,
    scope: str = "",
    *,
    connection: Connection | None = None,
    now: datetime | None = None,
) -> Freshness:
    """Whoever has the organization's connection at hand gives it, and a query is saved."""
    if connection is None:
        connection = Connection.objects.filter(organization=organization, service=Service.EVENTS, live=True).first()
    if connection is None:
        return not_connected()
    return freshness_of(connection, _sweep(connection, noun, scope), now)


def _sweep(connection: Connection, noun: str, scope: str) -> Sweep | None:
    """With its connection and that one's walker, if it has one. Lists say how fresh they are, so it is worded once."""
    for sweep, walker in quick.read(
        _SWEEP_OF, [quick.value(Sweep, "connection", connection.pk), noun, scope], SWEEP, WALKER
    ):
        sweep.connection = connection
        connection._state.fields_cache["walker"] = walker if walker.pk else None
        return sweep
    return None


def not_connected() -> Freshness:
    return Freshness(None, reading=False, problem=_("Not connected."), stale=True)


def freshness_of(connection: Connection, sweep: Sweep | None, now: datetime | None = None) -> Freshness:
    """For whoever has read the sweep among others."""
    now, trouble = now or timezone.now(), _trouble(connection)
    if sweep is None:
        return Freshness(None, reading=not trouble, problem=trouble, stale=True)
    problem = trouble or sweep.problem
    return Freshness(
        read_at=sweep.finished_at,
        reading=not problem and _is_reading(sweep, now),
        problem=problem,
        stale=bool(problem) or is_stale(read_at=sweep.finished_at, every=sweep.every, now=now),
        skipped=int(sweep.counts.get("skipped", 0)),
        doubts=tuple(sweep.doubts),
        unseen=sweep.looked_at is None or now - sweep.looked_at > ON_SCREEN_EVERY,
    )


def _trouble(connection: Connection) -> str:
    """Short: the banner says why, and what to do."""
    if connection.health == Health.UNREACHABLE:
        return _("The event API is not answering.")
    return _("The key was refused.") if connection.health == Health.KEY_REFUSED else ""


def _is_reading(sweep: Sweep, now: datetime) -> bool:
    """Under way and somebody at it, or asked for a moment ago: a dead worker does not read for ever."""
    walker: Walker | None = getattr(sweep.connection, "walker", None)
    at_it = walker is not None and (walker.until or walker.next_at) > now - timedelta(seconds=10)
    if sweep.asked_at is not None:
        return now - sweep.asked_at < ASKED_IS_READING
    return at_it and (sweep.page > 0 or sweep.finished_at is None)


def may_use(connection: Connection) -> bool:
    """Not while a new key sees other events than those mirrored: a person decides first what becomes of them.

    So not with a new key that nobody could try yet either.
    """
    may = connection.live and connection.health in MAY_READ and not connection.sees_other_events
    may = may and (not connection.known_events or connection.known_by == connection.key_fingerprint)
    return may and connection.service in SENT_TO


def hold(connection: Connection, scope: str = "") -> str:
    """Why nothing is sent over this connection, or nothing that needs `scope`; "" where nothing holds it."""
    if not connection.live:
        return _("Its connection was removed.")
    if connection.health == Health.KEY_REFUSED:
        return _("The key was refused.")
    if connection.health == Health.CHECKING:
        return _("The key is being tried.")
    if connection.sees_other_events:
        return _("The new key sees other events than those shown here.")
    if not may_use(connection):
        return _("The new key could not be tried yet.")
    return _("The key lacks the scope %s.") % scope if scope in denied(connection) else ""


def denied(connection: Connection) -> list[str]:
    return [scope for scope, found in connection.scopes.items() if found == DENIED]


def is_held(connections: Iterable[Connection]) -> Q:
    """Of waiting commands of these connections: those that nothing is done about until somebody mends something."""
    held = Q(pk__in=[])
    for connection in connections:
        if hold(connection):
            held |= Q(connection=connection)
        elif scopes := denied(connection):
            held |= Q(connection=connection, scope__in=scopes)
    return held


def held(organization: Organization, connections: Iterable[Connection] | None = None) -> QuerySet[Command]:
    """Whoever has all connections of the organization at hand, removed ones too, gives them."""
    if connections is None:
        connections = Connection.objects.filter(organization=organization)
    return Command.objects.filter(is_held(connections), organization=organization, state=State.WAITING)


def unseen(organization: Organization) -> QuerySet[Command]:
    """Refused or parked, and nobody has said that they know."""
    return Command.objects.filter(organization=organization, state__in=FAILED, seen_at=None)


def is_behind() -> Q:
    """Of commands: an earlier one of the same row, or of the row that it hangs on, is still open and goes first."""
    earlier = Command.objects.filter(seq__lt=OuterRef("seq"), state__in=OPEN)
    same = earlier.filter(noun=OuterRef("noun"), target_id=OuterRef("target_id"))
    parent = earlier.filter(noun=OuterRef("parent_noun"), target_id=OuterRef("parent_id"))
    return Exists(same) | Exists(parent)


def to_walk(now: datetime) -> QuerySet[Connection]:
    """Connections with something due that nobody reads now."""
    due = Sweep.objects.filter(connection=OuterRef("pk"), next_at__lte=now)
    busy = Walker.objects.filter(connection=OuterRef("pk")).filter(Q(next_at__gt=now) | Q(until__gte=now))
    never = ~Exists(Sweep.objects.filter(connection=OuterRef("pk")))
    return usable_connections().filter(Exists(due) | never, service__in=SWEPT).exclude(Exists(busy))


def usable_connections() -> QuerySet[Connection]:
    """Those of which `may_use` holds; the others' commands and sweeps are held."""
    live = Connection.objects.filter(live=True, service__in=SENT_TO, health__in=MAY_READ, sees_other_events=False)
    return live.filter(Q(known_events=[]) | Q(known_by=F("key_fingerprint")))


def last_pulse() -> datetime | None:
    return Pulse.objects.aggregate(at=Max("at"))["at"]


def pulse_age(now: datetime | None = None) -> timedelta | None:
    """None where no worker ever was."""
    at = last_pulse()
    return (now or timezone.now()) - at if at else None
