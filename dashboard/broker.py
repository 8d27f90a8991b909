"""The embedded broker: kombu's transport over a folder, whose messages appear whole or not at all.

kombu 5.7 writes a message under the name that readers look for: a reader that is quick enough takes half of it, and
its worker ends. Here a message is written beside its place and renamed, and taken by renaming it too.
"""

import os
import uuid
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem
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


class Transport(filesystem.Transport):
    Channel = Channel


def register() -> None:
    TRANSPORT_ALIASES[NAME] = f"{__name__}:Transport"
