"""The servers' own secret key: from the environment, else a file made at first start that only its owner reads."""

import os
import secrets
from pathlib import Path

FILE_NAME = "servers-secret"


def load(data: Path) -> str:
    return os.environ.get("SERVERS_SECRET_KEY") or _read_or_make(data / FILE_NAME)


def _read_or_make(path: Path) -> str:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        try:
            os.link(draft, path)  # fails where another process was first: theirs is then read
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text()
