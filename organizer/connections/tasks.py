"""Trying connections: it takes as long as the provider does, so the worker does it."""

from typing import Any

from celery import Task, shared_task

from organizer.connections import actions, clients, queries
from organizer.connections.models import Connection, Service
from organizer.upstream.errors import KeyRefused, Limited, NotYet


@shared_task(bind=True, max_retries=20)
def check(self: Task[Any, Any], *, connection_id: str) -> None:
    connection = Connection.objects.filter(pk=connection_id, live=True).first()
    if connection is None:
        return
    try:
        with clients.api(connection, patience=2.0) as api:
            actions.check(connection=connection, api=None if connection.service == Service.CLOUD else api)
    except KeyRefused:
        return  # the stored key does not open, which its health says
    except (NotYet, Limited) as busy:
        raise self.retry(countdown=busy.wait, exc=None) from None


@shared_task
def check_waiting() -> None:
    """Those whose kick was lost, and those where somebody may have given the key what it lacked."""
    for connection in queries.to_check()[:20]:
        actions.kick_check(connection)
