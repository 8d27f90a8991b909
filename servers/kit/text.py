import unicodedata


def fold(text: str) -> str:
    """Small letters without accents, for searching."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(sign for sign in plain if not unicodedata.combining(sign)).split())
