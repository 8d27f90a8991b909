from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "organizer.webhooks"

    def ready(self) -> None:
        from organizer.lists import registry as lists
        from organizer.webhooks.listings import LISTING

        lists.register(LISTING)
