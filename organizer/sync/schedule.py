"""Which list is read next: what is wanted, how often, and what goes first."""

from datetime import datetime

from django.db.models import Case, IntegerField, Value, When

from organizer.connections.models import Connection
from organizer.sync import registry
from organizer.sync.models import Sweep
from organizer.sync.queries import DENIED
from organizer.sync.rules import ON_SCREEN_FOR


def plan(connection: Connection, now: datetime) -> None:
    """Makes the sweeps that the registered nouns want, the nearest event's first, and rests those of no use."""
    known = {(sweep.noun, sweep.scope): sweep for sweep in Sweep.objects.filter(connection=connection)}
    wanted = [(noun.name, want) for noun in registry.nouns() for want in noun.wanted(connection, now)]
    wanted.sort(key=lambda pair: pair[1].distance)  # stable: parents stay before their children
    made, changed = [], []
    for name, want in wanted:
        sweep = known.pop((name, want.scope), None)
        if sweep is None:
            made.append(Sweep(connection=connection, noun=name, scope=want.scope, every=want.every, next_at=now))
        elif sweep.every != want.every or sweep.next_at is None:
            sweep.every = want.every
            due = sweep.finished_at + want.every if sweep.finished_at else now
            sweep.next_at = min(sweep.next_at, due) if sweep.next_at and not sweep.failures else sweep.next_at or due
            changed.append(sweep)
    Sweep.objects.bulk_create(made, ignore_conflicts=True)
    Sweep.objects.bulk_update(changed, ["every", "next_at"], batch_size=100)
    idle = [sweep.pk for sweep in known.values() if sweep.next_at is not None and sweep.asked_at is None]
    Sweep.objects.filter(pk__in=idle).update(next_at=None)


def choose(connection: Connection, now: datetime) -> Sweep | None:
    """What a person asked for, then what is on a screen, then what has waited longest."""
    rank = Case(
        When(asked_at__isnull=False, then=Value(0)),
        When(looked_at__gte=now - ON_SCREEN_FOR, then=Value(1)),
        default=Value(2),
        output_field=IntegerField(),
    )
    due = Sweep.objects.filter(connection=connection, next_at__lte=now, noun__in=readable(connection))
    return due.annotate(rank=rank).order_by("rank", "next_at", "id").first()


def readable(connection: Connection) -> list[str]:
    """The nouns that this key may read; the others are held until it is replaced."""
    return [noun.name for noun in registry.nouns() if connection.scopes.get(noun.needs) != DENIED]


def has_held(connection: Connection, now: datetime) -> bool:
    return Sweep.objects.filter(connection=connection, next_at__lte=now).exclude(noun__in=readable(connection)).exists()
