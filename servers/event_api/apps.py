from django.apps import AppConfig


class EventApiConfig(AppConfig):
    name = "servers.event_api"

    def ready(self) -> None:
        from servers.event_api import housekeeping
        from servers.jobs import actions as jobs

        jobs.each_hour(housekeeping.clean_up)
