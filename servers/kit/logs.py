"""Logs as JSON lines: request id and organization beside each message, no bodies, no secrets."""

import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime

request_id: ContextVar[str] = ContextVar("request_id", default="")
organization: ContextVar[str] = ContextVar("organization", default="")

_SECRET = re.compile(r"\b(evt_live_|svc_live_|sup_live_|whsec_)[A-Za-z0-9_\-+/=]+")


def redact(text: str) -> str:
    return _SECRET.sub(r"\1…", text)


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": redact(record.getMessage()),
            "request_id": request_id.get(),
            "organization": organization.get(),
        }
        if record.exc_info:
            line["trace"] = redact(self.formatException(record.exc_info))
        return json.dumps({key: value for key, value in line.items() if value}, ensure_ascii=False)
