"""Loaded before Django's settings: each test run has a data folder of its own, never the one of `make run`."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings

from tests.support import network

if "FOYER_TEST_DATA" not in os.environ:
    os.environ["FOYER_TEST_DATA"] = tempfile.mkdtemp(prefix="foyer-test-")
    atexit.register(shutil.rmtree, os.environ["FOYER_TEST_DATA"], ignore_errors=True)
data = Path(os.environ["FOYER_TEST_DATA"]) / os.environ.get("PYTEST_XDIST_WORKER", "main")
data.mkdir(exist_ok=True)
os.environ["FOYER_DATA"] = os.environ["TMPDIR"] = str(data)
os.environ.setdefault("FOYER_LOG_LEVEL", "ERROR")
# our own servers are on loopback, also where the tests run on PostgreSQL
os.environ.setdefault("FOYER_ALLOW_PRIVATE_ADDRESSES", "true")
network.guard()
# how long an example takes says more of the machine than of the code
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
