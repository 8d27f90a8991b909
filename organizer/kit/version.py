import tomllib
from functools import cache

from django.conf import settings


@cache
def foyer() -> str:
    """As pyproject.toml has it: Foyer runs from its folder and is not installed."""
    return str(tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]["version"])
