"""Django's sessions in the database, read by a statement that is worded once: every request begins with it."""

from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.contrib.sessions.models import Session
from django.utils import timezone

from organizer.kit import quick

ROW = quick.Columns(Session, "s", ("session_key", "session_data", "expire_date"))
ALIVE = f"SELECT {ROW} FROM django_session s WHERE s.session_key = %s AND s.expire_date > %s"  # noqa: S608 names of our own


class SessionStore(DatabaseSessions):
    def _get_session_from_db(self) -> Any:
        now = quick.value(Session, "expire_date", timezone.now())
        for (session,) in quick.read(ALIVE, [self.session_key, now], ROW):
            return session
        self._session_key = None
        return None
