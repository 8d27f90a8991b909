from organizer.alerts.views.alerts import acknowledge, acknowledge_many, detail, ignore, index, reopen, resolve
from organizer.alerts.views.settings import (
    hook,
    log,
    mails,
    remove_hook,
    renew_secret,
    send_again,
    settings,
    switch_hook,
    test_hook,
)

__all__ = [
    "acknowledge", "acknowledge_many", "detail", "hook", "ignore", "index", "log", "mails", "remove_hook",
    "renew_secret", "reopen", "resolve", "send_again", "settings", "switch_hook", "test_hook",
]  # fmt: skip
