"""Text that came from people: folded for searching and sorting, cleaned at the edge."""

import re
import unicodedata

REPLACEMENT = "\ufffd"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# letters that decompose to nothing simpler, but that people type without their stroke
_STROKES = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "ħ": "h", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th"})
SORT_LENGTH = 120


def fold(text: str) -> str:
    """Lower case without accents, spaces joined: `Łucja  Wójcik` and `lucja wojcik` are one."""
    if text.isascii():  # the same, several times faster
        return " ".join(text.lower().split())
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(character for character in decomposed if not unicodedata.combining(character))
    return " ".join(plain.translate(_STROKES).split())


def clean(text: str) -> str:
    """What no database can store (U+0000, lone surrogates) becomes U+FFFD."""
    return _UNSTORABLE.sub(REPLACEMENT, text)
