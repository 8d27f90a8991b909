"""The rows that came to nothing as a file: mended and imported again, it holds nobody twice."""

import csv
from collections.abc import Iterator

from django.utils.translation import gettext as _

from organizer.imports import queries, wording
from organizer.imports.kinds import row_id
from organizer.imports.models import Import
from organizer.kit.exports import guarded
from organizer.sync.models import FAILED, Command

MARK = "\ufeff"
"""Without it a spreadsheet takes UTF-8 for something else."""


class _Line:
    def write(self, text: str) -> str:
        return text


def lines(found: Import) -> Iterator[str]:
    cells = dict(found.rows)
    write = csv.writer(_Line()).writerow
    yield MARK + write([*map(guarded, found.header), _("Row"), _("Why not")])
    for number, why in _refused(found):
        yield write([*map(guarded, cells.get(number, [])), number, guarded(why)])


def _refused(found: Import) -> Iterator[tuple[int, str]]:
    """By the dry run, and later by the API."""
    reasons = {}
    if found.batch_id:
        failed = Command.objects.filter(batch=found.batch_id, state__in=FAILED)
        reasons = dict(failed.values_list("target_id", "reason"))
    for one in queries.checked(found):
        if not one.goes:
            yield one.number, wording.why(one)
        elif reason := reasons.get(row_id(found.pk, one.number)):
            yield one.number, reason
