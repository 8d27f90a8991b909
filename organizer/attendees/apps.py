from django.apps import AppConfig


class AttendeesConfig(AppConfig):
    name = "organizer.attendees"

    def ready(self) -> None:
        from organizer.attendees.kinds import KINDS
        from organizer.attendees.listings import LISTINGS
        from organizer.attendees.mirror import AttendeeNoun
        from organizer.lists import registry as lists
        from organizer.sync.registry import register

        register(AttendeeNoun(), *KINDS)
        lists.register(*LISTINGS)
