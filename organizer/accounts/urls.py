from django.urls import path

from organizer.accounts import views

app_name = "accounts"
urlpatterns = [
    path("members/", views.members, name="members"),
    path("audit/", views.audit, name="audit"),
]
