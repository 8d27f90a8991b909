from django.urls import path

from organizer.lists import views

app_name = "lists"
urlpatterns = [
    path("save/", views.save, name="save"),
    path("<uuid:view_id>/", views.edit, name="edit"),
    path("<uuid:view_id>/delete/", views.delete, name="delete"),
    path("<uuid:view_id>/open-with/", views.open_with, name="open_with"),
]
