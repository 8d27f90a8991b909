"""Passwords that a command makes: the demo's, which its people share, and an owner's first one."""

import os
import secrets
from pathlib import Path

DEMO_FILE = "demo-password"


def demo(data: Path) -> str:
    """From the environment, or made once and kept where only its owner reads; whoever comes first makes it."""
    path = data / DEMO_FILE
    if given := os.environ.get("FOYER_DEMO_PASSWORD"):
        _keep(path, given)
        return given
    if not path.exists():
        _make(path)
    return path.read_text().strip()


def new() -> str:
    return secrets.token_urlsafe(12)


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(new() + "\n")
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
