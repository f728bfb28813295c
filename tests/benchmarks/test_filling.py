"""Lines and histories that the database makes itself."""

import pytest

from benchmarks import filling
from benchmarks.figure import Dialect
from benchmarks.sites import Sites

COUNT = "select queue, count(*) from windlass_jobs group by queue order by queue"


@pytest.mark.parametrize("many", [1_000, 10])
async def test_a_line_is_as_long_as_asked_and_has_its_indexes(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "MANY", many)
    monkeypatch.setattr(filling, "CHUNK", 40)
    said: list[str] = []

    with Sites([Dialect.SQLITE]) as sites:
        async with sites.fresh(Dialect.SQLITE) as site:
            before = site.ask_file("indexes", table="windlass_jobs")
            filling.line_up(site, 100, said.append, queues=2)
            filling.finish(site, 50, said.append)

            assert site.ask(COUNT) == [("queue-0", 50), ("queue-1", 50)]
            assert site.ask("select count(distinct id) from windlass_history") == [(50,)]
            assert sorted(site.ask_file("indexes", table="windlass_jobs")) == sorted(before)
    assert said[:3] == [f"{done} of 100 jobs waiting" for done in (0, 40, 80)]
