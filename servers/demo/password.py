"""The demo's password: from the environment, or made once and kept in a file that only its owner reads."""

import os
import secrets
from pathlib import Path

FILE_NAME = "demo-password"
VARIABLE = "FOYER_DEMO_PASSWORD"


def read_or_make(data: Path) -> str:
    """Whoever comes first makes the file: the dashboard's demo uses the same one."""
    path = data / FILE_NAME
    if given := os.environ.get(VARIABLE):
        _keep(path, given)
        return given
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


def _keep(path: Path, password: str) -> None:
    """So that a later start without the variable still prints what holds."""
    if not path.exists() or path.read_text().strip() != password:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(password + "\n")
        draft.replace(path)
