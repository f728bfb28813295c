"""A site for each test, with a store of its own, and with Redis as the run wants it.

`ACCEPTANCE_REDIS=on script/test tests/acceptance` runs everything with Redis, `=harmed` with one
that is killed, frozen, emptied and starved all the time. Nothing else changes, the answers least.
"""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.acceptance.fleet import Site, open_site
from tests.acceptance.mischief import HARMS, harmed
from tests.services.redis import RedisServer

MODES = ("off", "on", "harmed")


@pytest.fixture
def redis_mode() -> str:
    """Whether there is Redis, and how it fares."""
    mode = os.environ.get("ACCEPTANCE_REDIS", "off")
    assert mode in MODES, f"ACCEPTANCE_REDIS is one of {', '.join(MODES)}, not {mode!r}"
    return mode


@pytest.fixture(autouse=True)
def redis_as_wanted(
    redis_mode: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Every app and every node of the test finds Redis, or none, in its environment."""
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.delenv("WINDLASS_REDIS", raising=False)
    if redis_mode == "off":
        yield
    elif redis_mode == "on":
        monkeypatch.setenv("WINDLASS_REDIS", request.getfixturevalue("redis_url"))
        yield
    else:
        with RedisServer() as server, harmed(server, *HARMS):
            monkeypatch.setenv("WINDLASS_REDIS", server.url)
            yield


@pytest.fixture
async def site(tmp_path: Path, store_url: str, redis_as_wanted: None) -> AsyncIterator[Site]:
    """A site on each store in turn."""
    async with open_site(tmp_path, store_url) as site:
        yield site
