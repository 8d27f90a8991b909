"""Drawings of the server: `{% load charts %}{% columns drawing %}`. Who includes it stands a table beside it."""

from html import escape
from typing import Any

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.safestring import SafeString

from organizer.kit.charts import Drawing, Mark

register = template.Library()


@register.inclusion_tag("components/columns.html")
def columns(
    drawing: Drawing, title: str, *, name: str, marks: tuple[Mark | None, Mark | None] = (None, None)
) -> dict[str, Any]:
    """`marks` are what is marked in grey, and now."""
    marked, now = marks
    bars = _bars(drawing, titled=True)
    return {"drawing": drawing, "bars": bars, "title": title, "name": name, "marked": marked, "now": now}


@register.inclusion_tag("components/spark.html")
def spark(drawing: Drawing, title: str, *, name: str) -> dict[str, Any]:
    return {"drawing": drawing, "bars": _bars(drawing), "title": title, "name": name}


def _bars(drawing: Drawing, *, titled: bool = False) -> SafeString:
    """Of a loop in a template, these would be most of the page's time."""
    drawn = []
    for bar in drawing.bars:
        of = bar.column
        if of.value:
            title = f"<title>{escape(of.label)}: {intcomma(of.value)}</title>" if titled else ""
            shape = f'x="{bar.x}" y="{bar.y}" width="{bar.width}" height="{bar.height}" rx="2"'
            drawn.append(f'<rect class="{escape(of.kind)}" {shape}{f">{title}</rect>" if title else "/>"}')
    return SafeString("".join(drawn))
