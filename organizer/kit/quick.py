"""Statements that are worded once, for the path that a rush of people goes through.

The ORM words every statement anew, which costs several times what the database needs for it. What is read and written
here are still the models' rows, through their fields' own conversions; PostgreSQL gets many statements in one trip.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from itertools import count
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.models.base import ModelState


@dataclass(frozen=True)
class Statement:
    sql: str
    params: Sequence[Any]


@dataclass(frozen=True)
class Columns:
    """Some of a model's columns, selected under `alias`; the instance's other fields are read when asked for."""

    model: type[models.Model]
    alias: str
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        # `from_db` takes the values in the order of the model's fields
        order = [field.name for field in self.model._meta.concrete_fields]
        object.__setattr__(self, "names", tuple(sorted(self.names, key=order.index)))

    def __str__(self) -> str:
        return ", ".join(f"{self.alias}.{_field(self.model, name).column}" for name in self.names)

    def made_of(self, values: Sequence[Any]) -> Any:
        """As `from_db` makes it, without a signal for each instance."""
        db = connections[DEFAULT_DB_ALIAS]
        made = self.model.__new__(self.model)
        made._state = ModelState()
        made._state.adding, made._state.db = False, db.alias
        for name, value, (converters, expression) in zip(_attributes(self), values, _converters(self), strict=True):
            for convert in converters:
                value = convert(value, expression, db)
            made.__dict__[name] = value
        return made


def value(model: type[models.Model], name: str, of: Any) -> Any:
    """As the database takes it for this field: SQLite has no type for keys and times."""
    return _field(model, name).get_db_prep_value(of, connection)


def read(sql: str, params: Sequence[Any], *columns: Columns) -> Iterator[tuple[Any, ...]]:
    """A row at a time, as one instance for each of `columns`, in the order of the select; then what else it selects."""
    with _cursor() as cursor:
        cursor.execute(sql, params)
        rows = cursor.fetchall()
    for row in rows:
        made, start = [], 0
        for part in columns:
            end = start + len(part.names)
            made.append(part.made_of(row[start:end]))
            start = end
        yield *made, *row[start:]


Value = UUID | datetime | Sequence[UUID]


def worded(make: Callable[..., models.QuerySet[Any, Any]], *values: Value) -> list[tuple[Any, ...]]:
    """The rows of `make(*values)`, worded by the ORM once: from then on only the values are filled in.

    So whatever differs from call to call is one of them, as it is: `make` computes nothing of what it is given.
    """
    wording = _wording(make, tuple(len(one) if isinstance(one, Sequence) else type(one) for one in values))
    given = _prepared(values)
    with _cursor() as cursor:
        cursor.execute(
            wording.sql, [given[param.at] if isinstance(param, _Place) else param for param in wording.params]
        )
        found = cursor.fetchall()
    return [tuple(row) for row in wording.compiler.apply_converters(found, wording.converters)]


@dataclass(frozen=True)
class _Place:
    """Of a value among those that are given."""

    at: int


@dataclass(frozen=True)
class _Wording:
    compiler: Any
    sql: str
    params: Sequence[Any]
    converters: dict[int, Any]


@lru_cache(1000)
def _wording(make: Callable[..., models.QuerySet[Any, Any]], kinds: Sequence[type | int]) -> _Wording:
    """Worded for two sets of values: what differs must have been given."""
    one, other = [[_example(kind) for kind in kinds] for _ in range(2)]
    compiler, again = [make(*values).query.get_compiler(DEFAULT_DB_ALIAS) for values in (one, other)]
    sql, params = compiler.as_sql()
    prepared = _prepared(one)
    places = [_Place(prepared.index(param)) if param in prepared else param for param in params]
    for place, param in zip(places, again.as_sql()[1], strict=True):
        if not isinstance(place, _Place) and repr(place) != repr(param):
            raise ValueError(f"{make.__name__} computes {place!r} of what it is given")
    selected = [expression for expression, _sql, _alias in compiler.select]
    return _Wording(compiler, sql, places, compiler.get_converters(selected))


_NUMBERS = count(1)


def _example(kind: type | int) -> Any:
    if isinstance(kind, int):
        return [_example(UUID) for _ in range(kind)]
    number = next(_NUMBERS)
    return UUID(int=number) if kind is UUID else datetime(2000, 1, 1, tzinfo=UTC) + timedelta(days=number)


def _prepared(values: Sequence[Value]) -> list[Any]:
    """As the database takes them, in a row."""
    flat = [one for value in values for one in (value if isinstance(value, Sequence) else [value])]
    ops, native = connection.ops, connection.features.has_native_uuid_field
    return [
        (one if native else one.hex) if isinstance(one, UUID) else ops.adapt_datetimefield_value(one) for one in flat
    ]


def new[Row: models.Model](model: type[Row], **values: Any) -> Row:
    """As the model makes it, without a signal and a look at each field: `values` by the names of the attributes."""
    made = model.__new__(model)
    made._state = ModelState()
    vars(made).update({name: default() for name, default in _defaults(model)}, **values)
    return made


def insert(row: models.Model, *, where: str = "", then: str = "") -> Statement:
    """`then` is what follows the values: ON CONFLICT …, RETURNING …"""
    db = connections[DEFAULT_DB_ALIAS]
    head, places, fields = _insert(type(row), db.vendor, row.pk is not None)
    values = f"SELECT {places} {where}" if where else f"VALUES ({places})"
    given = vars(row)
    params = [
        given[name] if field is None else field.get_db_prep_save(field.pre_save(row, add=True), db)
        for name, field in fields
    ]
    return Statement(f"{head} {values} {then}", params)


def update(row: models.Model, changes: dict[str, Any], *, where: str = "") -> Statement:
    model = type(row)
    db = connections[DEFAULT_DB_ALIAS]
    values = [_field(model, name).get_db_prep_save(one, db) for name, one in changes.items()]
    return Statement(f"{_update(model, tuple(changes))} {where}", [*values, value(model, "id", row.pk)])


def returned(statement: Statement) -> Any:
    """The one value that it returns; None where it returns no row."""
    with _cursor() as cursor:
        cursor.execute(statement.sql, statement.params)
        row = cursor.fetchone()
        return row[0] if row else None


def run(statements: Sequence[Statement]) -> list[int]:
    """How many rows each of them wrote. Call it in a transaction."""
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            counts = []
            for one in statements:
                cursor.execute(one.sql, one.params)
                counts.append(cursor.rowcount)
            return counts
        cursor.execute(";".join(one.sql for one in statements), [param for one in statements for param in one.params])
        counts = [cursor.rowcount]
        while cursor.nextset():
            counts.append(cursor.rowcount)
        return counts


def all_or_none(guard: Statement, first: Statement, others: Sequence[Statement]) -> bool:
    """One statement of PostgreSQL, and so one trip: `first` writes if `guarded` finds a row, the others if it wrote.

    Each says so by its `where`.
    """
    parts = [f"guarded AS ({guard.sql})", f"written AS ({first.sql} RETURNING 1)"]
    parts += [f"other_{number} AS ({one.sql})" for number, one in enumerate(others)]
    sql = f"WITH {', '.join(parts)} SELECT count(*) FROM written"  # noqa: S608 names of our own
    params = [param for one in (guard, first, *others) for param in one.params]
    return returned(Statement(sql, params)) == 1


def _cursor() -> Any:
    """On PostgreSQL each statement is parsed and planned once for a connection, unless the settings forbid it."""
    db = connections[DEFAULT_DB_ALIAS]
    if db.vendor != "postgresql":
        return db.cursor()
    from organizer.kit.prepared import PreparedCursor  # the driver need not be there for SQLite

    db.ensure_connection()
    cursor: Any = PreparedCursor(db.connection)
    return db.make_debug_cursor(cursor) if db.queries_logged else db.make_cursor(cursor)


@cache
def _field(model: type[models.Model], name: str) -> Any:
    return model._meta.get_field(name)


@cache
def _defaults(model: type[models.Model]) -> Sequence[tuple[str, Callable[[], Any]]]:
    return [(field.attname, field.get_default) for field in model._meta.concrete_fields]


@cache
def _attributes(columns: Columns) -> list[str]:
    return [_field(columns.model, name).attname for name in columns.names]


@cache
def _converters(columns: Columns) -> list[tuple[Any, Any]]:
    found = []
    for name in columns.names:
        expression = _field(columns.model, name).get_col(columns.alias)
        backend = connection.ops.get_db_converters(expression)
        found.append(([*backend, *expression.get_db_converters(connection)], expression))
    return found


@cache
def _insert(model: type[models.Model], vendor: str, has_key: bool) -> tuple[str, str, Sequence[tuple[str, Any]]]:
    """The fields by the names of their attributes; None for a field whose value goes to the database as it is."""
    fields = [field for field in model._meta.concrete_fields if has_key or not isinstance(field, models.AutoField)]
    names, places = ", ".join(str(field.column) for field in fields), ", ".join(["%s"] * len(fields))
    return (
        f"INSERT INTO {model._meta.db_table} ({names})",
        places,
        [(field.attname, None if _goes_as_it_is(field, vendor) else field) for field in fields],
    )


def _goes_as_it_is(field: Any, vendor: str) -> bool:
    if isinstance(field, models.ForeignKey):
        return _goes_as_it_is(field.target_field, vendor)
    if isinstance(field, models.DateTimeField):
        return vendor == "postgresql" and not field.auto_now and not field.auto_now_add
    if isinstance(field, models.UUIDField):
        return vendor == "postgresql"
    return isinstance(field, models.CharField | models.TextField | models.BooleanField | models.IntegerField)


@cache
def _update(model: type[models.Model], names: tuple[str, ...]) -> str:
    values = ", ".join(f"{_field(model, name).column} = %s" for name in names)
    return f"UPDATE {model._meta.db_table} SET {values} WHERE id = %s"  # noqa: S608 names of our own
