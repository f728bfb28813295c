# ruff: noqa: T201 — it is read as it goes
"""Many worlds on all cores, for hours if need be: `script/soak --seeds 200000 --from 0`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import NamedTuple

from tests.simulation import kept
from tests.simulation.cases import RARE
from tests.simulation.mutants import MUTANTS, SHIPPED, Mutant
from tests.simulation.shrink import shrink
from tests.simulation.trial import trial

CHUNK = 50
WITHIN = 1_500
KEPT_PER_MUTANT = 2
KEPT_PER_CASE = 2
SATED = range(KEPT_PER_CASE)


class Part(NamedTuple):
    """What came of some seeds."""

    seeds: int
    virtual: float
    reached: Mapping[str, int]
    failed: list[tuple[int, str, str]]  # with what did not hold, and the story


def part(first: int, count: int) -> Part:
    """Try some seeds."""
    virtual, reached, failed = 0.0, Counter[str](), []
    for seed in range(first, first + count):
        verdict = trial(seed)
        virtual += verdict.virtual
        reached.update(dict.fromkeys(verdict.reached, 1))
        if verdict.violation:
            failed.append((seed, verdict.violation, shrink(verdict).told()))
    return Part(count, virtual, reached, failed)


def catches(name: str) -> tuple[str, list[int]]:
    """The first seeds that catch a mutant."""
    [mutant] = [one for one in MUTANTS if one.name == name]
    return name, list(_catching(mutant))


def _catching(mutant: Mutant) -> Iterator[int]:
    found = 0
    for seed in range(WITHIN):
        if trial(seed, mutant=mutant).violation and not trial(seed, mutant=SHIPPED).violation:
            yield seed
            found += 1
            if found == KEPT_PER_MUTANT:
                return


def soak(first: int, count: int, processes: int) -> int:
    """Try many seeds, and tell how it goes; answer with how many failed."""
    began = time.monotonic()
    seeds, virtual, reached, failures = 0, 0.0, Counter[str](), 0
    with ProcessPoolExecutor(processes) as pool:
        starts = range(first, first + count, CHUNK)
        parts = [pool.submit(part, start, min(CHUNK, first + count - start)) for start in starts]
        for done in as_completed(parts):
            result = done.result()
            seeds, virtual = seeds + result.seeds, virtual + result.virtual
            reached.update(result.reached)
            for seed, violation, story in result.failed:
                failures += 1
                kept.keep(seed, violation)
                print(f"\n{story}\n")
            took = time.monotonic() - began
            print(
                f"\r{seeds:,} of {count:,} worlds, {seeds / took:.1f}/s,"
                f" {virtual / took:.0f} times as fast as the clock, {failures} failed",
                end="",
                flush=True,
            )
    print()
    for what, worlds in sorted(reached.items()):
        print(f"{worlds:8,}  {what}")
    return failures


def search(processes: int) -> int:
    """Find seeds that catch each mutant; answer with how many none catches."""
    known = dict.fromkeys((one.name for one in MUTANTS), [0][:0])
    with ProcessPoolExecutor(processes) as pool:
        for done in as_completed([pool.submit(catches, one.name) for one in MUTANTS]):
            name, seeds = done.result()
            known[name] = seeds
            print(f"{name}: {' '.join(map(str, seeds)) or f'survives {WITHIN} seeds'}", flush=True)
    kept.note_caught({name: seeds for name, seeds in known.items() if seeds})
    return sum(not seeds for seeds in known.values())


def look() -> int:
    """Find seeds whose worlds come to each rare case; answer with how many none comes to."""
    known: dict[str, list[int]] = {case: [] for case in RARE}
    for seed in range(WITHIN):
        for case in trial(seed).reached:
            if len(known.get(case, SATED)) < KEPT_PER_CASE:
                known[case].append(seed)
        if all(len(seeds) == KEPT_PER_CASE for seeds in known.values()):
            break
    kept.note_reached(known)
    return sum(not seeds for seeds in known.values())


def main() -> None:
    """Soak, or search for what catches the mutants, or for what comes to rare cases."""
    options = argparse.ArgumentParser(prog="script/soak", description=__doc__)
    options.add_argument("--seeds", type=int, default=200_000, help="how many worlds")
    options.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    options.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options.add_argument("--mutants", action="store_true", help="find seeds that catch each mutant")
    options.add_argument("--rare", action="store_true", help="find seeds that come to rare cases")
    said = options.parse_args()
    if said.rare:
        sys.exit(1 if look() else 0)
    if said.mutants:
        sys.exit(1 if search(said.processes) else 0)
    sys.exit(1 if soak(said.first, said.seeds, said.processes) else 0)


if __name__ == "__main__":
    main()
