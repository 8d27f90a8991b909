from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "organizer.events"
