"""The same application for an ASGI server. What suppliers send is bounded here, before Django keeps all of it."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

from django.core.asgi import get_asgi_application

from organizer.webhooks.receiver.bodies import LARGEST
from organizer.webhooks.rules import RECEIVED_AT

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

Message = Any
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MOST = LARGEST + 1
"""One more than a body may have: that it is too long is for the receiver to say."""

_django = get_asgi_application()


async def application(scope: Message, receive: Receive, send: Send) -> None:
    if scope["type"] == "http" and scope["path"].startswith(RECEIVED_AT):
        receive = _bounded(receive)
    await _django(scope, receive, send)


def _bounded(receive: Receive) -> Receive:
    left = MOST

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        while not left and message["type"] == "http.request":
            message = await receive()  # the rest is read, and kept by nobody
        if message["type"] != "http.request":
            return message
        body = message.get("body", b"")[:left]
        left -= len(body)
        return {"type": "http.request", "body": body, "more_body": message.get("more_body", False) and left > 0}

    return bounded
