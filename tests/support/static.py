"""Pages name their files by hash, in tests too. They are collected once in a run, and read once in a process."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from django.conf import settings
from django.core.management import call_command
from django.http import HttpResponse
from django.test import override_settings
from whitenoise.middleware import WhiteNoiseMiddleware

from tests.support.once import once


@contextmanager
def collected() -> Iterator[None]:
    shutil.copytree(once(Path(settings.STATIC_ROOT).name, _collect), settings.STATIC_ROOT, dirs_exist_ok=True)
    files = WhiteNoiseMiddleware(HttpResponse).files

    def add(self: WhiteNoiseMiddleware, *_: Any, **__: Any) -> None:
        """Every test's client would list and stat all of them, which takes longer than most pages."""
        self.files.update(files)

    with mock.patch.object(WhiteNoiseMiddleware, "add_files", add):
        yield


def _collect(folder: Path) -> None:
    with override_settings(STATIC_ROOT=folder):
        call_command("collectstatic", interactive=False, verbosity=0)
