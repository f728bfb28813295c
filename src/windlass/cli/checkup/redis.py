"""Redis: whether it is there, new enough and near; nothing depends on it but speed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING

from windlass.cli.checkup.finding import Finding, ok, warning
from windlass.cli.words import span
from windlass.clock import SystemChance, SystemClock
from windlass.config import Settings
from windlass.core.redis_url import parse_redis_url
from windlass.core.secrets import without_password
from windlass.observe.events import Event, RedisLost, RedisRefused

if TYPE_CHECKING:
    from windlass.redis.link import Link

PATIENCE = 1.0
OLDEST = (6, 2)
# A call that takes longer than 50 ms is given up; half of that is too near to it.
FAR = 0.025
CALLS = 5
WORDS = {"TimeoutError": "no answer in time"}
WITHOUT = "everything works without it, only slower"


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Look at the Redis that the settings name, if they name one."""
    if settings.redis is None:
        yield ok("redis", f"none is set; {WITHOUT}")
    elif find_spec("hiredis") is None:
        source = settings.sources["redis"]
        yield warning("redis", f"{source} names one", "pip install 'windlass[redis]' to use it")
    else:
        for finding in await _looked_at(settings.redis, settings.sources["redis"]):
            yield finding


class Losses:
    """Remembers why Redis was lost."""

    def __init__(self) -> None:
        """Nothing was lost yet."""
        self.last = "it gave no answer"

    def on(self, event: Event) -> None:
        """Take note."""
        if isinstance(event, RedisLost | RedisRefused):
            self.last = WORDS.get(event.error, event.error)


async def _looked_at(url: str, source: str) -> list[Finding]:
    # Imported late: they need a package that is not always there.
    from windlass.redis.link import Link  # noqa: PLC0415
    from windlass.redis.wire import RedisAway  # noqa: PLC0415

    losses = Losses()
    link = Link(parse_redis_url(url), chance=SystemChance(), observer=losses, deadline=PATIENCE)
    link.hold()
    try:
        return await _findings(link, without_password(url))
    except RedisAway:
        return [
            warning(
                "redis",
                f"it cannot be used ({losses.last}) at {without_password(url)}; {WITHOUT}",
                f"start it, or correct address and password in {source}",
            )
        ]
    finally:
        await link.close()


async def _findings(link: Link, place: str) -> list[Finding]:
    told = _facts(await link.call("INFO", "server"))
    name = "Valkey" if "valkey_version" in told else "Redis"
    version = told.get("valkey_version") or told.get("redis_version", "?")
    speaks = told.get("redis_version", "0.0")  # what a Valkey is compatible with
    took = min([await _round_trip(link) for _ in range(CALLS)])
    said = f"{name} {version} at {place}, {span(timedelta(seconds=took))} away"
    if tuple(int(part) for part in speaks.split(".")[:2]) < OLDEST:
        return [warning("redis", said, "use Redis 6.2 or later, or Valkey")]
    if took > FAR:
        return [warning("redis", said, "one that is nearer: after 50 ms it is done without")]
    return [ok("redis", f"{said}; {WITHOUT}")]


async def _round_trip(link: Link) -> float:
    clock = SystemClock()
    began = clock.monotonic()
    await link.call("PING")
    return clock.monotonic() - began


def _facts(info: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in info.decode().splitlines())
    return {name: value for name, colon, value in lines if colon}
