from django.urls import URLPattern

app_name = "sync"
urlpatterns: list[URLPattern] = []
