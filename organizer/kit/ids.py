import uuid

import uuid_utils.compat


def new_id() -> uuid.UUID:
    """UUIDv7 (RFC 9562): grows with time, so new rows land together in an index."""
    return uuid_utils.compat.uuid7()
