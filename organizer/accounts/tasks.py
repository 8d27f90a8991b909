from celery import shared_task

from organizer.accounts.sessions import SessionStore


@shared_task
def forget_sessions() -> None:
    """Those that have expired."""
    SessionStore.clear_expired()
