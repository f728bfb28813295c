"""Sides that are compared in earnest, in little."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import typer
from msgspec.structs import replace
from rich.console import Console

from benchmarks.peers import environment
from benchmarks.peers.comparison import Comparison, Plan, planned
from benchmarks.peers.header import Header
from benchmarks.peers.measure import Scale
from benchmarks.peers.measures import MEASURES
from benchmarks.peers.outcome import Outcome
from tests.benchmarks.sides import OURS, PEER
from tests.services import PostgresServer

LITTLE = Scale(
    name="quick", rounds=1, finals=0, share=0.001, sending=0.1, picks=5, stumbles=3, idle=0.1
)
# As ours, but nobody does its work.
LAME = replace(OURS, side="windlass_sqlite", name="Lame", worker=("{bin}/python", "-c", "1 / 0"))


def compared(measures: list[str], *headers: Header) -> Outcome:
    plan = Plan(
        headers=headers,
        measures=[MEASURES[name] for name in measures],
        scale=LITTLE,
        rounds=1,
    )
    return asyncio.run(Comparison(plan, PostgresServer(), Console(quiet=True)).run())


@pytest.mark.timeout(180)
def test_a_side_is_measured_in_programs_of_its_own() -> None:
    outcome = compared(["drain", "retries", "pickup"], OURS)

    medians = {cell.figure.name: cell.median for cell in outcome.cells()}
    assert list(medians) == [
        *("drain", "drain_cpu", "startup", "memory_rss", "memory_pss"),
        *("retries", "retries_late_p50", "retries_late_p99", "pickup_p50", "pickup_p99"),
    ]
    del medians["drain_cpu"]  # so few jobs may be over before anybody looks
    assert all(median is not None and median > -1 for median in medians.values())
    assert [cell.note for cell in outcome.cells() if cell.note] == []


@pytest.mark.timeout(120)
def test_a_side_that_breaks_says_why_and_the_others_go_on() -> None:
    lame = compared(["drain", "enqueue"], LAME)

    drain = lame.cell("windlass_sqlite", "drain")
    enqueue = lame.cell("windlass_sqlite", "enqueue")
    assert drain is not None
    assert drain.note == "a worker ended with 1: ZeroDivisionError: division by zero"
    assert enqueue is not None
    assert enqueue.median is not None


def test_a_side_that_cannot_be_installed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "PEERS", tmp_path)
    monkeypatch.setattr(environment, "UV", Path("/bin/false"))

    outcome = compared(["drain"], PEER)

    assert outcome.broken == {"peer": "could not be installed: it did not say why"}
    assert list(outcome.cells()) == []


def test_rounds_go_measure_by_measure_and_side_by_side() -> None:
    plan = planned(only="celery", take="enqueue,idle", rounds=2)

    first, second = (
        [(measure.name, headers[0].side) for measure, headers in plan.turns(number)]
        for number in range(2)
    )

    sides = [header.side for header in plan.headers]
    assert "celery" in sides
    assert first == [*[("enqueue", side) for side in sides], *[("idle", side) for side in sides]]
    assert second == [("enqueue", side) for side in sides]  # idle is measured once


def test_ours_take_part_unless_one_of_them_is_named() -> None:
    with_ours = planned(only="celery, rq")
    alone = planned(only="windlass_sqlite", skip="kill")

    assert len(with_ours.headers) == 5
    assert [header.side for header in alone.headers] == ["windlass_sqlite"]
    assert "kill" not in [measure.name for measure in alone.measures]


@pytest.mark.parametrize(
    "plan",
    [
        partial(planned, only="celary"),
        partial(planned, take="speed"),
        partial(planned, skip="speed"),
    ],
)
def test_a_name_that_nobody_has_is_refused_with_those_there_are(plan: Callable[[], Plan]) -> None:
    with pytest.raises(typer.BadParameter, match=r"is not a .*: .*(celery|drain)"):
        plan()
