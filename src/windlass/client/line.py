"""The line to a service: what every talk on it goes by."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct, field

from windlass.client import reading
from windlass.client.errors import NoAnswer
from windlass.client.exchange import Answer, Ask, Request, Talk
from windlass.client.patience import Patience
from windlass.clock import Chance, Clock, SystemChance, SystemClock

T = TypeVar("T")


class Line(Struct, frozen=True, kw_only=True):
    """How patient it is, and where its time and chance come from."""

    patience: Patience = field(default_factory=Patience)
    clock: Clock = field(default_factory=SystemClock)
    chance: Chance = field(default_factory=SystemChance)

    def answer(self, request: Request, after: float = 0.0) -> Talk[Answer]:
        """Send the request, again if it may be, until there is an answer to go by."""
        failures = 0
        while True:
            heard = yield Ask(request, after)
            failures += 1
            pause = self.patience.pause(request, heard, failures, chance=self.chance.random())
            if pause is not None:
                after = pause
            elif isinstance(heard, Answer):
                return heard
            else:
                raise NoAnswer(heard.why, heard=heard.heard)

    def ask(self, request: Request, shape: type[T], after: float = 0.0) -> Talk[T]:
        """Send the request and read what is answered in this shape."""
        return reading.value((yield from self.answer(request, after)), shape)
