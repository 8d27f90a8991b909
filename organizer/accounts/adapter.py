from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from organizer.accounts.models import User


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Nobody signs up by themselves: an owner invites, or the command makes the first one."""
        return False


def display(user: User) -> str:
    return str(user)
