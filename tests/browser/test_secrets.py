"""After a working day of all processes the API key stands nowhere in clear."""

import base64
from pathlib import Path

from tests.support.stack import Stack


def test_keeps_the_key_out_of_every_file(stack: Stack):
    key = stack.key.encode()
    assert len(key) > 40
    told = [key, base64.b64encode(key), key.hex().encode(), key[::-1]]
    files = [path for path in stack.data.rglob("*") if path.is_file()]
    assert {"foyer.sqlite3", "servers.sqlite3", "web.log", "worker.log"} <= {path.name for path in files}
    assert [path for path in files if any(form in _content(path) for form in told)] == []


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # a message that was taken while the files were listed
        assert "broker" in path.parts
        return b""
