from collections.abc import Sequence

from django import template
from django.template.context import Context
from django.utils.safestring import SafeString

from organizer.attendees import looks
from organizer.attendees.exports import Line
from organizer.attendees.rows import GuestRow

register = template.Library()


@register.simple_tag(takes_context=True)
def guest_rows(context: Context, rows: Sequence[GuestRow]) -> SafeString:
    """`_row.html` for each of them."""
    slug, may_manage = context["organization"].slug, context["may_manage"]
    return SafeString("".join(looks.drawn(row, slug, may_manage=may_manage, context=context) for row in rows))


@register.simple_tag
def guest_lines(lines: Sequence[Line]) -> SafeString:
    """`_line.html` for each of them."""
    return SafeString("".join(looks.printed(line) for line in lines))
