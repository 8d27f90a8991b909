from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "organizer.webhooks"
