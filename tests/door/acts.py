"""What people do at a desk, said shortly."""

import uuid

from organizer.attendees import admissions, removals
from organizer.attendees.admissions import DESK, Asked


def admit(event, by, code="", *, scan_id=None, door=DESK, **more):
    asked = Asked(
        organization=event.organization,
        event_id=event.pk,
        by=by,
        scan_id=scan_id or uuid.uuid4(),
        code=code,
        door=door,
        **more,
    )
    return admissions.admit(asked)


def undo(scan, by, *, scan_id=None):
    """Of what `scan` admitted."""
    scan_id = scan_id or uuid.uuid4()
    return removals.undo(event=scan.event, admission_id=scan.admission_id, scan_id=scan_id, by=by)
