from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "organizer.events"

    def ready(self) -> None:
        from organizer.events.kinds import KINDS
        from organizer.events.mirror import EventNoun, TicketClassNoun
        from organizer.sync.registry import register

        register(EventNoun(), TicketClassNoun(), *KINDS)
