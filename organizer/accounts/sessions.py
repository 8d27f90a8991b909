"""Django's sessions in the database, each with whose it is."""

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.utils import timezone

from organizer.accounts import people
from organizer.accounts.models import Session


class SessionStore(DatabaseSessions):
    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        row: Any = super().create_model_instance(data)
        row.user_id = data.get(SESSION_KEY)
        return row

    def _get_session_from_db(self) -> Session | None:
        session = people.of_session(self.session_key, timezone.now())
        if session is None:
            self._session_key = None
        return session
