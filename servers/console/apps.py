from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "servers.console"
