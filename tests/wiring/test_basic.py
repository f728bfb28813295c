"""The app that every worker has who is given no other."""

import asyncio

import pytest

from windlass import State, Windlass
from windlass.core.errors import UnknownType
from windlass.wiring.loading import load_app


async def finished(app: Windlass, type_: str, payload: object) -> object:
    """The result of one job."""
    enqueued = await app.enqueue(app.job_of(type_, payload))
    job = await app.wait(enqueued.id)
    assert job.state is State.COMPLETED, job
    return job.result


def test_the_built_in_app_is_found_by_its_name() -> None:
    app = load_app("windlass.wiring.basic:app")

    assert {"add_numbers", "reverse_string", "large_array_sum"} <= set(app.registry.types())


async def test_built_in_types_do_their_work(store_url: str) -> None:
    async with Windlass(store_url, builtins=True) as app, app.worker():
        results = await asyncio.gather(
            finished(app, "add_numbers", {"x": 2, "y": 40}),
            finished(app, "reverse_string", {"text": "windlass"}),
            finished(app, "large_array_sum", {"numbers": list(range(1000))}),
        )

    assert list(results) == [{"sum": 42}, {"reversed": "ssaldniw"}, {"sum": 499500}]


async def test_a_type_of_the_users_own_wins_over_a_built_in_one(sqlite_url: str) -> None:
    app = Windlass(sqlite_url, builtins=True)

    @app.job
    async def add_numbers(x: int) -> int:
        return x + 1

    async with app, app.worker():
        result = await finished(app, "add_numbers", {"x": 1})

    assert result == 2


def test_who_does_not_ask_for_built_in_types_has_none() -> None:
    with pytest.raises(UnknownType):
        Windlass("sqlite://:memory:").job_of("add_numbers", {"x": 1, "y": 2})
