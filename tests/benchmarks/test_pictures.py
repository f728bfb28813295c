"""Kept figures become pictures and a page."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from benchmarks import docs
from benchmarks.kept import Comparison, read
from benchmarks.peers import report
from benchmarks.peers.comparison import planned
from benchmarks.plots.draw import draw
from benchmarks.plots.ink import INKS
from benchmarks.plots.kill import Left
from tests.benchmarks.sides import OURS, PEER, outcome


def compared(path: Path, **figures: dict[str, Any]) -> Path:
    """The file of a run that came to this."""
    run = outcome(OURS, PEER, **figures)
    plan = replace(planned(quick=True), headers=[OURS, PEER])
    report.write(path, {"machine": "ours"}, plan, run)
    return path


def alone(path: Path, names: Sequence[str]) -> Path:
    """The file of a run of our own, with these figures."""
    texts = dict.fromkeys(("shown", "spread", "asked", "ratio", "share", "verdict"), "")
    figure = {"store": "SQLite", "unit": "jobs/s", "median": 5.0, "samples": [4, 5, 6], **texts}
    figures = [{"name": name, **figure} for name in names]
    path.write_text(json.dumps({"machine": {}, "figures": figures}))
    return path


def comparison(*files: Path) -> Comparison:
    found = read(files).comparison
    assert found is not None
    return found


def test_of_two_runs_the_later_counts_figure_by_figure(tmp_path: Path) -> None:
    first = compared(tmp_path / "1.json", drain={"peer": 5}, bulk={"peer": 7})
    second = compared(tmp_path / "2.json", drain={"peer": 6})

    kept = comparison(first, second)

    assert kept.cells("drain")["peer"].median == 6
    assert kept.cells("bulk")["peer"].median == 7


def test_the_best_side_is_first_whether_more_or_less_is_better(tmp_path: Path) -> None:
    kept = comparison(
        compared(
            tmp_path / "1.json",
            drain={"peer": 5, "windlass_sqlite": 9},
            startup={"peer": 1, "windlass_sqlite": 2},
            bulk={"peer": "no bulk call", "windlass_sqlite": 3},
        )
    )

    leaders = {name: kept.best_first(name)[0][0].side for name in ("drain", "startup", "bulk")}

    assert leaders == {"drain": "windlass_sqlite", "startup": "peer", "bulk": "windlass_sqlite"}


def test_a_picture_is_drawn_for_what_was_measured_and_suits_both_themes(tmp_path: Path) -> None:
    both = {"peer": 5, "windlass_sqlite": 9}
    kept = read(
        [
            compared(
                tmp_path / "1.json",
                drain=both,
                bulk={"peer": "no bulk call", "windlass_sqlite": 3},
                pickup_p50=both,
                pickup_p99=both,
                kill_not_done={"peer": 3, "windlass_sqlite": 0},
                kill_twice=dict.fromkeys(both, 0),
            ),
            alone(tmp_path / "2.json", ["queues, 1", "queues, 10", "queues, 1, CPU"]),
        ]
    )

    drawn = [path for path, _ in draw(kept, tmp_path)]

    assert sorted(path.stem for path in drawn) == [
        "bench-bulk",
        "bench-drain",
        "bench-kill",
        "bench-pickup",
        "bench-queues",
        "bench-story",
    ]
    for path in drawn:
        text = path.read_text()
        ET.fromstring(text)  # noqa: S314 — our own
        assert "prefers-color-scheme: dark" in text
        assert "Windlass" in text or "SQLite" in text
        assert not [ink for ink in INKS if f": {ink.light}" in text]


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (Left(2, 130, 0, None), "130; 2 were running"),
        (Left(200, 0, 0, 4.4), "0; all 200 that were running done in 4 s"),
        (Left(9, 0, 3, 20), "0, 3 twice; all 9 that were running done in 20 s"),
    ],
)
def test_what_a_kill_left_is_told_in_words(left: Left, words: str) -> None:
    assert left.full == words


def test_the_page_gets_tables_and_pictures_between_its_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.md"
    marks_of_page = ("comparison", "setups", "bench-story.svg")
    page.write_text(
        "".join(f"<!-- {name} -->\nwhat was there\n<!-- /{name} -->\n" for name in marks_of_page)
    )
    monkeypatch.setattr(docs, "PAGE", page)
    monkeypatch.setattr(docs, "IMAGES", tmp_path)
    file = compared(
        tmp_path / "1.json",
        drain={"peer": 5, "windlass_sqlite": 9},
        bulk={"peer": "no bulk call", "windlass_sqlite": 3},
    )

    docs.main([str(file)])

    text = page.read_text()
    assert "what was there" not in text
    assert "| **Windlass (SQLite)** | **3.00** | **9.00** |" in text
    assert "| Peer | - | 5.00 |" in text
    assert "- bulk: no bulk call (Peer)" in text
    assert "](images/bench-story.svg)" in text
