"""How an operation is declared: its answers, and the frame that each request passes through."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from ninja import Router
from ninja.decorators import decorate_view
from pydantic import BaseModel

from servers.kit import bodies, errors
from servers.kit.api import BearerKey
from servers.kit.errors import ApiError
from servers.kit.schemas import Refusal
from servers.supplier_api.middleware import ApiRequest

View = Callable[..., HttpResponse]


class Routes(Router):
    """A noun's operations."""

    def read(self, path: str, *, answers: type[BaseModel] | None, refusals: tuple[int, ...] = ()) -> Callable:
        return self._operation("GET", path, answers, {*refusals})

    def write(self, path: str, *, answers: type[BaseModel], refusals: tuple[int, ...] = ()) -> Callable:
        return self._operation("POST", path, answers, {413, *refusals}, status=201)

    def _operation(
        self, method: str, path: str, answers: type[BaseModel] | None, refusals: set[int], status: int = 200
    ) -> Callable[[View], View]:
        codes = sorted({400, 401, 403, 429, 500} | refusals)

        def declare(view: View) -> View:
            noun = view.__module__.rpartition(".")[2]
            self.api_operation(
                [method],
                path,
                auth=BearerKey(),
                response={status: answers} | dict.fromkeys(codes, Refusal),
                operation_id=f"{noun}_{view.__name__}",
                summary=view.__name__.capitalize(),
                tags=[noun],
            )(decorate_view(_framed)(view))
            return view

        return declare


def _framed(run: View) -> View:
    def answer(request: ApiRequest, **path: Any) -> HttpResponse:
        try:
            if request.api_key is None:
                raise request.api_refusal or ApiError(401, "invalid_key")
            request.supplier = request.api_key.supplier
            if request.method == "POST":
                request._body = bodies.read(request)  # where ninja looks for it
            return run(request, **path)
        except ApiError as error:
            return errors.response(error)

    return answer
