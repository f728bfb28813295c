"""How often somebody may try to log in: a few times at once, then ever so often."""

from __future__ import annotations

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address
from math import ceil

from msgspec import Struct

from windlass.clock import Clock
from windlass.http.problems import Refusal

# So many are remembered; whoever was quiet the longest is forgotten first.
MOST = 10_000
# One who owns an IPv6 address owns the 2^64 beside it.
PREFIX = 64


class Allowance(Struct, frozen=True):
    """So many tries at once, and one more every so many seconds."""

    tries: int
    every: float


BY_NAME = Allowance(10, 30.0)
BY_ADDRESS = Allowance(30, 5.0)


class Tries:
    """Counts tries by a key; memory is bounded."""

    def __init__(self, allowance: Allowance, clock: Clock, most: int = MOST) -> None:
        """Allow each key the same."""
        self._allowance = allowance
        self._clock = clock
        self._most = most
        # When a key will have all its tries back: only that needs to be remembered.
        self._whole_at: OrderedDict[str, float] = OrderedDict()

    def take(self, key: str) -> float:
        """Take one try; answer with the seconds to wait for one if none is left."""
        now = self._clock.monotonic()
        whole_at = max(self._whole_at.get(key, now), now) + self._allowance.every
        too_soon = whole_at - now - self._allowance.tries * self._allowance.every
        if too_soon > 0:
            return too_soon
        self._whole_at[key] = whole_at
        self._whole_at.move_to_end(key)
        if len(self._whole_at) > self._most:
            self._whole_at.popitem(last=False)
        return 0.0

    def give_back(self, key: str) -> None:
        """Give one try back."""
        if key in self._whole_at:
            self._whole_at[key] -= self._allowance.every

    def forgive(self, key: str) -> None:
        """Give all tries back."""
        self._whole_at.pop(key, None)


class Throttle:
    """Slows down guessing, of one user's password and from one address.

    Counted in this process: a guess costs the fleet no write, and each process allows its share.
    """

    def __init__(self, clock: Clock) -> None:
        """Nobody has tried yet."""
        self._names = Tries(BY_NAME, clock)
        self._addresses = Tries(BY_ADDRESS, clock)

    def admit(self, name: str, address: str) -> None:
        """Take a try before it is known whether it is a good one, so that none is had for free."""
        # The address first: whoever is refused by it takes no try from a name.
        wait = self._addresses.take(network(address)) or self._names.take(name)
        if wait:
            seconds = ceil(wait)
            raise Refusal(
                429,
                "too-many-logins",
                f"too many tries to log in; wait {seconds} s",
                headers=((b"retry-after", b"%d" % seconds),),
            )

    def forgive(self, name: str, address: str) -> None:
        """A user who knew the password need not wait for mistakes, nor a colleague beside them.

        One who has a password gains no tries at those of others by it.
        """
        self._names.forgive(name)
        self._addresses.give_back(network(address))


def network(address: str) -> str:
    """What one client has for itself: an IPv4 address, or a network of IPv6."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return address
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(IPv6Address(int(known) >> PREFIX << PREFIX))
