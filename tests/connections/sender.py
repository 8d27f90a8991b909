"""One process of several that share a key: sends until told to end, then says what came back.

`python -m tests.connections.sender DATABASE CONNECTION LANE SECONDS THREADS`
"""

import json
import os
import sys
import threading
import time
from collections import Counter

os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"

import django
from django.conf import settings

settings.DATABASES["default"]["NAME"] = sys.argv[1]
django.setup()

from organizer.connections import clients  # noqa: E402
from organizer.connections.models import Connection  # noqa: E402
from organizer.upstream.errors import NotYet, UpstreamError  # noqa: E402


def send(connection: Connection, lane: str, until: float, seen: Counter) -> None:
    while time.time() < until:
        try:
            with clients.event_api(connection, lane, patience=until - time.time()) as api:
                api.events.page(1, size=1)
            seen["ok"] += 1
        except NotYet:
            return  # not before the end
        except UpstreamError as error:
            seen[type(error).__name__] += 1


def main() -> None:
    _, _, connection_id, lane, seconds, threads = sys.argv
    connection = Connection.objects.get(pk=connection_id)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    until, seen = time.time() + float(seconds), Counter()
    all_threads = [threading.Thread(target=send, args=(connection, lane, until, seen)) for _ in range(int(threads))]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    print(json.dumps(seen))  # noqa: T201


if __name__ == "__main__":
    main()
