import os
import subprocess
import sys

from tests.support.processes import ROOT


def test_imports_downward_only():
    program = "from importlinter.cli import lint_imports; import sys; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_lists_no_app_of_the_other_side():
    """Strings in settings and foreign keys escape an import linter."""
    assert not [app for app in _apps("dashboard.settings") if app.startswith("servers")]
    assert not [app for app in _apps("servers.settings") if app.startswith(("organizer", "dashboard"))]


def _apps(settings: str) -> list[str]:
    program = "from django.conf import settings; print(*settings.INSTALLED_APPS, *settings.MIDDLEWARE)"
    env = os.environ | {"DJANGO_SETTINGS_MODULE": settings}
    return subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, env=env, text=True).split()
