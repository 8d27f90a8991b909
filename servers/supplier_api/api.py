"""The supplier API, put together: one router per noun, one document."""

from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from ninja.openapi.schema import OpenAPISchema

from servers.kit import document
from servers.kit.api import Api
from servers.kit.errors import json_response
from servers.supplier_api import files, fulfilments, listings, orders

FILE = "/orders/{order_id}/tickets/{ticket_id}/file"


class SupplierApi(Api):
    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**options)
        [file] = [path for name, path in schema["paths"].items() if name.endswith(FILE)]
        binary = {"schema": {"type": "string", "format": "binary"}}
        file["get"]["responses"][200]["content"] = dict.fromkeys(files.CONTENT_TYPES.values(), binary)
        return document.with_headers(schema)


api = SupplierApi(
    title="Supplier API",
    version="1.0.0",
    description="Listings, orders and tickets of one supplier, reached with its orders key.",
    urls_namespace="supplier_api",
)
for noun in (listings, orders, fulfilments):
    api.add_router("", noun.router)


@cache
def _document() -> bytes:
    return json_response(api.get_openapi_schema()).content


@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    return HttpResponse(_document(), content_type="application/json")
