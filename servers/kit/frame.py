"""What holds for every answer of an API: who asks is looked up, the limit counted, and every refusal is JSON."""

import logging
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from servers.kit import bodies, errors
from servers.kit.errors import ApiError, internal_error
from servers.kit.limits import Allowance

log = logging.getLogger(__name__)
_SENTENCES = {
    400: ("bad_request", "The request cannot be read."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take this method."),
}


class ApiRequest(HttpRequest):
    csrf_processing_done: bool
    api_key: Any
    """Who asks; None where nobody is known by what the request shows."""
    api_refusal: ApiError | None
    """Why nobody is known: raised by the operations, which all need a key; a document is public."""
    _body: bytes


class ApiMiddleware:
    """Under `prefix`. What another one further out has taken in is left alone."""

    prefix: str

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def find(self, request: HttpRequest) -> Any:
        """Who asks. Raises the refusal of an operation."""
        raise NotImplementedError

    def take_for_key(self, key: Any) -> Allowance:
        raise NotImplementedError

    def take_for_address(self, address: str) -> Allowance:
        raise NotImplementedError

    def __call__(self, request: ApiRequest) -> HttpResponse:
        if not request.path_info.startswith(self.prefix) or hasattr(request, "api_refusal"):
            return self.get_response(request)
        request.csrf_processing_done = True  # no cookie counts here, so no form can be forged
        try:
            return self._answer(request)
        except Exception:
            log.exception("%s %s failed", request.method, request.path)
            return internal_error()

    def _answer(self, request: ApiRequest) -> HttpResponse:
        request.api_key = request.api_refusal = None
        try:
            request.api_key = self.find(request)
            allowance = self.take_for_key(request.api_key)
        except ApiError as refusal:
            request.api_refusal = refusal
            allowance = self.take_for_address(request.META.get("REMOTE_ADDR", ""))
        if allowance.exceeded:
            log.info("429: %s has used %s of %s", request.api_key or "an address", allowance.used, allowance.limit)
            message = f"At most {allowance.limit} requests; wait {allowance.reset} s."
            response = errors.response(ApiError(429, "rate_limit_exceeded", message))
        else:
            response = _as_json(self.get_response(request))
        bodies.drain(request)
        allowance.write_on(response)
        response.setdefault("Cache-Control", "no-store")  # caches know Authorization, but not X-API-KEY
        return response


def _as_json(response: HttpResponse) -> HttpResponse:
    """Refusals that the framework words as pages, in the API's own shape."""
    if 300 <= response.status_code < 400:  # to the same address with a slash, where there is nothing either
        response = HttpResponse(status=404)
    if response.status_code < 400 or response.get("Content-Type", "").startswith("application/json"):
        return response
    if response.status_code >= 500:
        return internal_error()
    sentence = _SENTENCES.get(response.status_code, _SENTENCES[400])
    replaced = errors.response(ApiError(response.status_code, *sentence))
    if "Allow" in response:
        replaced["Allow"] = ", ".join(sorted(response["Allow"].split(", ")))
    return replaced
