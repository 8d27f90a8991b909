"""Columns over time as SVG says them: widths in per cent and heights in pixels, so that text keeps its size. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

HEIGHT, TOP, FOOT = 236, 30, 24
SPARK_HEIGHT = 64
LINES = 4
FILLED = 0.86
RIGHT = 0.88
WIDE = 1_000


@dataclass(frozen=True)
class Column:
    label: str
    value: int
    kind: str = "col"


@dataclass(frozen=True)
class Point:
    """Of a curve: `at` is a share of the width."""

    at: float
    value: int


@dataclass(frozen=True)
class Mark:
    """`at` is a share of the width."""

    at: float
    text: str

    @property
    def x(self) -> str:
        return _percent(self.at)

    @property
    def anchor(self) -> str:
        """Which end of the text stands at the mark, so that it stays on the drawing."""
        return "start" if self.at < 1 - RIGHT else "end" if self.at > RIGHT else "middle"

    @property
    def is_right(self) -> bool:
        return self.at > RIGHT


@dataclass(frozen=True)
class Bar:
    column: Column
    x: str
    y: str
    width: str
    height: str


@dataclass(frozen=True)
class Line:
    y: str
    text_y: str
    value: int


@dataclass(frozen=True)
class Curve:
    """`points` are in a box of `WIDE` by the drawing's height, stretched to its width; the scale is the curve's own."""

    points: str
    end_x: str
    end_y: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class Drawing:
    height: int
    foot: int
    bars: Sequence[Bar]
    lines: Sequence[Line]
    ticks: Sequence[Mark]
    curve: Curve | None = None


def columns(
    values: Sequence[Column], ticks: Sequence[Mark] = (), *, curve: Sequence[Point] = (), spark: bool = False
) -> Drawing:
    """A spark has columns alone."""
    height, top, foot = (SPARK_HEIGHT, 0, SPARK_HEIGHT) if spark else (HEIGHT, TOP, HEIGHT - FOOT)
    step = rung(max((column.value for column in values), default=0))
    most = max((column.value for column in values), default=0) if spark else step * LINES
    scale = (foot - top) / max(most, 1)
    share = 1 / max(len(values), 1)
    bars = [
        _bar(column, (index + (1 - FILLED) / 2) * share, FILLED * share, column.value * scale, foot)
        for index, column in enumerate(values)
    ]
    lines = [] if spark else _lines(step, top, foot)
    return Drawing(height, foot, bars, lines, ticks, _curve(curve, top, foot) if curve else None)


def rung(most: int) -> int:
    """The round number that four of reach over `most`: 1, 2, 2.5 or 5 with noughts behind."""
    size = 1
    while True:
        for tenths in (10, 20, 25, 50):
            one = tenths * size // 10
            if one * LINES >= most:
                return one
        size *= 10


def _lines(step: int, top: int, foot: int) -> Sequence[Line]:
    heights = [(foot - number * (foot - top) / LINES, step * number) for number in range(LINES + 1)]
    return [Line(_pixels(y), _pixels(y + 4), value) for y, value in heights]


def _curve(points: Sequence[Point], top: int, foot: int) -> Curve:
    step = rung(max(point.value for point in points))
    scale = (foot - top) / (step * LINES)
    drawn = [(point.at, _pixels(foot - point.value * scale)) for point in points]
    said = " ".join(f"{WIDE * at:.1f},{y}" for at, y in drawn)
    return Curve(said, _percent(drawn[-1][0]), drawn[-1][1], _lines(step, top, foot))


def _bar(column: Column, x: float, width: float, height: float, foot: int) -> Bar:
    tall = max(height, 1.5) if column.value else 0.0
    return Bar(column, _percent(x), _pixels(foot - tall), _percent(width), _pixels(tall))


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"


def _pixels(number: float) -> str:
    return f"{number:.1f}"


@dataclass(frozen=True)
class Part:
    kind: str
    value: int


@dataclass(frozen=True)
class Stack:
    """A column of parts, the first at the foot."""

    label: str
    parts: Sequence[Part]
    url: str = ""

    @property
    def value(self) -> int:
        return sum(part.value for part in self.parts)


@dataclass(frozen=True)
class Piece:
    kind: str
    y: str
    height: str


@dataclass(frozen=True)
class Pile:
    stack: Stack
    x: str
    width: str
    pieces: Sequence[Piece]


@dataclass(frozen=True)
class Stacks:
    height: int
    foot: int
    piles: Sequence[Pile]
    lines: Sequence[Line]
    ticks: Sequence[Mark]


STACK_HEIGHT, STACK_TOP, GAP = 128, 10, 1.0


def stacks(values: Sequence[Stack], ticks: Sequence[Mark] = ()) -> Stacks:
    """A part that is there is seen, however small."""
    foot = STACK_HEIGHT - FOOT
    step = rung(max((stack.value for stack in values), default=0))
    scale = (foot - STACK_TOP) / (step * LINES)
    share = 1 / max(len(values), 1)
    piles = [
        Pile(
            stack,
            _percent((index + (1 - FILLED) / 2) * share),
            _percent(FILLED * share),
            _pieces(stack, scale, foot),
        )
        for index, stack in enumerate(values)
    ]
    rungs = [step * number for number in range(0, LINES + 1, 2)]
    lines = [Line(_pixels(foot - value * scale), _pixels(foot - value * scale + 4), value) for value in rungs]
    return Stacks(STACK_HEIGHT, foot, piles, lines, ticks)


def _pieces(stack: Stack, scale: float, foot: float) -> list[Piece]:
    pieces = []
    for part in stack.parts:
        if part.value:
            tall = max(part.value * scale, 2.0)
            pieces.append(Piece(part.kind, _pixels(foot - tall), _pixels(max(tall - GAP, 1.0))))
            foot -= tall
    return pieces
