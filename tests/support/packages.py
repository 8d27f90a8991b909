"""What the tests need beside Python: installed by apt-get where we may, else said with the line that installs it."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

FOLDERS = (Path("/usr/bin"), Path("/usr/local/bin"), *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))
FONTS = {
    "fonts-noto-core": "/usr/share/fonts/truetype/noto/NotoSansArabic-Regular.ttf",
    "fonts-noto-cjk": "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "fonts-noto-color-emoji": "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf",
}


SHELL = "chromium-headless-shell"


def find(*names: str) -> Path | None:
    postgres = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for name in names:
        for found in (shutil.which(name), *(str(folder / name) for folder in postgres)):
            if found and Path(found).exists():
                return Path(found)
    return None


def missing() -> list[str]:
    """Debian's names of the packages that are not here."""
    lacking = [package for package, file in FONTS.items() if not Path(file).exists()]
    if not chromium():
        lacking.append("chromium")
    if not find("initdb"):
        lacking.append("postgresql")
    if not find("redis-server", "valkey-server"):
        lacking.append("redis-server")
    return lacking


def chromium() -> Path | None:
    """Without the code of windows and tabs where it is to be had: a page costs it a third."""
    told = os.environ.get("FOYER_CHROMIUM")
    return Path(told) if told else find(SHELL, "chromium", "google-chrome", "chromium-browser")


def install(packages: list[str]) -> None:
    line = f"apt-get install -y --no-install-recommends {' '.join(packages)}"
    before = [] if os.geteuid() == 0 else ["sudo", "-n"]
    allowed = not before or subprocess.run([*before, "true"], capture_output=True, check=False).returncode == 0
    if not shutil.which("apt-get") or not allowed:
        sys.exit(f"The tests need packages that are not installed. Install them with:\n\n    sudo {line}\n")
    env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], line.split()):
        if subprocess.run([*before, *command], env=env, stdout=sys.stderr, check=False).returncode:
            sys.exit(f"{' '.join(command)} failed. When it works again, run:\n\n    sudo {line}\n")


def ensure() -> None:
    if lacking := missing():
        sys.stderr.write(f"Installing {', '.join(lacking)}\n")
        install(lacking)
    if still := missing():
        sys.exit(f"Still missing after the installation: {', '.join(still)}")
    if not find(SHELL) and os.geteuid() == 0 and shutil.which("apt-get"):
        _wish(SHELL)


def _wish(package: str) -> None:
    """Without it all goes as well, and slower: no network and no such package are no failure."""
    patience = ["-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10"]
    fetch = ["install", "-y", "--no-install-recommends"]
    with suppress(subprocess.TimeoutExpired):
        for command in (["update", "-q"], [*fetch, "--download-only", package], [*fetch, "--no-download", package]):
            asked = ["apt-get", *patience, *command]
            env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
            if subprocess.run(asked, env=env, capture_output=True, timeout=120, check=False).returncode:
                return


if __name__ == "__main__":
    ensure()
