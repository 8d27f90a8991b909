from django.urls import path

from organizer.attendees import views

app_name = "attendees"
urlpatterns = [
    path("guests/", views.index, name="index"),
    path("approvals/", views.approvals, name="approvals"),
    path("events/<uuid:event_id>/guests/", views.for_event, name="for_event"),
    path("guests/export/", views.export, name="export"),
    path("approvals/export/", views.export_approvals, name="export_approvals"),
    path("events/<uuid:event_id>/guests/export/", views.export_for_event, name="export_for_event"),
    path("events/<uuid:event_id>/guests/print/", views.paper, name="paper"),
    path("events/<uuid:event_id>/guests/add/", views.add, name="add"),
    path("guests/message/", views.message, name="message"),
    path("guests/preview/", views.preview, name="preview"),
    path("guests/decide/<slug:kind>/", views.decide_about_many, name="decide_about_many"),
    path("guests/work/", views.work, name="work"),
    path("guests/changes/", views.changes, name="changes"),
    path("guests/<uuid:attendee_id>/", views.detail, name="detail"),
    path("guests/<uuid:attendee_id>/card/", views.card, name="card"),
    path("guests/<uuid:attendee_id>/row/", views.row, name="row"),
    path("guests/<uuid:attendee_id>/choose/", views.choose, name="choose"),
    path("guests/<uuid:attendee_id>/decide/<slug:kind>/", views.decide, name="decide"),
    path("guests/<uuid:attendee_id>/resend/", views.resend, name="resend"),
    path("guests/<uuid:attendee_id>/undo/", views.undo, name="undo"),
    path("guests/<uuid:attendee_id>/seen/", views.seen, name="seen"),
    path("guests/<uuid:attendee_id>/send-again/", views.send_again, name="send_again"),
    path("guests/<uuid:attendee_id>/it-was-done/", views.it_was_done, name="it_was_done"),
    path("guests/<uuid:attendee_id>/correct/", views.correct, name="correct"),
    path("settings/messages/", views.templates, name="templates"),
    path("settings/messages/new/", views.new_template, name="new_template"),
    path("settings/messages/<uuid:template_id>/", views.template, name="template"),
    path("settings/messages/<uuid:template_id>/remove/", views.remove_template, name="remove_template"),
    path("batches/<uuid:batch_id>/", views.batch, name="batch"),
    path("batches/<uuid:batch_id>/cancel/", views.cancel_batch, name="cancel_batch"),
    path("batches/<uuid:batch_id>/seen/", views.seen_batch, name="seen_batch"),
    path("batches/<uuid:batch_id>/retry/", views.retry_batch, name="retry_batch"),
]
