from typing import Any


def assert_refused(response: Any, status: int, error: str) -> dict[str, Any]:
    """The status, the stable error, a message, and never a page. Returns the body."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    body = response.json()
    assert body["error"] == error
    assert body["message"]
    return body


def assert_invalid(response: Any, path: str) -> dict[str, Any]:
    """A 400 whose details name the path. Returns that detail."""
    details = assert_refused(response, 400, "Validation failed")["details"]
    assert path in [detail["path"] for detail in details], details
    found = next(detail for detail in details if detail["path"] == path)
    assert set(found) == {"path", "message", "code"}
    return found
