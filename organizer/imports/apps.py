from django.apps import AppConfig


class ImportsConfig(AppConfig):
    name = "organizer.imports"

    def ready(self) -> None:
        from organizer.imports.kinds import ImportGuest
        from organizer.sync.registry import register

        register(ImportGuest())
