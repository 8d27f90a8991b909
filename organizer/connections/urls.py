from django.urls import path

from organizer.connections import views

app_name = "connections"
urlpatterns = [
    path("connections/", views.index, name="index"),
    path("connections/add/", views.add, name="add"),
    path("connections/<uuid:connection_id>/key/", views.replace, name="replace"),
    path("connections/<uuid:connection_id>/remove/", views.remove, name="remove"),
    path("connections/<uuid:connection_id>/try-again/", views.try_again, name="try_again"),
    path("connections/<uuid:connection_id>/follow-key/", views.follow_key, name="follow_key"),
    path("connections/<uuid:connection_id>/start-anew/", views.start_anew, name="start_anew"),
]
