"""How much of a fault a run gives: a little in every run, all of it when somebody asks.

`script/test` gives the short dose, `script/faults` the full one, by FAULTS_DOSE=full.
"""

import os
from typing import TypeVar

T = TypeVar("T")

DOSES = ("short", "full")


def dose(*, short: T, full: T) -> T:
    """One of the two, as the run wants it."""
    return full if chosen() == "full" else short


def chosen() -> str:
    """The dose of this run."""
    wanted = os.environ.get("FAULTS_DOSE", "short")
    assert wanted in DOSES, f"FAULTS_DOSE is one of {', '.join(DOSES)}, not {wanted!r}"
    return wanted
