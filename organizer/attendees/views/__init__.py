from organizer.attendees.views.bulk import batch, cancel_batch, decide_about_many, retry_batch, seen_batch, work
from organizer.attendees.views.changes import changes
from organizer.attendees.views.decisions import choose, decide, it_was_done, row, seen, send_again, undo
from organizer.attendees.views.exports import export, export_approvals, export_for_event, paper
from organizer.attendees.views.lists import approvals, card, detail, for_event, index

__all__ = [
    "approvals", "batch", "cancel_batch", "card", "changes", "choose", "decide", "decide_about_many", "detail",
    "export", "export_approvals", "export_for_event", "for_event", "index", "it_was_done", "paper", "retry_batch",
    "row", "seen", "seen_batch", "send_again", "undo", "work",
]  # fmt: skip
