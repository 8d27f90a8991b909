from django.urls import path

from organizer.door import views

app_name = "door"
urlpatterns = [
    path("", views.index, name="index"),
    path("<uuid:event_id>/", views.desk, name="desk"),
    path("<uuid:event_id>/state/", views.state, name="state"),
    path("<uuid:event_id>/scan/", views.scan, name="scan"),
    path("<uuid:event_id>/approve/", views.approve, name="approve"),
    path("<uuid:event_id>/undo/", views.undo, name="undo"),
    path("<uuid:event_id>/send-again/", views.send_again, name="send_again"),
    path("<uuid:event_id>/seen/", views.seen, name="seen"),
    path("<uuid:event_id>/mails/", views.mails, name="mails"),
]
