"""After a working day of all processes the API key stands nowhere in clear."""

import base64

from tests.support.stack import Stack


def test_keeps_the_key_out_of_every_file(stack: Stack):
    key = stack.key.encode()
    assert len(key) > 40
    told = [key, base64.b64encode(key), key.hex().encode(), key[::-1]]
    files = [path for path in stack.data.rglob("*") if path.is_file()]
    assert {"foyer.sqlite3", "servers.sqlite3", "web.log", "worker.log"} <= {path.name for path in files}
    assert [path for path in files if any(form in path.read_bytes() for form in told)] == []
