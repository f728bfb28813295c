"""One host of many answers every webhook with 503: it is spared, and nobody else is held up."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from statistics import quantiles

import pytest
from aiohttp import web

from tests.acceptance.test_delivery import front, node
from tests.executors.receivers import Call, Receiver, receiver
from tests.faults.dose import dose
from tests.waiting import until
from windlass import Windlass

SECONDS = dose(short=2, full=60)
CALM = dose(short=1, full=20)
SICK_RATE, WELL_RATE = 80, 20  # jobs a second: about 5,000 and 1,000 in a minute
RETRY_AFTER = 3  # longer than anybody would wait who was not told
# What the host may be asked all the same: so many in a second, and a tenth of what is delivered.
BUDGET = 10
SLOWER = 2.0
# What a machine that has much else to do may take for its own reasons.
LATE = dose(short=3.0, full=0.05)


class Host:
    """A receiver that takes the time of every call."""

    def __init__(self, taken: Receiver, answer: Callable[[int, int], web.Response]) -> None:
        self.url = taken.url
        self.calls: dict[str, list[float]] = {}
        self._answer = answer
        taken.answer = self._take

    def _take(self, call: Call) -> web.Response:
        times = self.calls.setdefault(call.headers["webhook-id"], [])
        times.append(time.monotonic())
        return self._answer(len(self.calls), len(times))

    def __len__(self) -> int:
        """How often it was called."""
        return sum(map(len, self.calls.values()))

    def pauses(self) -> Iterator[float]:
        """How long each job waited before it called again."""
        for times in self.calls.values():
            yield from (later - sooner for sooner, later in pairwise(times))


def well(job: int, time: int) -> web.Response:
    """Take it; one job in ten is asked to come again."""
    if job % 10 == 0 and time == 1:
        return web.Response(status=429, headers={"Retry-After": str(RETRY_AFTER)})
    return web.Response(text="thanks")


def sick(_job: int, _time: int) -> web.Response:
    return web.Response(status=503)


@asynccontextmanager
async def hosts() -> AsyncIterator[tuple[Host, Host]]:
    """A host that is well, and one that is not."""
    async with receiver() as one, receiver("127.0.0.2") as other:
        other_url = other.url.replace("127.0.0.1", "127.0.0.2")
        first, second = Host(one, well), Host(other, sick)
        second.url = other_url
        yield first, second


@pytest.mark.timeout(240)
async def test_a_host_that_is_not_well_is_spared_and_holds_up_nobody(
    postgres_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    environ = {"WINDLASS_STORE": postgres_url, "WINDLASS_WEBHOOK_ALLOW": "127.0.0.0/8"}
    async with hosts() as (good, bad), front(postgres_url) as app:
        with node(tmp_path, **environ):
            await until(lambda: "worker started" in (tmp_path / "node.log").read_text(), at_most=30)
            await sent(app, good, 1)  # whatever is slow the first time
            calm = await sent(app, good, CALM)
            storm = await sent(app, good, SECONDS, besides=bad)
            await asyncio.sleep(RETRY_AFTER)  # whoever comes too soon has come by then

    usual, slow = quantiles(calm, n=100)[98], quantiles(storm, n=100)[98]
    pauses = list(good.pauses())
    record_property("to the sick host", SICK_RATE * SECONDS)
    record_property("it was asked", len(bad))
    record_property("delivered to others", len(storm))
    record_property("p99 until delivery in calm", f"{usual * 1000:.0f} ms")
    record_property("p99 until delivery in the storm", f"{slow * 1000:.0f} ms")
    record_property(f"asked to come again after {RETRY_AFTER} s", len(pauses))
    record_property("came again after at least", f"{min(pauses):.2f} s")
    assert slow <= SLOWER * usual + LATE
    assert 0 < len(bad) <= BUDGET * SECONDS + len(storm) / 10
    assert all(pause >= RETRY_AFTER for pause in pauses)


async def sent(app: Windlass, good: Host, seconds: int, besides: Host | None = None) -> list[float]:
    """Send for a while; how long it took each until it was delivered to the host that is well."""
    asked: dict[str, float] = {}
    for _ in range(seconds * 10):
        jobs = [app.job_of("webhook", {"url": good.url}) for _ in range(WELL_RATE // 10)]
        asked |= dict.fromkeys((job.id for job in jobs), time.monotonic())
        if besides is not None:
            bad = {"url": besides.url}
            jobs += [app.job_of("webhook", bad) for _ in range(SICK_RATE // 10)]
        await app.enqueue_many(jobs)
        await asyncio.sleep(0.1)
    await until(lambda: asked.keys() <= good.calls.keys(), at_most=30)
    return [good.calls[job][0] - at for job, at in asked.items()]
