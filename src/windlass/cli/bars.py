"""Progress on stderr, while somebody watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from windlass.cli.words import first_line


class Show(Protocol):
    """Moves a bar."""

    def __call__(self, fraction: float | None, words: str | None = None) -> None:
        """Show how far it is, if that is known, and say what is going on."""
        ...


@contextmanager
def bar(console: Console, words: str) -> Iterator[Show]:
    """A bar that is gone when the work is done; a log file never sees one."""
    columns = (
        BarColumn(bar_width=24),
        TaskProgressColumn(show_speed=False),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(words, total=None)

        def show(fraction: float | None, words: str | None = None) -> None:
            progress.update(task, total=None if fraction is None else 1.0, completed=fraction)
            if words is not None:
                progress.update(task, description=first_line(words))

        yield show
