from django.apps import AppConfig


class MailConfig(AppConfig):
    name = "servers.mail"

    def ready(self) -> None:
        from servers.jobs import actions as jobs
        from servers.mail import actions

        jobs.handle(actions.KIND, actions.deliver)
