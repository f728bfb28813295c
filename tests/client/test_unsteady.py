"""Both clients, over a network that loses every other answer."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

import pytest

from tests.client.conftest import Connect
from tests.services.calls import Calls
from windlass.client import Backoff, NoAnswer, Patience

AGAIN = Patience(tries=4, backoff=Backoff(base=0.01))


@asynccontextmanager
async def unsteady(service: str) -> AsyncIterator[str]:
    """A way to the service on which requests arrive, and every other answer does not come back."""
    target = urlsplit(service)
    lost = itertools.cycle([True, False])

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await calls.reach(target.hostname, target.port)
        asking = asyncio.create_task(pass_on(reader, inner_writer))
        try:
            while (answer := await inner_reader.read(1 << 16)) and not next(lost):
                writer.write(answer)
        finally:
            asking.cancel()
            inner_writer.close()

    calls = Calls(carry)
    async with calls.taken() as port:
        yield f"http://127.0.0.1:{port}"


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Write what is read, until the caller hangs up."""
    with suppress(OSError):
        while said := await reader.read(1 << 16):
            writer.write(said)


async def test_a_submit_with_a_key_makes_one_job_though_its_answers_are_lost(
    connect: Connect, service: str
) -> None:
    name = f"unsteady-{connect.kind}"

    async with unsteady(service) as way:
        ask = connect(way, patience=AGAIN)
        kept = [
            await ask("submit", "stumble", {"word": "x"}, name=name, idempotency_key=f"{name}-{n}")
            for n in range(10)
        ]

    found = await connect(service).each("jobs", name=name)
    assert {job.id for job in found} == {accepted.id for accepted in kept}
    assert len(found) == 10


async def test_a_submit_without_a_key_says_that_it_may_have_been_carried_out(
    connect: Connect, service: str
) -> None:
    name = f"in-doubt-{connect.kind}"

    async with unsteady(service) as way:
        with pytest.raises(NoAnswer, match="it may have been carried out all the same") as doubt:
            await connect(way, patience=AGAIN)("submit", "stumble", {"word": "x"}, name=name)

    assert doubt.value.heard
    assert len(await connect(service).each("jobs", name=name)) == 1
