"""What a supplier says by itself moves no order: the contract of imports says so, and bites."""

import re
import subprocess
import sys
import tomllib
from itertools import count

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support import deliveries
from tests.support.processes import ROOT

NAME = "What a supplier says by itself reaches nobody who writes an order"
RECEIVER = [*(ROOT / "organizer/webhooks/receiver").glob("*.py"), ROOT / "organizer/webhooks/kicks.py"]
_BITES = """
import sys
from importlinter.cli import lint_imports
sys.path.insert(0, ".")
sys.exit(lint_imports(config_filename="contract.toml", no_cache=True))
"""


def contract():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    [found] = [one for one in config["contracts"] if one["name"] == NAME]
    return found


def test_covers_every_module_of_the_receiver_and_all_who_write_orders():
    assert {"organizer.webhooks.receiver", "organizer.webhooks.kicks"} <= set(contract()["source_modules"])
    assert {"organizer.orders", "organizer.sync.mirror", "organizer.sync.outbox"} <= set(
        contract()["forbidden_modules"]
    )
    assert not contract().get("allow_indirect_imports")
    assert not contract().get("ignore_imports")


@pytest.mark.parametrize(
    ("module", "line", "holds"),
    [
        ("organizer/webhooks/receiver/intake.py", "", True),
        ("organizer/webhooks/receiver/intake.py", "from organizer.orders import findings", False),
        ("organizer/webhooks/actions.py", "from organizer.sync import mirror", False),  # two steps away
        ("organizer/kit/quick.py", "def late():\n    import organizer.orders.models", False),
    ],
)
def test_bites(tmp_path, module, line, holds):
    for path in (ROOT / "organizer").rglob("*.py"):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    (tmp_path / module).write_text(f"{(tmp_path / module).read_text()}\n{line}\n")
    lists = "\n".join(f"{name} = {contract()[name]}" for name in ("source_modules", "forbidden_modules"))
    head = '[tool.importlinter]\nroot_packages = ["organizer"]\n[[tool.importlinter.contracts]]\n'
    (tmp_path / "contract.toml").write_text(f'{head}name = "{NAME}"\ntype = "forbidden"\n{lists}\n')
    done = subprocess.run([sys.executable, "-c", _BITES], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == holds, done.stdout
    assert NAME in done.stdout


def test_finds_no_way_around_the_imports():
    """By a relation of a model or by a name in a string."""
    said = "\n".join(path.read_text() for path in RECEIVER)
    assert re.findall(r"get_model|import_module|import_string|__import__|\.orders\b|\"orders_", said) == [".orders"]
    assert 'TASK = "organizer.orders.tasks.reconcile"' in said


@pytest.mark.django_db
@pytest.mark.parametrize("event", ["order.cancelled", "order.accepted"])
def test_reads_and_writes_nothing_but_deliveries(cast, event):
    deliveries.vendor(cast.organization, cast.olive)
    number = count()
    for body in (b'{"reference": "R-1", "event": "%s"}' % event.encode(), b"nothing", b"{}"):
        with CaptureQueriesContext(connection) as asked:
            deliveries.posted("acme", body, X_Webhook_Id=f"{next(number)}")
        tables = {table for one in asked for table in re.findall(r'(?:FROM|INTO|UPDATE|JOIN) "?(\w+_\w+)', one["sql"])}
        assert tables
        assert {table.partition("_")[0] for table in tables} == {"webhooks"}
