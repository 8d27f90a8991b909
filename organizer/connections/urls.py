from django.urls import URLPattern

app_name = "connections"
urlpatterns: list[URLPattern] = []
