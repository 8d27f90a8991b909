from django.urls import URLPattern

app_name = "attendees"
urlpatterns: list[URLPattern] = []
