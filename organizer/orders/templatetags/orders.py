"""`{% load orders %}`"""

from django import template
from django.utils.translation import gettext as _

register = template.Library()


@register.filter
def seconds(number: int) -> str:
    """`40 s`, `3 min`, `2 h`: rounded up, as one promises."""
    if number < 60:
        return _("%(n)s s") % {"n": max(number, 1)}
    minutes = -(-number // 60)
    return _("%(n)s min") % {"n": minutes} if minutes < 90 else _("%(n)s h") % {"n": -(-minutes // 60)}
