"""Currencies of ISO 4217 and how many decimals each has."""

from decimal import Decimal

_CODES = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP
CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG
HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL
MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR
RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS
UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
"""
CODES = frozenset(_CODES.split())
_WITHOUT_MINOR = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
_THOUSANDTHS = "BHD IQD JOD KWD LYD OMR TND"
_DECIMALS = dict.fromkeys(_WITHOUT_MINOR.split(), 0) | dict.fromkeys(_THOUSANDTHS.split(), 3)


def decimals(currency: str) -> int:
    return _DECIMALS.get(currency.upper(), 2)


def exact(amount: float, currency: str) -> Decimal | None:
    """The amount as it was written; None where the currency has no unit that small."""
    written = Decimal(str(amount))
    rounded = written.quantize(Decimal(1).scaleb(-decimals(currency)))
    return rounded if rounded == written else None
