"""`make bench`: every benchmark beside its baseline, as a table for docs/performance.md; ONLY=sweep runs that one."""

import os
import sys
from importlib import import_module

from bench.figures import table

ALL = (
    "start", "pages", "server_time", "sweep", "guest_list", "dayof", "outbox", "bulk", "imports", "desk", "export",
    "intake", "deliveries", "orders", "reconcile",
)  # fmt: skip


def main() -> int:
    wanted = os.environ.get("ONLY", ",".join(ALL)).split(",")
    figures = []
    for name in wanted:
        sys.stderr.write(f"measuring: {name}\n")
        figures += import_module(f"bench.{name}").measure()
    sys.stdout.write(table(figures) + "\n")
    return 0 if all(figure.fine for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
