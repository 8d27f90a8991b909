"""Files that people send: none is taken that is longer than any page wants."""

from typing import Any

from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

MOST_BYTES = 10 * 1024 * 1024


class NotTooLong(FileUploadHandler):
    """Before all others. What is too long is read to its end and kept nowhere, so that the page can say why."""

    taken = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.taken = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.taken += len(raw_data)
        if self.taken > MOST_BYTES:
            self.request.upload_was_too_long = True  # type: ignore[union-attr]
            raise SkipFile
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def was_too_long(request: HttpRequest) -> bool:
    return getattr(request, "upload_was_too_long", False)
