"""Amounts in their own currency: as many decimals as it has, its sign where everybody knows it."""

from decimal import ROUND_HALF_EVEN, Decimal

from django.utils.formats import number_format

_SIGNS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹", "KRW": "₩", "UAH": "₴", "TRY": "₺", "PLN": "zł"}
_BEHIND = {"PLN"}
# ISO 4217: currencies whose minor unit is not a hundredth
_NO_DECIMALS = {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV"}
_NO_DECIMALS |= {"XAF", "XOF", "XPF"}
_THREE_DECIMALS = {"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"}


def decimals(currency: str) -> int:
    code = currency.upper()
    return 0 if code in _NO_DECIMALS else 3 if code in _THREE_DECIMALS else 2


def say(amount: Decimal, currency: str) -> str:
    """`€24.00`, `¥1,500`, `24.00 CHF`. A finer amount than the currency has is shown whole, never rounded away."""
    code, places = currency.upper(), decimals(currency)
    amount = Decimal(amount)
    finer = -int(amount.normalize().as_tuple().exponent)
    places = max(places, finer)
    digits = number_format(
        abs(amount).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN), places, force_grouping=True
    )
    sign = "−" if amount < 0 else ""
    symbol = _SIGNS.get(code)
    if symbol and code not in _BEHIND:
        return f"{sign}{symbol}{digits}"
    return f"{sign}{digits} {symbol or code}".strip()
