"""Gives the full doses, a few lines of the matrix at once: `script/faults`.

    script/faults                  every line, two at a time: most of them wait most of the time;
                                   in the end those alone whose marks are milliseconds
    script/faults F01 F07          some of them
    script/faults --at-once 1      one after the other, for the best times
    script/faults --dose short     a little of each

What the full doses measured is kept in docs/faults.json; some lines replace those alone.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from tests.faults import report
from tests.faults.dose import DOSES
from tests.faults.line import Line
from tests.faults.matrix import LINES
from tests.faults.report import RESULTS

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run the lines that were asked for; answer with 1 if any of them did not hold."""
    wanted = _arguments()
    found: dict[str, Any] = {}
    chosen = [*_chosen(wanted.lines)]
    together = [line for line in chosen if not line.alone]
    alone = [line for line in chosen if line.alone]
    found |= _given(together, wanted.dose, at_once=wanted.at_once)
    found |= _given(alone, wanted.dose, at_once=1)
    _say("")
    for number, result in sorted(found.items()):
        _say(f"{number}  {_verdict(result)}")
    return 0 if all(result["passed"] for result in found.values()) else 1


def _given(lines: list[Line], dose: str, *, at_once: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give each line its dose, some side by side; keep and answer with what came out."""
    with ThreadPoolExecutor(at_once) as pool:
        running = {pool.submit(shown, line, dose): line.number for line in lines}
        for over in as_completed(running):
            number, result = running[over], over.result()
            _say(f"{number}  {_verdict(result)}")
            if dose == "full":
                _keep({number: result})
                report.main()
            yield number, result


def shown(line: Line, dose: str) -> dict[str, Any]:
    """Run the tests of a line, and tell what they measured."""
    _say(f"{line.number}  begins: {line.fault}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        code = _pytest(line, dose, report)
        tests = dict(_measured(report)) if report.exists() else {}
    return {
        "dose": dose,
        "passed": code == 0,
        "seconds": round(time.monotonic() - began, 1),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        # How many processes wanted a core meanwhile: above their number, times tell of the machine.
        "load": round(os.getloadavg()[1], 1),
        "command": f"script/faults {line.number}",
        "tests": tests,
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/faults", description="Run the fault matrix.")
    known = [line.number for line in LINES]
    parser.add_argument("lines", nargs="*", metavar="F01", help="lines of the matrix; else all")
    parser.add_argument("--dose", choices=DOSES, default="full")
    parser.add_argument("--at-once", type=int, default=2, metavar="N", help="lines side by side")
    arguments = parser.parse_args()
    if unknown := set(arguments.lines).difference(known):
        parser.error(f"no line is called {', '.join(sorted(unknown))}; they are F01 to F36")
    return arguments


def _chosen(numbers: list[str]) -> Iterator[Line]:
    for line in LINES:
        if line.tests and (not numbers or line.number in numbers):
            yield line


def _pytest(line: Line, dose: str, report: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", *line.tests]
    options = [f"--junitxml={report}", "-o", "junit_family=xunit1"]
    done = subprocess.run(
        [*command, *options],
        cwd=ROOT,
        env={**os.environ, "FAULTS_DOSE": dose},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        _say(done.stdout)
    return done.returncode


def _measured(report: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 — pytest wrote it
        figures = {one.get("name"): one.get("value") for one in case.iter("property")}
        passed = case.find("failure") is None and case.find("error") is None
        seconds = round(float(case.get("time", "0")), 1)
        name = str(case.get("name"))
        yield name, {"passed": passed, "seconds": seconds, "figures": figures}


def _verdict(result: Mapping[str, Any]) -> str:
    figures = [
        f"{name} {value}"
        for test in result["tests"].values()
        for name, value in test["figures"].items()
    ]
    holds = "holds" if result["passed"] else "FAILS"
    return f"{holds} in {result['seconds']:.0f} s: {', '.join(figures)}"


def _keep(found: Mapping[str, Any]) -> None:
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps(dict(sorted({**kept, **found}.items())), indent=2) + "\n")


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 — it is a program


if __name__ == "__main__":
    sys.exit(main())
