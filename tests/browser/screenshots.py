"""`make screenshots`: every page, light, dark and on a phone, full and empty, into var/screenshots; and those of docs.

`ONLY=guide make screenshots` takes the guide's alone.
"""

import os
import re
import sys
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser import addresses
from tests.support import browsers, processes
from tests.support.processes import ROOT
from tests.support.stack import Stack

TO = ROOT / "var" / "screenshots"
LOOKS = {
    "light": {"viewport": browsers.WIDE, "color_scheme": "light"},
    "dark": {"viewport": browsers.WIDE, "color_scheme": "dark"},
    "phone": {"viewport": browsers.PHONE, "color_scheme": "light", "device_scale_factor": 2},
    "phone-dark": {"viewport": browsers.PHONE, "color_scheme": "dark", "device_scale_factor": 2},
}
EMPTY = ("overview", "events", "all-guests", "connections", "add-connection", "deliveries", "rejected", "suppliers")
GUIDE = ROOT / "docs" / "guide"
IN_GUIDE = re.findall(r"\((\w[\w-]*)\.jpg\)", (GUIDE / "README.md").read_text())
"""By the names of `addresses`; `desk` is taken on a phone."""
FOR_README = ("overview", "guests", "approvals", "delivery-that-changed")


def main() -> None:
    TO.mkdir(parents=True, exist_ok=True)
    with browsers.chromium() as browser:
        with Stack() as full:
            full.wait_for_guests()
            full.take_deliveries()
            full.take_orders()
            _take_for_guide(browser, full)
            if os.environ.get("ONLY") == "guide":
                return
            _walk(browser, full, [*addresses.PATHS])
            full.event_server.stop()
            _let_it_notice(browser, full)
            _walk(browser, full, ["overview", "guests"], note="-api-gone")
        with Stack(connected=False) as empty:
            _walk(browser, empty, EMPTY, note="-empty")
    sys.stdout.write(f"{len(list(TO.glob('*.png')))} pictures in {TO.relative_to(ROOT)}\n")


def _take_for_guide(browser: Browser, stack: Stack) -> None:
    for look, names in (("light", set(IN_GUIDE) - {"desk"}), ("phone", {"desk"})):
        with browsers.visitor(browser, **LOOKS[look]) as page:
            browsers.sign_in(page, stack.url)
            for name in sorted(names):
                page.goto(addresses.of(stack, name))
                expect(page.locator("main .spin:visible")).to_have_count(0)
                page.screenshot(path=GUIDE / f"{name}.jpg", type="jpeg", quality=80)
                if name in FOR_README:
                    page.screenshot(path=ROOT / "docs" / "pictures" / f"{name}.png")


def _let_it_notice(browser: Browser, stack: Stack) -> None:
    """Somebody asks for a new read; the worker finds nobody there."""
    with browsers.visitor(browser, **LOOKS["light"]) as page:
        browsers.sign_in(page, stack.url)
        page.goto(addresses.of(stack, "guests"))
        page.get_by_role("button", name="Refresh").click()
    health = "SELECT count(*) FROM connections_connection WHERE health = 'unreachable'"
    processes.wait_until(lambda: stack.ask(health) == 1, what="the worker to find the API gone")


def _walk(browser: Browser, stack: Stack, names: list[str] | tuple[str, ...], note: str = "") -> None:
    for look, options in LOOKS.items():
        with browsers.visitor(browser, **options) as page:
            page.goto(stack.url)
            page.screenshot(path=_file("sign-in", note, look))
            browsers.sign_in(page, stack.url)
            for name in names:
                page.goto(addresses.of(stack, name))
                page.screenshot(path=_file(name, note, look))


def _file(name: str, note: str, look: str) -> Path:
    return TO / re.sub(r"[^\w.-]", "-", f"{name}{note}-{look}.png")


if __name__ == "__main__":
    main()
