import logging
import signal
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections, connection

from servers.jobs import actions

log = logging.getLogger(__name__)
IDLE, PULSE, CLEANING = 0.2, 5.0, 3600.0
THREADS = 3
"""So that a receiver that is slow to answer does not hold up everybody's mail."""
PATIENCE = 1.5
"""Seconds for what is under way when the end is asked for; whatever is cut off is taken up by the next worker."""


class Command(BaseCommand):
    help = "Does what answered requests promised: mail, notifications, orders that move. Runs until it is told to stop."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="do what is due now and end")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            while actions.work_once():
                pass
            return
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        # beside the workers, so that a slow mail server does not look like a dead worker
        threading.Thread(target=_every, args=(PULSE, stop, actions.beat), daemon=True).start()
        threading.Thread(target=_every, args=(CLEANING, stop, actions.clean_up), daemon=True).start()
        workers = [threading.Thread(target=_work, args=(stop,), daemon=True) for _ in range(THREADS)]
        for worker in workers:
            worker.start()
        stop.wait()
        until = time.monotonic() + PATIENCE
        for worker in workers:
            worker.join(max(0.0, until - time.monotonic()))


def _work(stop: threading.Event) -> None:
    try:
        while not stop.is_set():
            if not _safely(actions.work_once):
                stop.wait(IDLE)
    finally:
        stop.set()  # a worker that broke ends all of it, to be started anew


def _every(seconds: float, stop: threading.Event, do: Callable[[], object]) -> None:
    while not stop.is_set():
        _safely(do)
        stop.wait(seconds)


def _safely(do: Callable[[], Any]) -> Any:
    """A database that is away for a moment ends no worker."""
    try:
        return do()
    except DatabaseError:
        log.exception("the database did not answer")
        connection.close()
        time.sleep(1)
        return None
    finally:
        close_old_connections()
