"""Signed deliveries of 400 bytes over 16 connections, beside a bare view that does the same insert.

Two web processes, a durable PostgreSQL, a vendor whose limit is lifted; all on this machine, suppliers too.
"""

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from bench import desk
from bench.figures import Figure, milliseconds, percentile

CONNECTIONS, ROUNDS, EACH = 16, 6, int(os.environ.get("INTAKE_EACH", "1600"))
SHARE, SLOWEST = 0.60, 0.100
KEY, SECRET = "bench", "a secret of the benchmark"


def measure() -> list[Figure]:
    from tests.support import postgres, processes

    with tempfile.TemporaryDirectory(prefix="foyer-intake-") as folder, postgres.running(durable=True) as url:
        env = processes.environment(
            FOYER_DATA=folder, DATABASE_URL=f"{url}/foyer", FOYER_ALLOWED_HOSTS="127.0.0.1", FOYER_LOG_LEVEL="ERROR"
        )
        command = processes.python("-m", "bench.intake", "gather")
        done = subprocess.run(command, env=env, cwd=processes.ROOT, stdout=subprocess.PIPE, text=True, check=True)
        vendor, numbers = json.loads(done.stdout)["vendor"], count(1)
        ours: list[dict[str, Any]] = []
        again: list[dict[str, Any]] = []
        bare: list[dict[str, Any]] = []
        web = partial(desk._web, folder=Path(folder))
        with web("bench.bare:application", env) as alone, web("dashboard.wsgi:application", env) as port:
            for _ in range(ROUNDS + 1):  # in turns, since a machine's pace changes; the first warms up
                batch = [_signed(next(numbers), f"/store/{vendor}/") for _ in range(EACH)]
                bare.append(_visit(alone, batch, "200"))
                fresh = [_signed(next(numbers), f"/api/webhooks/{KEY}") for _ in range(EACH)]
                ours.append(_visit(port, fresh, '"reconcile"'))
                again.append(_visit(port, fresh, '"duplicate"'))
    return [
        _figure(
            "signed deliveries", ours[1:], bare[1:], "the same insert in a bare view, no middleware", SHARE, SLOWEST
        ),
        _figure("the same again: duplicates", again[1:], ours[1:], "the first deliveries", 1.0, SLOWEST),
    ]


def _figure(
    what: str, mine: list[dict[str, Any]], base: list[dict[str, Any]], of: str, share: float, slowest: float
) -> Figure:
    """Rates are medians of the rounds, the share that of each round's two."""
    found = median(desk._rate(one) / desk._rate(other) for one, other in zip(mine, base, strict=True))
    slow, base_slow = (percentile([taken for one in many for taken in one["times"]], 0.99) for many in (mine, base))
    odd = sum(one["odd"] for one in mine)
    return Figure(
        what=f"{what}, 400 bytes, {CONNECTIONS} connections, {desk.PROCESSES} processes, PostgreSQL",
        value=f"{median(map(desk._rate, mine)):.0f} a second ({found:.0%}), p99 {milliseconds(slow)}, {odd} odd",
        baseline=f"{median(map(desk._rate, base)):.0f} a second, p99 {milliseconds(base_slow)}: {of}",
        bound=f"≥ {share:.0%} of it, p99 ≤ {milliseconds(slowest)}",
        fine=found >= share and slow <= slowest and not odd,
    )


def _visit(port: int, requests: list[str], expect: str) -> dict[str, Any]:
    job = json.dumps({"port": port, "requests": requests, "expect": expect, "clients": CONNECTIONS})
    command = [sys.executable, "-m", "bench.clients"]
    done = subprocess.run(command, input=job, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def _signed(number: int, path: str) -> str:
    from organizer.webhooks.receiver.signatures import sign

    said = {"reference": f"R-{number}", "event": "order.accepted", "note": ""}
    said["note"] = "x" * (400 - len(json.dumps(said)))
    body = json.dumps(said)
    headers = {
        "Host": "127.0.0.1", "Content-Type": "application/json", "Content-Length": len(body),
        "X-Webhook-Id": f"d-{number}", "X-Vendor-Signature": sign(body.encode(), SECRET),
    }  # fmt: skip
    return f"POST {path} HTTP/1.1\r\n{''.join(f'{name}: {value}\r\n' for name, value in headers.items())}\r\n{body}"


def _gather() -> dict[str, str]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    from django.core.management import call_command

    from organizer.accounts.models import Organization
    from organizer.webhooks import actions
    from organizer.webhooks.models import Vendor

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    organization = Organization.objects.create(slug="bench", name="Bench")
    vendor = actions.add_vendor(organization=organization, key=KEY, name="", auth="hmac", by=None, secret=SECRET)
    Vendor.objects.update(rate=1_000_000, burst=1_000_000)
    return {"vendor": str(vendor.pk)}


if __name__ == "__main__":
    if sys.argv[1:] == ["gather"]:
        sys.stdout.write(json.dumps(_gather()))
