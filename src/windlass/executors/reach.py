"""What a job may reach over the network: which hosts, ports and addresses. Pure decisions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct

from windlass.core.errors import BadInput

Ip: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

PUBLIC_PORTS = frozenset({80, 443})
# Where other protocols are spoken, some of which take an HTTP request for commands.
FOREIGN_PORTS = frozenset(
    {0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101}
    | {102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389}
    | {427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636}
    | {989, 990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 3306, 3659, 4045, 5060, 5061, 5432}
    | {6000, 6379, 6432, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211, 27017}
)

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
# Clouds answer here with the credentials of the machine; a name that leads here is a trap.
METADATA = frozenset(
    map(
        ip_address,
        ("168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"),
    )
)
# `is_global` differs between versions of Python and takes some of these for public.
SPECIAL: tuple[Network, ...] = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "2001::/23",  # Teredo and other protocols
        "2001:db8::/32",
        "2002::/16",  # 6to4, which has an IPv4 address inside
        "3ffe::/16",
        "3fff::/20",
        "2620:4f:8000::/48",
    )
)
PUBLIC_IPV6 = ip_network("2000::/3")
TRANSLATED = ip_network("64:ff9b::/96")  # NAT64: an IPv4 address as networks without one see it

NAME = re.compile(r"(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_-]+)*")
HOST = r"(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\\\[\]%]+)"
# Stricter than any parser: what parsers could take differently is not taken at all.
URL = re.compile(rf"https?://{HOST}(?::(?P<port>[0-9]{{1,5}}))?(?:[/?][^\s\\#]*)?", re.IGNORECASE)
MAX_URL = 4_000


class Forbidden(OSError):
    """A job may not reach this."""


class Reach(Struct, frozen=True, kw_only=True):
    """What may be reached besides public addresses at the ports of the web."""

    names: frozenset[str] = frozenset()  # hosts that may be anywhere, also as *.example.org
    networks: tuple[Network, ...] = ()
    ports: frozenset[int] = frozenset()

    def lists(self, host: str) -> bool:
        """Whether the host is named itself, so that its address may be a private one."""
        name = host.lower().rstrip(".")
        parents = (f"*{name[at:]}" for at, char in enumerate(name) if char == ".")
        return name in self.names or any(parent in self.names for parent in parents)

    def check(self, address: str, port: int, *, listed: bool) -> None:
        """Refuse an address, and port, that a socket is about to be connected to."""
        ip = _unwrapped(address)
        if any(ip in network for network in self.networks):
            allowed = port not in FOREIGN_PORTS
        elif listed:
            _refuse_traps(ip)
            allowed = port not in FOREIGN_PORTS
        else:
            _refuse_private(ip)
            allowed = port in PUBLIC_PORTS or port in self.ports
        if not allowed:
            raise Forbidden(f"port {port} may not be reached; allow it with *:{port}")


def parse_reach(entries: Iterable[str]) -> Reach:
    """Read what may be reached: hosts, `*.domain`, networks, `loopback`, or a port as `*:8443`."""
    names: set[str] = set()
    networks: list[Network] = []
    ports: set[int] = set()
    for entry in (entry.strip().lower() for entry in entries):
        if entry == "loopback":
            names |= LOOPBACK_NAMES
        elif (network := _network(entry)) is not None:
            networks.append(network)
        elif entry.startswith("*:") and entry[2:].isdecimal():
            ports.add(int(entry[2:]))
        elif NAME.fullmatch(entry):
            names.add(entry)
        else:
            raise BadInput(
                f"{entry!r} is nothing to reach; write a host (hooks.internal), a domain"
                " (*.corp.example), a network (10.0.0.0/8), loopback, or a port (*:8443)"
            )
    return Reach(names=frozenset(names), networks=tuple(networks), ports=frozenset(ports))


def check_url(url: str) -> None:
    """Refuse a URL that is not plainly one of the web."""
    match = URL.fullmatch(url)
    if match is None or len(url) > MAX_URL or not url.isprintable():
        raise ValueError(
            "the URL must be http://host/… or https://host/…, without user, fragment, spaces or"
            f" backslashes, and have at most {MAX_URL:,} characters"
        )
    host = urlsplit(url).hostname or ""  # refuses what looks like another host once normalised
    if ":" in host:
        ip_address(host)
    if match["port"] is not None and not 0 < int(match["port"]) < 2**16:
        raise ValueError(f"there is no port {match['port']}")


def _network(entry: str) -> Network | None:
    try:
        return ip_network(entry, strict=False)
    except ValueError:
        return None


def _unwrapped(address: str) -> Ip:
    """The address that a packet would go to in the end."""
    # A zone, as in fe80::1%eth0, is for this machine only; without it the address says enough.
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv4Address):
        return ip
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    return IPv4Address(int(ip) & 0xFFFF_FFFF) if ip in TRANSLATED else ip


def _refuse_private(ip: Ip) -> None:
    special = any(ip in network for network in SPECIAL) or ip in METADATA
    outside = isinstance(ip, IPv6Address) and ip not in PUBLIC_IPV6
    if special or outside or not ip.is_global or ip.is_multicast or ip.is_reserved:
        raise Forbidden(
            f"{ip} is no public address; name its host or network in WINDLASS_WEBHOOK_ALLOW if jobs"
            " may reach it"
        )


def _refuse_traps(ip: Ip) -> None:
    """Even a host that is named may not be where no host is."""
    nowhere = ip.is_unspecified or ip.is_multicast or ip.is_reserved or ip.is_link_local
    # ::1 is reserved for being what it is.
    if (nowhere and not ip.is_loopback) or ip in METADATA:
        raise Forbidden(f"{ip} is no address of a host that jobs may reach")
