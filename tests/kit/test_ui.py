from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from organizer.kit import days, money
from organizer.kit.templatetags import ui

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 21, 18, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (NOW, "Today 19:00"),
        (NOW + timedelta(hours=5), "Tomorrow 00:00"),
        (NOW - timedelta(days=1), "Yesterday 19:00"),
        (NOW + timedelta(days=6), "Friday 19:00"),
        (NOW + timedelta(days=7), "28 Nov 19:00"),
        (NOW - timedelta(days=7), "14 Nov 19:00"),
        (NOW + timedelta(days=200), "9 Jun 2027 20:00"),
    ],
)
def test_says_the_day_as_people_do(at, said):
    assert days.day_time(at, now=NOW, zone=BERLIN) == said


def test_counts_days_in_the_zone_that_is_shown():
    late = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)
    assert days.day(late, now=NOW, zone=UTC) == "Today"
    assert days.day(late, now=NOW, zone=BERLIN) == "Tomorrow"


@pytest.mark.parametrize(
    ("hours", "said"),
    [(4, "Today 23:00"), (5, "22 Nov 00:00"), (6, "Tomorrow 01:00"), (30, "Monday 01:00"), (-19, "21 Nov 00:00")],
)
def test_today_is_the_persons(hours, said):
    """In UTC it is 18 o'clock of the 21st; where the calendars of the two zones differ, no day is near."""
    assert days.day_time(NOW + timedelta(hours=hours), now=NOW, zone=BERLIN, mine=UTC) == said


def test_says_near_days_in_lower_case_inside_a_sentence():
    assert days.day_time_inside(NOW, now=NOW, zone=BERLIN) == "today 19:00"
    assert days.day_time_inside(NOW + timedelta(days=2), now=NOW, zone=BERLIN) == "Monday 19:00"


@pytest.mark.parametrize(("seconds", "said"), [(-3, "0 s ago"), (12, "12 s ago"), (3599, "59 min ago"), (3600, "")])
def test_counts_short_times(seconds, said):
    assert days.ago(NOW - timedelta(seconds=seconds), now=NOW) == said


@pytest.mark.parametrize("name", ["Mars/Olympus", "../../etc/passwd", "", "Europe/Berlin\x00"])
def test_shows_utc_for_a_zone_that_nobody_knows(name):
    assert days.zone_named(name) is UTC


def test_says_both_zones_on_hover():
    with timezone.override(BERLIN):
        said = ui.day_time(NOW, "Asia/Tokyo")
    assert ", Tokyo</time>" in said
    assert "Sat 21 Nov 2026, 19:00 Berlin" in said
    assert "Sun 22 Nov 2026, 03:00 Tokyo" in said


def test_says_nothing_for_no_time():
    assert [ui.day_time(None), ui.day(None), ui.ago(None), ui.when(None), ui.money(None)] == ["–"] * 5


@pytest.mark.parametrize(
    ("amount", "currency", "said"),
    [
        ("24", "eur", "€24.00"),
        ("1500", "JPY", "¥1,500"),
        ("1.5", "KWD", "1.500 KWD"),
        ("24.995", "EUR", "€24.995"),
        ("-3.5", "USD", "−$3.50"),
        ("0", "", "0.00"),
        ("19.9", "PLN", "19.90 zł"),
    ],
)
def test_shows_money_with_its_own_decimals(amount, currency, said):
    assert money.say(Decimal(amount), currency) == said


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("Amélie Okonkwo", "AO"),
        ("Дмитро Ковальчук", "ДК"),
        ("יעל בן־דוד", "י"),
        ("محمد العلي", "م"),
        ("佐藤 美咲", "佐"),
        ("Björk", "B"),
        ("🎉 Party Person", "PP"),
        ("", "?"),
        ("12 34", "?"),
    ],
)
def test_shortens_names_of_many_scripts(name, letters):
    assert ui.initials(name) == letters


def test_escapes_what_a_name_brings_along():
    assert "<b>" not in ui.avatar("<b>x</b>")


def test_gives_one_person_one_colour():
    assert ui.avatar("Zoë van der Meulen") == ui.avatar("Zoë van der Meulen")


@pytest.mark.parametrize(
    ("value", "total", "width"), [(1, 4, "25.0%"), (9, 4, "100.0%"), (1, 0, "0.0%"), (None, 5, "0.0%")]
)
def test_fills_a_bar_within_its_ends(value, total, width):
    bar = ui.bar(value, total)
    assert f'width="{width}"' in bar
    assert "style=" not in bar
