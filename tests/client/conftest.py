"""One service for all tests of this folder, and either client to ask it with."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.client.upped import Upped
from windlass.client import AsyncClient, Client, Job


class Asker:
    """A client whose verbs are all awaited, whichever it is."""

    def __init__(self, client: Client | AsyncClient) -> None:
        self.client = client

    async def __call__(self, verb: str, *args: Any, **kwargs: Any) -> Any:
        """What the verb comes to."""
        method = getattr(self.client, verb)
        if isinstance(self.client, AsyncClient):
            return await method(*args, **kwargs)
        return await asyncio.to_thread(method, *args, **kwargs)

    async def each(self, verb: str, *args: Any, **kwargs: Any) -> list[Job]:
        """All that the verb gives, one after the other."""
        told: list[Job] = []
        await self.listen(told, verb, *args, **kwargs)
        return told

    async def listen(self, told: list[Job], verb: str, *args: Any, **kwargs: Any) -> None:
        """The same, as it comes."""
        coming = getattr(self.client, verb)(*args, **kwargs)
        if isinstance(self.client, Client):
            await asyncio.to_thread(told.extend, coming)
        else:
            async for job in coming:
                told += [job]

    async def close(self) -> None:
        """Close the client."""
        await self("close")


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a service with workers is."""
    upped = Upped(tmp_path_factory.mktemp("service"))
    upped.start()
    yield upped.url
    upped.kill()


class Connect:
    """Makes clients of one kind."""

    def __init__(self, kind: type[Client | AsyncClient]) -> None:
        self.kind = kind.__name__
        self.made: list[Asker] = []
        self._make = kind

    def __call__(self, *args: Any, **kwargs: Any) -> Asker:
        """A client with these arguments."""
        self.made.append(Asker(self._make(*args, **kwargs)))
        return self.made[-1]


@pytest.fixture(params=[Client, AsyncClient])
async def connect(request: pytest.FixtureRequest) -> AsyncIterator[Connect]:
    """Makes clients of either kind; a test that asks for this runs with both."""
    connect = Connect(request.param)
    yield connect
    for each in connect.made:
        await each.close()


@pytest.fixture
def ask(connect: Connect, service: str) -> Asker:
    """A client of the service."""
    return connect(service)
