import pytest
from django.core.management import call_command


@pytest.fixture(scope="session", autouse=True)
def static_files() -> None:
    """Pages name their files by hash, in tests too."""
    call_command("collectstatic", interactive=False, verbosity=0)
