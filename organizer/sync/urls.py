from django.urls import path

from organizer.sync import views

app_name = "sync"
urlpatterns = [
    path("refresh/", views.refresh, name="refresh"),
    path("freshness/", views.freshness, name="freshness"),
]
