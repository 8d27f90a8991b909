"""Loaded before Django's settings: each test run has a data folder of its own, never the one of `make run`."""

import os
import tempfile

from tests.support import network

os.environ["FOYER_DATA"] = os.environ.get("FOYER_TEST_DATA") or tempfile.mkdtemp(prefix="foyer-test-")
os.environ["FOYER_TEST_DATA"] = os.environ["FOYER_DATA"]  # workers of one run share it
os.environ.setdefault("FOYER_LOG_LEVEL", "ERROR")
network.guard()
