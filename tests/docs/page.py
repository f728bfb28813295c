"""A page of the documentation as a row of code blocks, each with what is to be done with it."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"(?:^<!-- not run: (?P<excuse>.+?) -->\n)?^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
NAMED = re.compile(r"(?:#|//|<!--) (?P<name>[\w./-]+\.\w+)(?: -->)?\n")
# Languages of blocks that are done with, in order; all others are for people to read.
TOLD = frozenset({"console", "json", "python", "toml", "yaml"})
# Programs that change the machine, or that may not be here; other tests look after what they do.
ELSEWHERE = (
    "docker",
    "git",
    "helm",
    "kubectl",
    "pip",
    "python3 -m venv",
    "script/",
    "sudo",
    "systemctl",
)


@dataclass(frozen=True, slots=True)
class Block:
    """One block of code on a page."""

    language: str
    text: str
    line: int
    excuse: str | None

    @property
    def file(self) -> str | None:
        """The name under which its first line says that it is kept."""
        found = NAMED.match(self.text)
        return found["name"] if found else None


@dataclass(frozen=True, slots=True)
class Command:
    """A line that is typed, and what is answered."""

    line: str
    answer: list[str]

    @property
    def stays(self) -> bool:
        """Whether it goes on beside the others."""
        return self.line.rstrip().endswith("&")

    @property
    def fails(self) -> bool:
        """Whether it is shown how it fails."""
        return bool(self.answer) and self.answer[0].startswith("error: ")

    @property
    def elsewhere(self) -> bool:
        """Whether it is not for a page to run."""
        return self.line.startswith(ELSEWHERE)


def pages() -> list[Path]:
    """Every page, by its name."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """The blocks of a page, in their order."""
    return [
        Block(
            found["language"],
            found["text"],
            text.count("\n", 0, found.start()) + 1,
            found["excuse"],
        )
        for found in FENCE.finditer(text)
    ]


def commands(session: str) -> Iterator[Command]:
    """What is typed in a console, each with its answer."""
    lines = session.splitlines()
    while lines:
        line = lines.pop(0).removeprefix("$ ")
        while lines and not _whole(line):
            line += "\n" + lines.pop(0)
        answer = []
        while lines and not lines[0].startswith("$ "):
            answer.append(lines.pop(0))
        yield Command(line, answer)


def _whole(line: str) -> bool:
    if line.endswith("\\"):
        return False
    try:
        shlex.split(line, comments=True)
    except ValueError:
        return False
    return True
