from django.urls import path

from organizer.sync import views

app_name = "sync"
urlpatterns = [
    path("refresh/", views.refresh, name="refresh"),
    path("freshness/", views.freshness, name="freshness"),
    path("settings/outbox/", views.outbox, name="outbox"),
    path("settings/outbox/<int:seq>/", views.command, name="command"),
    path("settings/outbox/<int:seq>/edit/", views.edit, name="edit"),
    path("settings/outbox/<int:seq>/send-again/", views.send_again, name="send_again"),
    path("settings/outbox/<int:seq>/it-was-done/", views.it_was_done, name="it_was_done"),
    path("settings/outbox/<int:seq>/seen/", views.seen, name="seen"),
    path("settings/outbox/<int:seq>/take-back/", views.take_back, name="take_back"),
]
