"""Seeds that are kept for ever: those that once failed, and those that catch a mutant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).parent
SEEDS = HERE / "seeds.txt"
CAUGHT = HERE / "caught.txt"
REACHED = HERE / "reached.txt"


def failed_once() -> list[int]:
    """Seeds in whose worlds something did not hold, once."""
    lines = SEEDS.read_text("utf-8").splitlines()
    return [int(line.split()[0]) for line in lines if line and not line.startswith("#")]


def keep(seed: int, violation: str) -> None:
    """Keep a seed that failed."""
    if seed not in failed_once():
        with SEEDS.open("a", encoding="utf-8") as file:
            file.write(f"{seed} {violation[:80]}\n")


def catching() -> Mapping[str, Sequence[int]]:
    """For each mutant the seeds that are known to catch it, the quickest first."""
    return _read(CAUGHT)


def reaching() -> Mapping[str, Sequence[int]]:
    """For each rare case some seeds whose worlds are known to come to it."""
    return _read(REACHED)


def note_caught(known: Mapping[str, Sequence[int]]) -> None:
    """Write down which seeds catch which mutant."""
    _write(CAUGHT, "# Mutants, and seeds that catch them; made by `script/soak --mutants`.", known)


def note_reached(known: Mapping[str, Sequence[int]]) -> None:
    """Write down which seeds come to which case."""
    _write(
        REACHED, "# Rare cases, and seeds that come to them; made by `script/soak --rare`.", known
    )


def _read(file: Path) -> Mapping[str, Sequence[int]]:
    known = {}
    for line in file.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, seeds = line.rpartition(":")
            known[name] = [int(seed) for seed in seeds.split()]
    return known


def _write(file: Path, head: str, known: Mapping[str, Sequence[int]]) -> None:
    lines = [f"{name}: {' '.join(map(str, seeds))}" for name, seeds in known.items()]
    file.write_text("\n".join([head, *lines, ""]), "utf-8")
