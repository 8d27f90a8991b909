"""The demo's password: from the environment, or made once and kept in a file that only its owner reads."""

import os
import secrets
from pathlib import Path

FILE_NAME = "demo-password"
VARIABLE = "FOYER_DEMO_PASSWORD"


def read_or_make(data: Path) -> str:
    """Whoever comes first makes the file: the dashboard's demo uses the same one."""
    if given := os.environ.get(VARIABLE):
        return given
    path = data / FILE_NAME
    if not path.exists():
        _make(path)
    return path.read_text().strip()


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_urlsafe(9) + "\n")
    try:
        os.link(draft, path)  # fails where another process was first: theirs is then read
    except FileExistsError:
        pass
    finally:
        draft.unlink()
