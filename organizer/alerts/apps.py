from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "organizer.alerts"

    def ready(self) -> None:
        from organizer.alerts.alarms import Alarms
        from organizer.webhooks import registry

        registry.register_alarms(Alarms())
