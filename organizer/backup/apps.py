from django.apps import AppConfig


class BackupConfig(AppConfig):
    name = "organizer.backup"
