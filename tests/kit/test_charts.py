import pytest
from django.template import Context, Template

from organizer.kit import charts
from organizer.kit.charts import FOOT, HEIGHT, Column, Mark, columns, rung


@pytest.mark.parametrize(
    ("most", "said"), [(0, 1), (1, 1), (4, 1), (5, 2), (61, 20), (80, 20), (81, 25), (101, 50), (4100, 2000)]
)
def test_has_round_lines(most, said):
    assert rung(most) == said


def test_draws_each_column_by_its_share():
    drawing = columns([Column("a", 40), Column("b", 0), Column("c", 80)])
    tall = [float(bar.height) for bar in drawing.bars]
    assert tall[2] == pytest.approx(2 * tall[0], abs=0.1)
    assert tall[1] == 0
    assert all(float(bar.y) + float(bar.height) == pytest.approx(HEIGHT - FOOT, abs=0.1) for bar in drawing.bars)
    assert [line.value for line in drawing.lines] == [0, 20, 40, 60, 80]


def test_shows_one_among_thousands():
    assert float(columns([Column("a", 1), Column("b", 9000)]).bars[0].height) > 1


@pytest.mark.parametrize(("at", "anchor"), [(0, "start"), (0.5, "middle"), (1, "end")])
def test_keeps_words_on_the_drawing(at, anchor):
    assert Mark(at, "x").anchor == anchor


def test_says_it_without_a_style():
    drawing = columns([Column("<b>19:00</b>", 1200, "col-now")], [Mark(0.2, "19:00")])
    template = Template('{% load charts %}{% columns drawing title name="x" marks=marks %}')
    context = {"drawing": drawing, "title": "All of <it>", "marks": (Mark(0.5, "Start"), None)}
    said = template.render(Context(context))
    assert "style=" not in said
    assert 'role="img" aria-labelledby="x-title"' in said
    assert '<title id="x-title">All of &lt;it&gt;</title>' in said
    assert "&lt;b&gt;19:00&lt;/b&gt;: 1,200" in said
    assert "Start" in said


def test_draws_nothing_of_nothing():
    assert columns([]).bars == []


class TestStacks:
    def pile(self, *values):
        parts = [charts.Part(kind, value) for kind, value in zip("abc", values, strict=True)]
        return charts.stacks([charts.Stack("x", parts)]).piles[0]

    def test_stand_on_each_other_and_leave_out_what_is_not_there(self):
        pile = self.pile(10, 0, 20)
        assert [piece.kind for piece in pile.pieces] == ["a", "c"]
        lower, upper = pile.pieces
        assert float(upper.y) + float(upper.height) < float(lower.y)

    def test_show_what_is_small_beside_what_is_large(self):
        assert float(self.pile(1, 0, 100_000).pieces[0].height) >= 1

    def test_fit_below_the_highest_line(self):
        drawing = charts.stacks([charts.Stack("x", [charts.Part("a", 7)]), charts.Stack("y", [])])
        assert min(float(piece.y) for pile in drawing.piles for piece in pile.pieces) >= 0
        assert drawing.piles[1].pieces == []

    def test_draw_nothing_of_nothing(self):
        assert charts.stacks([]).piles == []
