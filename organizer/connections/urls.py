from django.urls import path

from organizer.connections import views

app_name = "connections"
urlpatterns = [
    path("connections/", views.index, name="index"),
    path("connections/add/", views.add, name="add"),
    path("connections/<uuid:connection_id>/key/", views.replace, name="replace"),
    path("connections/<uuid:connection_id>/remove/", views.remove, name="remove"),
]
