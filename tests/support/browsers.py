"""Debian's Chromium by Playwright; what a page does against our content security policy is collected."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from tests.support import packages
from tests.support.processes import ROOT
from tests.support.stack import PASSWORD

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]  # fmt: skip
WIDE: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
USUAL: dict[str, Any] = {"viewport": WIDE, "reduced_motion": "reduce", "timezone_id": "Europe/Berlin"}
"""Where the demo's event of today is: elsewhere it is tomorrow's for an hour or more."""
AXE = (ROOT / "tests/support/vendor/axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_REPORT = """document.addEventListener("securitypolicyviolation", (violation) =>
  console.error("CSP: " + violation.violatedDirective + " " + violation.blockedURI + " " + violation.sourceFile));"""


@contextmanager
def chromium() -> Iterator[Browser]:
    program = packages.chromium()
    if program is None:
        packages.install(["chromium"])
        program = packages.chromium()
    with sync_playwright() as playwright:
        expect.set_options(timeout=15_000)
        browser = playwright.chromium.launch(executable_path=str(program), args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def visitor(browser: Browser, *, complaints: list[str] | None = None, **options: Any) -> Iterator[Page]:
    """A page of a fresh profile. Errors of scripts and breaches of the policy are added to `complaints`."""
    context: BrowserContext = browser.new_context(**USUAL | options)
    if "timezone_id" not in options:  # without scripts nothing else says it
        zone = {"name": "foyer_zone", "value": quote(USUAL["timezone_id"], safe=""), "domain": "127.0.0.1", "path": "/"}
        context.add_cookies([zone])  # type: ignore[list-item]
    context.set_default_timeout(15_000)
    if options.get("java_script_enabled", True):
        context.add_init_script(_REPORT)
    page = context.new_page()
    if complaints is not None:
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        page.on("console", lambda said: complaints.append(f"{page.url}: {said.text}") if said.type == "error" else None)
    try:
        yield page
    finally:
        context.close()


def sign_in(page: Page, url: str, who: str = "owner@demo.test") -> None:
    page.goto(f"{url}/")
    page.get_by_label("Email").fill(who)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/o/demo/**")


def violations(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe finds wrong with the page as it stands: by all that we hold to, or by `rules` alone."""
    page.evaluate(AXE)
    only = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": RULES}
    found = page.evaluate("(only) => axe.run(document, {runOnly: only})", only)["violations"]
    return [f"{rule['id']}: {node['target']} {node['html'][:120]}" for rule in found for node in rule["nodes"]]
