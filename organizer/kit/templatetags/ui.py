"""Small parts that every page needs: icons, times, money, avatars, bars. Loaded by name: `{% load ui %}`."""

import json
import unicodedata
import zlib
from datetime import datetime
from decimal import Decimal
from functools import cache
from html import escape
from typing import Any

from django import template
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from organizer.kit import days
from organizer.kit import money as amounts

register = template.Library()

NOTHING = "–"
HUES = 5


@register.simple_tag
def icon(name: str, classes: str = "") -> SafeString:
    """`{% icon "check" %}`, `{% icon "x" "icon-s" %}`. It says nothing aloud: a word stands beside it."""
    return _icon(name, classes)


@cache
def _icon(name: str, classes: str) -> SafeString:
    filled = " icon-f" if name.startswith("f-") else ""
    return format_html(
        '<svg class="icon{}{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        filled,
        f" {classes}" if classes else "",
        staticfiles_storage.url("icons.svg"),
        name,
    )


@register.filter
def day_time(at: datetime | None, zone: str = "") -> str:
    """`Today 19:00`; with the event's zone `Today 19:00, Berlin`. Exact on hover, in both zones."""
    if at is None:
        return NOTHING
    mine = timezone.get_current_timezone()
    theirs = days.zone_named(zone) if zone else mine
    text = days.day_time(at, now=timezone.now(), zone=theirs, mine=mine)
    return _time(at, f"{text}, {days.zone_name(theirs)}" if zone else text, theirs, mine)


@register.filter
def written(at: datetime | None, zone: str = "") -> str:
    """`Sat 13 Feb 2027 20:00, New York`: on the page that is about it."""
    if at is None:
        return NOTHING
    mine = timezone.get_current_timezone()
    theirs = days.zone_named(zone) if zone else mine
    local = at.astimezone(theirs)
    return _time(at, f"{date_format(local, 'D j M Y')} {local:%H:%M}, {days.zone_name(theirs)}", theirs, mine)


@register.filter
def by_my_clock(at: datetime | None, zone: str) -> str:
    """`Sunday 02:00`, where the person's clock says another time; else nothing."""
    if at is None:
        return ""
    here, there = timezone.localtime(at), at.astimezone(days.zone_named(zone))
    if here.utcoffset() == there.utcoffset():
        return ""
    return f"{here:%H:%M}" if here.date() == there.date() else f"{date_format(here, 'l')} {here:%H:%M}"


@register.filter
def when(at: datetime | None) -> str:
    """As `day_time`, inside a sentence: "since today 19:02"."""
    if at is None:
        return NOTHING
    mine = timezone.get_current_timezone()
    return _time(at, days.day_time_inside(at, now=timezone.now(), zone=mine), mine)


@register.filter
def clock(at: datetime | None, zone: str = "") -> str:
    """`19:24:08`, where the seconds matter and the day is known; exact on hover."""
    if at is None:
        return NOTHING
    mine = timezone.get_current_timezone()
    theirs = days.zone_named(zone) if zone else mine
    return _time(at, f"{at.astimezone(theirs):%H:%M:%S}", theirs, mine)


@register.filter
def day(at: datetime | None, zone: str = "") -> str:
    if at is None:
        return NOTHING
    mine = timezone.get_current_timezone()
    theirs = days.zone_named(zone) if zone else mine
    return _time(at, days.day(at, now=timezone.now(), zone=theirs), theirs, mine)


@register.filter
def day_box(at: datetime | None, zone: str = "") -> str:
    """Day of the month over the month, as a calendar's leaf."""
    if at is None:
        return format_html('<span class="day"><b>{}</b></span>', NOTHING)
    local = at.astimezone(days.zone_named(zone) if zone else timezone.get_current_timezone())
    return format_html(
        '<span class="day" aria-hidden="true"><b>{}</b>{}</span>', date_format(local, "d"), date_format(local, "M")
    )


@register.filter
def ago(at: datetime | None) -> str:
    """`12 s ago`, `4 min ago`, after an hour `Today 19:02`; kept true by a script while the page is open."""
    if at is None:
        return NOTHING
    mine, now = timezone.get_current_timezone(), timezone.now()
    text = days.ago(at, now=now)
    if not text:
        return _time(at, days.day_time(at, now=now, zone=mine), mine)
    return format_html('<time datetime="{}" title="{}" data-ago>{}</time>', at.isoformat(), days.exact(at, mine), text)


@register.filter
def money(amount: Decimal | None, currency: str = "") -> str:
    return NOTHING if amount is None else amounts.say(amount, currency)


@register.filter
def initials(name: str) -> str:
    """First letters of the first and last word; one letter where the script joins its letters or has no words."""
    words = [word for word in name.split() if unicodedata.category(word[0]).startswith("L")]
    if not words:
        return "?"
    first = words[0][0]
    if len(words) == 1 or unicodedata.bidirectional(first) in ("R", "AL") or not first.upper().isupper():
        return first.upper()
    return (first + words[-1][0]).upper()


@register.filter
def pretty_json(value: Any) -> str:
    """Indented, scripts as they are; the template escapes it."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


@register.simple_tag
def avatar(name: str, classes: str = "") -> SafeString:
    """The same person has the same colour on every page."""
    hue = zlib.crc32(name.encode(errors="replace")) % HUES + 1
    more = f" {escape(classes)}" if classes else ""
    return SafeString(f'<span class="av av-{hue}{more}" aria-hidden="true">{escape(initials(name))}</span>')


@register.simple_tag
def bar(value: Any, total: Any, label: str = "", kind: str = "1") -> SafeString:
    """A filled bar by SVG attributes: a style attribute would break the content security policy."""
    share = max(0.0, min(100.0, 100 * float(value or 0) / float(total))) if total else 0.0
    spoken = format_html('role="img" aria-label="{}"', label) if label else SafeString('aria-hidden="true"')
    return format_html(
        '<svg class="bar" {}><rect class="bar-track" width="100%" height="6" rx="3"/>'
        '<rect class="bar-{}" width="{}%" height="6" rx="3"/></svg>',
        spoken,
        kind,
        f"{share:.1f}",
    )


def _time(at: datetime, text: str, *zones: Any) -> SafeString:
    seen = list({days.zone_name(zone): zone for zone in zones}.values())
    title = escape(days.exact(at, *seen))
    return SafeString(f'<time datetime="{at.isoformat()}" title="{title}">{escape(text)}</time>')
