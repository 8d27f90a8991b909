"""Whose address a request comes from: the connection's, or what a proxy of ours says it was.

Entries of X-Forwarded-For are read from the right, since whoever calls writes the left end.
"""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Source:
    address: Address | None
    """None where nobody can tell."""
    proxies: int = 0


def find(peer: str, forwarded: str, trusted: Sequence[Network]) -> Source:
    """`forwarded` is X-Forwarded-For, several headers joined in their order."""
    address = parse(peer)
    entries = forwarded.split(",") if forwarded.strip() else []
    proxies = 0
    while address and entries and contains(trusted, address):
        address = parse(without_port(entries.pop().strip()))
        proxies += 1
    return Source(address, proxies)


def parse(text: str) -> Address | None:
    """An IPv4 address in IPv6's clothes is the IPv4 address; one with a zone is nobody's."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id:
            return None
        return address.ipv4_mapped or address
    return address


def without_port(entry: str) -> str:
    """Some proxies write `1.2.3.4:55` and `[::1]:55`."""
    if entry.startswith("["):
        return entry[1:].partition("]")[0]
    return entry.partition(":")[0] if entry.count(":") == 1 else entry


def networks(texts: Iterable[str]) -> list[Network]:
    """Raises ValueError at the first that is none, or that has bits of a host."""
    return [_network(text) for text in texts]


def contains(allowed: Sequence[Network], address: Address) -> bool:
    """None of none: an empty list is nobody."""
    return any(address.version == network.version and address in network for network in allowed)


def _network(text: str) -> Network:
    network = ipaddress.ip_network(text.strip())
    if isinstance(network, ipaddress.IPv6Network) and network.network_address.ipv4_mapped and network.prefixlen >= 96:
        return ipaddress.ip_network((network.network_address.ipv4_mapped, network.prefixlen - 96))
    return network
