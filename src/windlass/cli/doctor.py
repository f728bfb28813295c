"""`windlass doctor`: check everything, and say what is wrong and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from windlass.cli import look
from windlass.cli.checkup.examine import examine
from windlass.cli.checkup.finding import Finding, Verdict
from windlass.cli.desk import Desk
from windlass.cli.problems import Code
from windlass.cli.words import count

SIGNS = {
    Verdict.OK: Text("✓", "green"),
    Verdict.WARNING: Text("!", "bold yellow"),
    Verdict.PROBLEM: Text("✗", "bold red"),
}
WIDEST = len("synchronous_commit")


async def doctor(desk: Desk) -> None:
    """Check everything, and say what is wrong and what to do.

    The exit code is 1 if there is a problem; a warning leaves it at 0.

    Example: windlass doctor --json
    """
    findings = [finding async for finding in _told(desk)]
    sick = any(finding.verdict is Verdict.PROBLEM for finding in findings)
    if desk.json:
        desk.answer({"healthy": not sick, "findings": findings}, "")
    else:
        desk.show(_summary(findings))
    if sick:
        raise typer.Exit(Code.REFUSED)


async def _told(desk: Desk) -> AsyncIterator[Finding]:
    """What is found, shown to a person as it comes: a server that is away takes a while."""
    async for finding in examine(desk):
        if not desk.json:
            desk.show(_shown(finding))
        yield finding


def _summary(findings: Sequence[Finding]) -> Text:
    """The last line, which is read first."""
    counts = Counter(finding.verdict for finding in findings)
    worse = [one for one in (Verdict.PROBLEM, Verdict.WARNING) if counts[one]]
    told = " and ".join(count(counts[one], str(one)) for one in worse)
    return Text(f"\n{told or 'nothing is wrong'}", "bold")


def _shown(finding: Finding) -> RenderableType:
    words = look.text(finding.said)
    if finding.advice:
        words.append(f"\n→ {finding.advice}", style="bold")
    row = Table.grid(padding=(0, 2, 0, 0))
    row.add_column()
    row.add_column(width=WIDEST)
    row.add_column(overflow="fold")
    row.add_row(SIGNS[finding.verdict], finding.check, words)
    return row
