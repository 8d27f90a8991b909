"""`python -m servers <command>`: the servers' manage.py."""

import os
import sys

from django.core.management import execute_from_command_line


def main() -> None:
    os.environ.setdefault("SERVERS_PROCESS", "worker" if sys.argv[1:2] == ["work"] else "command")
    os.environ["DJANGO_SETTINGS_MODULE"] = "servers.settings"
    execute_from_command_line(["python -m servers", *sys.argv[1:]])


if __name__ == "__main__":
    main()
