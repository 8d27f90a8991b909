"""The embedded broker: kombu's transport over a folder, whose messages appear whole or not at all.

kombu 5.7 writes a message under the name that readers look for: a reader that is quick enough takes half of it, and
its worker ends. Here a message is written beside its place and renamed, and taken by renaming it too. The table of an
exchange's queues is written in the same way. And a connection remembers only the bindings it made itself: with one
memory for the whole process, a thread's first message goes nowhere while another thread is still writing the table.
"""

import fcntl
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem, virtual
from kombu.utils.json import dumps, loads

NAME = "folder"


class Channel(filesystem.Channel):
    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time_ns()}_{uuid.uuid4().hex}"
        folder = Path(self.data_folder_out)
        unfinished = folder / f"{name}.part"
        unfinished.write_text(dumps(message))
        unfinished.rename(folder / f"{name}.{queue}.msg")

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        for name in sorted(name for name in os.listdir(folder) if name.endswith(f".{queue}.msg")):  # noqa: PTH208
            taken = folder / f"{name}.taken"
            try:
                (folder / name).rename(taken)
            except FileNotFoundError:
                continue  # another worker was faster
            message = loads(taken.read_text())
            taken.unlink()
            return message
        raise Empty

    def get_table(self, exchange: str) -> list[Any]:
        try:
            return [filesystem.exchange_queue_t(*row) for row in loads(self._exchange_file(exchange).read_text())]
        except FileNotFoundError:
            return []

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        binding = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._alone():
            table = self.get_table(exchange)
            if binding not in table:
                self._write_table(exchange, [binding, *table])

    def _delete(self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any) -> None:
        self._purge(queue)
        binding = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._alone():
            table = self.get_table(exchange)
            if binding in table:
                self._write_table(exchange, [row for row in table if row != binding])

    def _write_table(self, exchange: str, table: list[Any]) -> None:
        file = self._exchange_file(exchange)
        unfinished = file.with_suffix(".part")
        unfinished.write_text(dumps(table))
        unfinished.rename(file)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Among all processes and threads over this folder, until the end of the block."""
        self.control_folder.mkdir(exist_ok=True)
        with (self.control_folder / "tables.lock").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    Channel = Channel

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        self.state = virtual.BrokerState()


def register() -> None:
    TRANSPORT_ALIASES[NAME] = f"{__name__}:Transport"
