"""A person with a browser's cookies, without the browser."""

import re
import time

import httpx

from tests.support.stack import PASSWORD


def signed_in(url: str, who: str = "owner@demo.test") -> httpx.Client:
    visitor = httpx.Client(base_url=url, follow_redirects=True, timeout=30)
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', visitor.get("/accounts/login/").text)
    assert found
    form = {"login": who, "password": PASSWORD, "csrfmiddlewaretoken": found[1]}
    answer = visitor.post("/accounts/login/", data=form, headers={"Referer": url})
    assert "/o/" in answer.url.path, f"Signing in led to {answer.url}"
    return visitor


def times(visitor: httpx.Client, path: str, number: int) -> list[float]:
    visitor.get(path).raise_for_status()  # the first one compiles the template
    taken = []
    for _ in range(number):
        began = time.perf_counter()
        visitor.get(path).raise_for_status()
        taken.append(time.perf_counter() - began)
    return taken
