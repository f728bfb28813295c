"""Guessing is slow, whoever guesses what from where."""

import asyncio
import threading
from typing import Any, Literal

import pytest
from argon2 import PasswordHasher

from tests.store.yard import OwnClock
from tests.waiting import until
from windlass.core.errors import BadInput
from windlass.http.passwords import AT_ONCE, MOST_WAITING, Passwords, hasher
from windlass.http.problems import Refusal
from windlass.http.throttle import BY_ADDRESS, BY_NAME, Allowance, Throttle, Tries, network

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture
def clock() -> OwnClock:
    return OwnClock()


def test_tries_are_counted_and_come_back_with_time(clock: OwnClock) -> None:
    tries = Tries(Allowance(3, 10.0), clock)

    taken = [tries.take("ada") for _ in range(5)]
    clock.advance(10)

    assert taken == [0, 0, 0, 10, 10]
    assert tries.take("ada") == 0
    assert tries.take("ada") == 10
    assert tries.take("bob") == 0


def test_who_is_refused_does_not_wait_longer_for_asking_again(clock: OwnClock) -> None:
    tries = Tries(Allowance(1, 10.0), clock)
    tries.take("ada")

    for _ in range(100):
        tries.take("ada")
    clock.advance(10)

    assert tries.take("ada") == 0


def test_memory_of_tries_is_bounded(clock: OwnClock) -> None:
    tries = Tries(Allowance(1, 10.0), clock, most=100)

    for number in range(1_000):
        tries.take(str(number))

    assert len(tries._whole_at) == 100
    assert tries.take("999") > 0


def test_a_name_is_slowed_down_wherever_its_guesses_come_from(clock: OwnClock) -> None:
    throttle = Throttle(clock)
    for number in range(BY_NAME.tries):
        throttle.admit("ada", f"10.0.0.{number}")

    with pytest.raises(Refusal) as refused:
        throttle.admit("ada", "10.0.1.1")

    assert refused.value.status == 429
    assert refused.value.headers == ((b"retry-after", b"30"),)
    throttle.admit("bob", "10.0.1.1")


def test_an_address_is_slowed_down_whichever_names_it_tries(clock: OwnClock) -> None:
    throttle = Throttle(clock)
    for number in range(BY_ADDRESS.tries):
        throttle.admit(f"user{number}", "10.0.0.1")

    with pytest.raises(Refusal, match="wait 5 s"):
        throttle.admit("ada", "10.0.0.1")

    throttle.admit("ada", "10.0.0.2")


def test_who_is_refused_by_address_takes_no_try_from_a_name(clock: OwnClock) -> None:
    throttle = Throttle(clock)
    for number in range(BY_ADDRESS.tries):
        throttle.admit(f"user{number}", "10.0.0.1")
    for _ in range(BY_NAME.tries):
        with pytest.raises(Refusal):
            throttle.admit("ada", "10.0.0.1")

    throttle.admit("ada", "10.0.0.2")


def test_one_who_knew_the_password_is_forgiven(clock: OwnClock) -> None:
    throttle = Throttle(clock)
    for number in range(BY_NAME.tries):
        throttle.admit("ada", f"10.0.0.{number}")

    throttle.forgive("ada", "10.0.0.1")

    throttle.admit("ada", "10.0.1.1")


def test_colleagues_at_one_address_all_get_in(clock: OwnClock) -> None:
    throttle = Throttle(clock)

    for number in range(3 * BY_ADDRESS.tries):
        throttle.admit(f"user{number}", "10.0.0.1")
        throttle.forgive(f"user{number}", "10.0.0.1")


def test_one_who_has_a_password_gains_no_tries_at_others(clock: OwnClock) -> None:
    throttle = Throttle(clock)
    for number in range(BY_ADDRESS.tries - 1):
        throttle.admit(f"user{number}", "10.0.0.1")
    throttle.admit("eve", "10.0.0.1")
    throttle.forgive("eve", "10.0.0.1")

    throttle.admit("ada", "10.0.0.1")

    with pytest.raises(Refusal):
        throttle.admit("bob", "10.0.0.1")


