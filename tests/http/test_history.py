"""How things went, over HTTP."""

import aiohttp
import pytest

from tests.http.asking import ask
from windlass import Windlass
from windlass.core.trend import WINDOWS
from windlass.store import sql_totals, sql_trends


async def test_history_has_equal_lists_and_is_empty_before_anybody_counted(
    client: aiohttp.ClientSession,
) -> None:
    for name, window in WINDOWS.items():
        status, _, told = await ask(client, "GET", f"/history?window={name}")

        assert (status, told["window"], told["step"]) == (200, name, window.step)
        lists = [*(one for one in told.values() if isinstance(one, list))]
        lists += [*told["wait"].values(), *told["run"].values()]
        assert len(lists) == 14
        assert {len(one) for one in lists} == {window.length // window.step}
        assert {value for one in lists for value in one} == {None}


async def test_history_tells_what_was_enqueued(
    app: Windlass, client: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_trends, "EVERY_US", 0)
    monkeypatch.setattr(sql_totals, "SECOND_US", 0)  # between two counts of what is live
    store = (await app.home()).store
    await store.beat()
    await ask(client, "POST", "/jobs", {"type": "add_numbers", "payload": {"x": 1, "y": 2}})

    await store.beat()
    _, _, told = await ask(client, "GET", "/history?window=5m")

    assert sum(filter(None, told["enqueued"])) == pytest.approx(1, abs=0.01)


async def test_a_window_that_there_is_not_is_refused(client: aiohttp.ClientSession) -> None:
    status, _, problem = await ask(client, "GET", "/history?window=2h")

    assert status == 400
    assert "2h" in problem["detail"]
