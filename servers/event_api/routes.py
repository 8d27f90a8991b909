"""How an operation is declared: its scope, its answers, and the frame that each request passes through."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from ninja import Router
from ninja.decorators import decorate_view
from pydantic import BaseModel

from servers.event_api import auth, errors, idempotency
from servers.event_api.deprecation import Deprecation
from servers.event_api.errors import ApiError
from servers.event_api.middleware import ApiRequest
from servers.event_api.schemas import Refusal
from servers.kit import bodies
from servers.kit.api import BearerKey, KeyInHeader

View = Callable[..., HttpResponse]


class Routes(Router):
    """A noun's operations."""

    def read(self, path: str, *, scope: str, answers: type[BaseModel], **options: Any) -> Callable[[View], View]:
        return self._operation("GET", path, scope, answers, **options)

    def write(
        self, method: str, path: str, *, scope: str, answers: type[BaseModel], **options: Any
    ) -> Callable[[View], View]:
        return self._operation(method, path, scope, answers, write=True, **options)

    def _operation(
        self,
        method: str,
        path: str,
        scope: str,
        answers: type[BaseModel],
        *,
        write: bool = False,
        status: int = 200,
        refusals: tuple[int, ...] = (),
        deprecated: Deprecation | None = None,
    ) -> Callable[[View], View]:
        codes = {400, 401, 403, 404, 429, 500, *refusals} | ({409, 413} if write else set())
        responses: dict[int, Any] = {status: answers} | dict.fromkeys(sorted(codes), Refusal)

        def declare(view: View) -> View:
            framed = decorate_view(lambda run: _framed(run, scope, write, deprecated))(view)
            noun = view.__module__.rpartition(".")[2]
            declared = self.api_operation(
                [method],
                path,
                auth=[KeyInHeader(), BearerKey()],
                response=responses,
                operation_id=f"{noun}_{view.__name__.rstrip('_')}",
                summary=view.__name__.rstrip("_").replace("_", " ").capitalize(),
                deprecated=True if deprecated else None,
                tags=[noun.replace("_", " ")],
                openapi_extra={"x-required-scope": scope},
            )
            declared(framed)
            return view

        return declare


def _framed(run: View, scope: str, write: bool, deprecated: Deprecation | None) -> View:
    def framed(request: ApiRequest, **path: Any) -> HttpResponse:
        response = answer(request, **path)
        if deprecated:
            deprecated.write_on(response)
        return response

    def answer(request: ApiRequest, **path: Any) -> HttpResponse:
        try:
            if request.api_key is None:
                raise request.api_refusal or ApiError(401, auth.INVALID)
            request.key = request.api_key
            auth.require(request.key, scope)
            if not write:
                return run(request, **path)
            body = bodies.read(request)
            request._body = body  # where ninja looks for it
            return idempotency.answer(request, request.key, body, lambda: run(request, **path))
        except ApiError as error:
            return errors.response(error)

    return framed
