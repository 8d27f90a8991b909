import ast
import os
import re
import subprocess
import sys
from importlib.metadata import packages_distributions

from tests.support.processes import ROOT

RUNS = ("dashboard", "organizer", "servers", "deploy")


def test_imports_downward_only():
    program = "from importlinter.cli import lint_imports; import sys; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_lists_no_app_of_the_other_side():
    """Strings in settings and foreign keys escape an import linter."""
    assert not [app for app in _apps("dashboard.settings") if app.startswith("servers")]
    assert not [app for app in _apps("servers.settings") if app.startswith(("organizer", "dashboard"))]


def test_imports_only_what_make_run_installs():
    """The tests' environment has more: a module of it, imported by the product, fails on a fresh machine alone."""
    locked = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements" / "base.txt").read_text(), re.M))
    installed = packages_distributions()
    missing = {
        (str(path.relative_to(ROOT)), module)
        for folder in RUNS
        for path in (ROOT / folder).rglob("*.py")
        if "tests" not in path.parts
        for module in _imported(ast.parse(path.read_text()))
        if module in installed and not {_normal(name) for name in installed[module]} & locked
    }
    assert not missing


def _imported(tree: ast.Module) -> set[str]:
    """Top names of absolute imports, but for those under `if TYPE_CHECKING`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.add(node.module.partition(".")[0])
    return names


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _apps(settings: str) -> list[str]:
    program = "from django.conf import settings; print(*settings.INSTALLED_APPS, *settings.MIDDLEWARE)"
    env = os.environ | {"DJANGO_SETTINGS_MODULE": settings}
    return subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, env=env, text=True).split()
