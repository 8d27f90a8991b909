from django.apps import AppConfig


class ConnectionsConfig(AppConfig):
    name = "organizer.connections"
