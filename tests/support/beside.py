"""Workers beside the test, on its database, that do what they are told in the same moment."""

import json
import subprocess
from pathlib import Path
from typing import Self

from tests.support import processes
from tests.webhooks import live

_OBEYS = """
import contextlib, io, json, os, sys, traceback
os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"
import django
django.setup()
import dashboard.celery
for line in sys.stdin:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(json.loads(line), {})
        answer = {"said": said.getvalue()}
    except Exception:
        answer = {"problem": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
"""


class Beside:
    """The test's rows must be committed (`transactional_db`)."""

    def __init__(self, number: int) -> None:
        env = live.environment(FOYER_PROCESS="worker")
        self.data = Path(env["FOYER_DATA"])
        log = (self.data / "beside.log").open("a")
        self._workers = [
            subprocess.Popen(
                processes.python("-c", _OBEYS), cwd=processes.ROOT, env=env, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=log, text=True,
            )
            for _n in range(number)
        ]  # fmt: skip

    def __enter__(self) -> Self:
        self.at_once("")
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.kill()
            worker.communicate()

    def at_once(self, *programs: str) -> list[str]:
        """What each printed; one program alone is everybody's."""
        programs = programs * len(self._workers) if len(programs) == 1 else programs
        for worker, program in zip(self._workers, programs, strict=False):
            assert worker.stdin
            worker.stdin.write(json.dumps(program) + "\n")
            worker.stdin.flush()
        answers = [json.loads(worker.stdout.readline()) for worker, _ in zip(self._workers, programs, strict=False)]  # type: ignore[union-attr]
        assert not [answer["problem"] for answer in answers if "problem" in answer]
        return [answer["said"] for answer in answers]
