"""Passwords that a command makes: the demo's, which its people share, and an owner's first one."""

import os
import secrets
from pathlib import Path

DEMO_FILE = "demo-password"


def demo(data: Path) -> str:
    """From the environment, or made once and kept where only its owner reads; whoever comes first makes it."""
    if given := os.environ.get("FOYER_DEMO_PASSWORD"):
        return given
    path = data / DEMO_FILE
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
