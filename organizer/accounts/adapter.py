from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest

from organizer.accounts.models import User


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Nobody signs up by themselves: an owner invites, or the command makes the first one."""
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Signed by us: allauth would greet from the host that the request named."""
        super().send_mail(template_prefix, email, context | {"current_site": {"name": "Foyer"}})

    def get_reset_password_from_key_url(self, key: str) -> str:
        """Our own address, whatever host the request named: a mailed link must not lead to who asked for it."""
        address = urlsplit(super().get_reset_password_from_key_url(key))
        return settings.PUBLIC_URL.rstrip("/") + address.path


def display(user: User) -> str:
    return str(user)
