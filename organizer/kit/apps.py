from django.apps import AppConfig


class KitConfig(AppConfig):
    name = "organizer.kit"
