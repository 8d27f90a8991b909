"""`{% load webhooks %}`"""

from typing import Any

from django import template

register = template.Library()


@register.simple_tag(takes_context=True)
def address(context: dict[str, Any], **changes: Any) -> str:
    """The list's own address with other filters: `{% address outcome="failed" %}`."""
    found: str = context["filters"].address(**changes)
    return found
