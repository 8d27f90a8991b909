from django.apps import AppConfig


class AlertsConfig(AppConfig):
    name = "organizer.alerts"

    def ready(self) -> None:
        from organizer.alerts import queries
        from organizer.alerts.alarms import Alarms
        from organizer.kit import frame
        from organizer.webhooks import registry

        frame.register(frame.Number(queries.number_open, queries.note_open))
        registry.register_alarms(Alarms())
