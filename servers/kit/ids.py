import secrets
import string

_LETTERS = string.ascii_letters + string.digits
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 20


def new_id() -> str:
    """An id as the contract shows them: 20 characters that mean nothing."""
    return "".join(secrets.choice(_LETTERS) for _ in range(LENGTH))


def new_barcode() -> str:
    """A code that people can read aloud: no I, L, O or U."""
    return "".join(secrets.choice(_CROCKFORD) for _ in range(12))


def is_id(text: str) -> bool:
    return len(text) == LENGTH and text.isascii() and text.isalnum()
