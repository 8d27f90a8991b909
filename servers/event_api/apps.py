from django.apps import AppConfig


class EventApiConfig(AppConfig):
    name = "servers.event_api"
