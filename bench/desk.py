"""Check-ins at the desk as they arrive in a rush, beside a bare view that does one durable insert.

Eight clients, two web processes, a durable PostgreSQL, an event of 100,000 guests; all on this machine, clients too.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

from bench.clients import CLIENTS
from bench.figures import Figure, milliseconds, percentile, table

GUESTS = int(os.environ.get("DESK_GUESTS", "100000"))
ROUNDS, EACH = 6, int(os.environ.get("DESK_SCANS", "400"))
PROCESSES, THREADS = 2, int(os.environ.get("DESK_THREADS", "4"))
SHARE, SLOWEST = 0.40, 0.060


def main() -> int:
    figures = measure()
    sys.stdout.write(table(figures) + "\n")
    return 0 if all(figure.fine for figure in figures) else 1


def measure() -> list[Figure]:
    from tests.support import postgres, processes

    with tempfile.TemporaryDirectory(prefix="foyer-desk-") as folder, postgres.running(durable=True) as url:
        env = processes.environment(
            FOYER_DATA=folder, DATABASE_URL=f"{url}/foyer", FOYER_ALLOWED_HOSTS="127.0.0.1", FOYER_LOG_LEVEL="ERROR"
        )
        done = subprocess.run(
            processes.python("-m", "bench.desk", "gather"), env=env, cwd=processes.ROOT, stdout=subprocess.PIPE,
            text=True, check=True,
        )  # fmt: skip
        place = json.loads(done.stdout)
        scans, insert = _scans(place, place["codes"]), _inserts(place, EACH)
        alone, ours, desk = [], [], []
        bare = partial(_web, "bench.bare:application", folder=Path(folder))
        with (
            bare(env) as without,
            bare(env | {"BARE_MIDDLEWARE": "1"}) as behind,
            _web("dashboard.wsgi:application", env, Path(folder)) as port,
        ):
            for number in range(ROUNDS + 1):  # in turns, since a machine's pace changes; the first warms up
                alone.append(_visit(without, insert, "200"))
                ours.append(_visit(behind, insert, "200"))
                desk.append(_visit(port, scans[number * EACH : (number + 1) * EACH], "Welcome"))
    return [
        _figure(desk[1:], ours[1:], "one durable insert on Foyer's own server, behind its middleware", bound=True),
        _figure(desk[1:], alone[1:], "one durable insert, Django with no middleware at all", bound=False),
    ]


def _figure(desk: list[dict[str, Any]], bares: list[dict[str, Any]], what: str, *, bound: bool) -> Figure:
    """Rates are medians of the rounds, the share that of each round's two."""
    share = median(_rate(mine) / _rate(bare) for mine, bare in zip(desk, bares, strict=True))
    slow = percentile([taken for one in desk for taken in one["times"]], 0.95)
    bare_slow = percentile([taken for one in bares for taken in one["times"]], 0.95)
    odd = sum(one["odd"] for one in desk)
    rate, bare_rate = median(map(_rate, desk)), median(map(_rate, bares))
    return Figure(
        what=f"desk check-ins, {CLIENTS} clients, {PROCESSES} processes, PostgreSQL, {GUESTS:,} guests",
        value=f"{rate:.0f} a second ({share:.0%} of bare), p95 {milliseconds(slow)}, {odd} not welcomed",
        baseline=f"{bare_rate:.0f} a second, p95 {milliseconds(bare_slow)}: {what}",
        bound=f"≥ {SHARE:.0%} of bare, p95 ≤ {milliseconds(SLOWEST)}" if bound else "to compare",
        fine=not bound or (share >= SHARE and slow <= SLOWEST and not odd),
    )


def _rate(visited: dict[str, Any]) -> float:
    return len(visited["times"]) / visited["seconds"]


@contextmanager
def _web(target: str, env: dict[str, str], folder: Path) -> Iterator[int]:
    from tests.support import processes

    port, log = processes.free_port(), folder / f"{target.partition(':')[0]}.log"
    command = processes.granian(target, port, THREADS, PROCESSES)
    web = processes.start(command, env=env, log=log)
    try:
        processes.wait_until(lambda: _listens(port), what=f"the web processes, see {log}")
        yield port
    finally:
        processes.stop(web)


def _listens(port: int) -> bool:
    import socket

    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


def _visit(port: int, requests: list[str], expect: str) -> dict[str, Any]:
    job = json.dumps({"port": port, "requests": requests, "expect": expect})
    command = [sys.executable, "-m", "bench.clients"]
    done = subprocess.run(command, input=job, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def _inserts(place: dict[str, Any], number: int) -> list[str]:
    headers = _signed_in(place)
    request = _request(f"/insert/{place['event']}/", "", headers)
    return [request] * number


def _scans(place: dict[str, Any], codes: list[str]) -> list[str]:
    headers = _signed_in(place)
    path = f"/o/{place['slug']}/door/{place['event']}/scan/"
    return [_request(path, urlencode({"code": code, "scan_id": uuid.uuid4()}), headers) for code in codes]


def _signed_in(place: dict[str, Any]) -> dict[str, str]:
    return {"Cookie": place["cookie"], "X-CSRFToken": place["token"], "HX-Request": "true"}


def _request(path: str, body: str, headers: dict[str, str]) -> str:
    lines = {"Host": "127.0.0.1", "Content-Type": "application/x-www-form-urlencoded", "Content-Length": len(body)}
    said = "".join(f"{name}: {value}\r\n" for name, value in {**lines, **headers}.items())
    return f"POST {path} HTTP/1.1\r\n{said}\r\n{body}"


def _gather() -> dict[str, Any]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    from bench.crowd import gather
    from organizer.attendees.models import Attendee

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner, organization, events = gather(GUESTS, rare="qvz")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    client = Client()
    client.force_login(owner)
    settings.ALLOWED_HOSTS.append("testserver")
    page = client.get(f"/o/{organization.slug}/door/{events[GUESTS].pk}/").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    guests = Attendee.objects.filter(event=events[GUESTS], status="valid").order_by("?")
    return {
        "slug": organization.slug,
        "event": str(events[GUESTS].pk),
        "cookie": "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items()),
        "token": token[1],
        "codes": list(guests.values_list("barcode", flat=True)[: (ROUNDS + 1) * EACH]),
    }


if __name__ == "__main__":
    if sys.argv[1:] == ["gather"]:
        sys.stdout.write(json.dumps(_gather()))
    else:
        sys.exit(main())
