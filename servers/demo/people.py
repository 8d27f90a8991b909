"""Makes up people: the same ones for the same seed, with e-mail addresses that can reach nobody (RFC 2606)."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from servers.demo.names import COMPANIES, CULTURES, ODD

# letters that have no decomposition into a Latin letter and an accent
UNFOLDABLE = str.maketrans({"ł": "l", "ø": "o", "æ": "ae", "þ": "th", "ð": "d", "ß": "ss", "ı": "i", "đ": "d"})
SEVERAL_TICKETS = 0.04
"""How many guests also hold the ticket before theirs."""
PRIVATE = [pair for pair in COMPANIES if not pair[0]]


@dataclass(frozen=True, slots=True)
class Person:
    first_name: str
    last_name: str
    email: str
    company: str


def latin(name: str) -> str:
    """What a name becomes in an e-mail address."""
    folded = unicodedata.normalize("NFKD", name.lower().translate(UNFOLDABLE))
    return re.sub(r"[^a-z]", "", folded)


def _parse(names: str) -> list[tuple[str, str]]:
    pairs = (name.strip().partition("=") for name in names.split(","))
    return [(written, given or latin(written)) for written, _, given in pairs]


def _odd_people() -> Iterator[Person]:
    for number, (first_name, last_name, mailbox) in enumerate(ODD):
        company, domain = COMPANIES[number % len(COMPANIES)]
        yield Person(first_name, last_name, f"{mailbox}@{domain}", company)


def invent(random: Random) -> Iterator[Person]:
    """Endlessly: first the odd names, so that even a small demo has them, then people of all cultures."""
    cultures = [(_parse(culture.given), _parse(culture.family)) for culture in CULTURES.values()]
    weights = [culture.weight for culture in CULTURES.values()]
    seen: Counter[str] = Counter()
    yield from _odd_people()
    person = None
    while True:
        if person is None or random.random() >= SEVERAL_TICKETS:
            given, family = random.choices(cultures, weights)[0]
            person = _person(random, random.choice(given), random.choice(family), seen)
        yield person


def _person(random: Random, given: tuple[str, str], family: tuple[str, str], seen: Counter[str]) -> Person:
    company, domain = random.choice(PRIVATE if random.random() < 0.4 else COMPANIES)
    mailbox = f"{given[1]}.{family[1]}@{domain}"
    seen[mailbox] += 1
    if seen[mailbox] > 1:  # a namesake
        mailbox = mailbox.replace("@", f"{seen[mailbox]}@", 1)
    return Person(given[0], family[0], mailbox, company)
