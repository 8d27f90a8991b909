"""Every address of the dashboard, read from the resolver, so that a new view cannot be forgotten."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver


@dataclass(frozen=True)
class Route:
    name: str
    path: str
    view: Callable[..., Any]
    arguments: tuple[str, ...]

    @property
    def is_ours(self) -> bool:
        return self.view.__module__.split(".")[0] == "organizer"

    @property
    def of_an_organization(self) -> bool:
        return "slug" in self.arguments


def walk(resolver: URLResolver | None = None, namespace: str = "", before: str = "") -> Iterator[Route]:
    for entry in (resolver or get_resolver()).url_patterns:
        path = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from walk(entry, f"{namespace}{entry.namespace}:" if entry.namespace else namespace, path)
        elif isinstance(entry, URLPattern):
            yield Route(f"{namespace}{entry.name}", path, entry.callback, _arguments(path))


def _arguments(path: str) -> tuple[str, ...]:
    parts = (part.split(">")[0] for part in path.split("<")[1:])
    return tuple(part.split(":")[-1] for part in parts)
