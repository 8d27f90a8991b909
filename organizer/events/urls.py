from django.urls import path

from organizer.events.views import classes, editing, pages

app_name = "events"
urlpatterns = [
    path("", pages.index, name="index"),
    path("new/", editing.new, name="new"),
    path("calendar/", pages.calendar, name="calendar"),
    path("calendar/feed/", pages.feed, name="feed"),
    path("calendar/feed/new/", pages.new_feed, name="new_feed"),
    path("calendar/feed/off/", pages.end_feed, name="end_feed"),
    path("<uuid:event_id>/", pages.detail, name="detail"),
    path("<uuid:event_id>/edit/", editing.edit, name="edit"),
    path("<uuid:event_id>/copy/", editing.copy, name="copy"),
    path("<uuid:event_id>/publish/", editing.publish, name="publish"),
    path("<uuid:event_id>/cancel/", editing.cancel, name="cancel"),
    path("<uuid:event_id>/delete/", editing.delete, name="delete"),
    path("<uuid:event_id>/state/", editing.state, name="state"),
    path("<uuid:event_id>/settle/", editing.settle, name="settle"),
    path("<uuid:event_id>/ticket-classes/", pages.ticket_classes, name="ticket_classes"),
    path("<uuid:event_id>/ticket-classes/new/", classes.new, name="new_class"),
    path("<uuid:event_id>/ticket-classes/<uuid:class_id>/edit/", classes.edit, name="edit_class"),
    path("<uuid:event_id>/ticket-classes/<uuid:class_id>/delete/", classes.delete, name="delete_class"),
]
