"""The comparison as tables and as JSON."""

import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.peers import report
from benchmarks.peers.comparison import planned
from benchmarks.peers.measure import Sample
from tests.benchmarks.sides import OURS, PEER, outcome


def drawn(table: Table) -> str:
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def test_a_cell_has_the_median_the_spread_and_a_mark_for_its_note() -> None:
    run = outcome(OURS, PEER, drain={"windlass_sqlite": 100, "peer": 50}, bulk={"peer": 7})
    run.add(OURS, Sample("drain", 110))
    run.add(OURS, Sample("drain", 104, "2 of 9 jobs ran more than once"))
    run.add(PEER, Sample("bulk", 7, "†"))

    [table] = report.tables(run)

    assert "104* ±6%" in drawn(table)
    assert "7.00† ±0%" in drawn(table)
    assert list(report.notes(run)) == [
        "drain: 2 of 9 jobs ran more than once (Windlass (SQLite))",
        "† no bulk call: 100 awaits at once",
    ]


def test_what_is_said_of_several_is_said_once() -> None:
    why = "a worker ended with 1: no such queue"
    same = {"windlass_sqlite": why, "peer": why}
    run = outcome(OURS, PEER, drain=same, startup=same)
    run.broken["other"] = "could not be installed: no such package"

    assert list(report.notes(run)) == [
        "other could not be installed: no such package",
        f"drain: {why} (Windlass (SQLite), Peer)",
    ]


def test_the_file_keeps_every_sample_and_every_verdict(tmp_path: Path) -> None:
    run = outcome(OURS, PEER, drain={"windlass_sqlite": 16, "peer": 10})
    plan = planned(quick=True)

    report.write(tmp_path / "x.json", {"machine": "ours"}, plan, run)

    kept = json.loads((tmp_path / "x.json").read_text())
    assert kept["scale"] == "quick"
    assert {"side", "name", "ours", "store", "durable", "setup", "versions", "broken"} == set(
        kept["sides"][0]
    )
    assert kept["figures"][1] == {
        "side": "peer",
        "measure": "drain",
        "figure": "drain",
        "unit": "jobs/s",
        "better": "more",
        "median": 10,
        "samples": [10],
        "rounds": [0],
        "note": "",
    }
    assert kept["verdicts"][0]["verdict"] == "reached"
