from typing import Any

from allauth.account.auth_backends import AuthenticationBackend

from organizer.accounts import people
from organizer.accounts.models import User


class PersonBackend(AuthenticationBackend):
    def get_user(self, user_id: Any) -> User | None:
        person = people.of_user(user_id)
        return person if person and self.user_can_authenticate(person) else None