@pytest.mark.parametrize(
    ("address", "same_as"),
    [
        ("2001:db8::1", "2001:db8::ffff:1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("fe80::1%eth0", "fe80::2"),
        ("unknown", "unknown"),
    ],
)
def test_whoever_has_many_addresses_has_the_tries_of_one(address: str, same_as: str) -> None:
    assert network(address) == network(same_as)


# --- passwords -----------------------------------------------------------------------------------


async def test_a_password_is_right_or_wrong() -> None:
    passwords = Passwords(CHEAP)

    kept = await passwords.hash("ada", "plenty of entropy")

    assert kept.startswith("$argon2id$")
    assert await passwords.right(kept, "plenty of entropy")
    assert not await passwords.right(kept, "plenty of entropy!")
    assert not await passwords.right(None, "the password of nobody")
    assert not await passwords.right("no hash at all", "plenty of entropy")


async def test_letters_are_the_same_however_they_were_composed() -> None:
    passwords = Passwords(CHEAP)

    kept = await passwords.hash("ada", "caf\u00e9 au lait et sucre")

    assert await passwords.right(kept, "cafe\u0301 au lait et sucre")


@pytest.mark.parametrize("password", ["", "short", "a" * 20, "Ada-Lovelace-1815", "x" * 1025])
async def test_a_password_that_is_guessed_first_is_refused(password: str) -> None:
    with pytest.raises(BadInput, match="password") as refused:
        await Passwords(CHEAP).hash("ada", password)

    assert not password or password not in str(refused.value)


def test_a_password_is_kept_by_the_figures_of_rfc_9106() -> None:
    figures = hasher()

    assert (figures.memory_cost, figures.time_cost, figures.type.name) == (65_536, 3, "ID")
    assert Passwords().outdated(CHEAP.hash("x"))
    assert not Passwords(CHEAP).outdated(CHEAP.hash("x"))


class Slow(PasswordHasher):
    """Hashes when the test says so, and counts how many hash at once."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.go = threading.Event()
        self.lock = threading.Lock()
        self.at_work = self.most_at_work = 0

    def hash(self, *given: Any, **named: Any) -> str:
        """Hash when told so."""
        with self.lock:
            self.at_work += 1
            self.most_at_work = max(self.at_work, self.most_at_work)
        self.go.wait(20)
        with self.lock:
            self.at_work -= 1
        return super().hash(*given, **named)


async def test_few_passwords_are_hashed_at_once_and_few_wait() -> None:
    slow = Slow()
    passwords = Passwords(slow)
    hashing = [
        asyncio.create_task(passwords.hash("ada", f"plenty of entropy {number}"))
        for number in range(MOST_WAITING)
    ]
    await until(lambda: slow.at_work == AT_ONCE)

    with pytest.raises(Refusal) as refused:
        await passwords.hash("ada", "one too many for us")
    slow.go.set()
    hashes = await asyncio.gather(*hashing)

    assert refused.value.status == 503
    assert len(set(hashes)) == MOST_WAITING
    assert slow.most_at_work == AT_ONCE
    assert await passwords.hash("ada", "there is room again")


class Counting(PasswordHasher):
    """Counts what it is asked to verify."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.verified: list[str | bytes] = []

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 - as there
        """Count, and verify."""
        self.verified.append(hash)
        return super().verify(hash, password)


async def test_a_name_that_nobody_has_costs_as_much_as_one_that_somebody_has() -> None:
    counting = Counting()
    passwords = Passwords(counting)
    kept = await passwords.hash("ada", "plenty of entropy")

    await passwords.right(kept, "wrong")
    await passwords.right(None, "wrong")

    somebodys, nobodys = counting.verified
    assert somebodys == kept
    assert str(nobodys).split("$")[:4] == kept.split("$")[:4]  # the same figures
