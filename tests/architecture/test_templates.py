import re

import pytest

from tests.support.processes import ROOT

TEMPLATES = sorted(path for folder in ("templates", "servers/templates") for path in (ROOT / folder).rglob("*.html"))
LONGEST = 250
INLINE = {
    "a style attribute": re.compile(r"""<[^>]*\sstyle\s*=\s*["']""", re.I),
    "a style element": re.compile(r"<style\b", re.I),
    "an inline handler": re.compile(r"""<[^>]*\s(on[a-z]+|hx-on[:a-z-]*)\s*=\s*["']""", re.I),
    "an inline script": re.compile(r"<script\b(?![^>]*\bsrc\s*=)(?![^>]*application/json)", re.I),
    "a javascript address": re.compile(r"""["']\s*javascript:""", re.I),
}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_stays_readable_and_free_of_inline_code(path):
    text = re.sub(r"\{#.*?#\}|\{% comment.*?endcomment %\}", "", path.read_text(), flags=re.S)
    assert text.count("\n") <= LONGEST
    assert [name for name, pattern in INLINE.items() if pattern.search(text)] == []
