"""Drawings of the server: `{% load charts %}{% columns drawing %}`. Who includes it stands a table beside it."""

from typing import Any

from django import template

from organizer.kit.charts import Drawing, Mark

register = template.Library()


@register.inclusion_tag("components/columns.html")
def columns(
    drawing: Drawing, title: str, *, name: str, marks: tuple[Mark | None, Mark | None] = (None, None)
) -> dict[str, Any]:
    """`marks` are what is marked in grey, and now."""
    marked, now = marks
    return {"drawing": drawing, "title": title, "name": name, "marked": marked, "now": now}


@register.inclusion_tag("components/spark.html")
def spark(drawing: Drawing, title: str, *, name: str) -> dict[str, Any]:
    return {"drawing": drawing, "title": title, "name": name}
