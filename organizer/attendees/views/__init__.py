from organizer.attendees.views.additions import add, correct
from organizer.attendees.views.bulk import batch, cancel_batch, decide_about_many, retry_batch, seen_batch, work
from organizer.attendees.views.changes import changes
from organizer.attendees.views.decisions import choose, decide, it_was_done, resend, row, seen, send_again, undo
from organizer.attendees.views.exports import export, export_approvals, export_for_event, paper
from organizer.attendees.views.lists import approvals, card, detail, for_event, index
from organizer.attendees.views.messages import message, new_template, preview, remove_template, template, templates

__all__ = [
    "add", "approvals", "batch", "cancel_batch", "card", "changes", "choose", "correct", "decide",
    "decide_about_many", "detail", "export", "export_approvals", "export_for_event", "for_event", "index",
    "it_was_done", "message", "new_template", "paper", "preview", "remove_template", "resend", "retry_batch", "row",
    "seen", "seen_batch", "send_again", "template", "templates", "undo", "work",
]  # fmt: skip
