"""Several at once, each on a connection of its own: `python -m bench.clients` reads a job as JSON, answers times.

Requests are written beforehand and answers are hardly read, so that the machine's time goes to what is measured.
"""

import json
import socket
import sys
import threading
import time
from typing import Any

CLIENTS = 8


def main() -> None:
    job = json.load(sys.stdin)
    results: list[dict[str, Any]] = []
    clients = job.get("clients", CLIENTS)
    start = threading.Barrier(clients)
    shares = [job["requests"][number::clients] for number in range(clients)]
    threads = [
        threading.Thread(target=_visit, args=(job["port"], share, job["expect"].encode(), start, results))
        for share in shares
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    json.dump(
        {
            "times": [taken for result in results for taken in result["times"]],
            "seconds": max(result["ended"] for result in results) - min(result["began"] for result in results),
            "odd": sum(result["odd"] for result in results),
        },
        sys.stdout,
    )


def _visit(port: int, requests: list[str], expect: bytes, start: threading.Barrier, results: list[Any]) -> None:
    times, odd = [], 0
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        start.wait()
        began = time.perf_counter()
        for request in requests:
            asked = time.perf_counter()
            line.sendall(request.encode())
            answer = _answer(line)
            times.append(time.perf_counter() - asked)
            if expect not in answer:
                odd += 1
                if odd == 1:
                    sys.stderr.write(f"unexpected: {answer[:300]!r}\n")
        ended = time.perf_counter()
    results.append({"times": times, "began": began, "ended": ended, "odd": odd})


def _answer(line: socket.socket) -> bytes:
    got = b""
    while b"\r\n\r\n" not in got:
        got += line.recv(65536)
    head, _, body = got.partition(b"\r\n\r\n")
    length = next((int(one[15:]) for one in head.lower().split(b"\r\n") if one.startswith(b"content-length:")), 0)
    while len(body) < length:
        body += line.recv(65536)
    return head + body


if __name__ == "__main__":
    main()
