"""`python -m benchmarks.plots FIGURES.json … [--to FOLDER]`: a picture for each measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.kept import read
from benchmarks.plots.draw import IMAGES, draw

command = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@command.command()
def plots(
    files: Annotated[list[Path], typer.Argument(help="what `script/bench --json` kept")],
    *,
    to: Annotated[Path, typer.Option(help="the folder to put pictures in")] = IMAGES,
) -> None:
    """Draw what was measured; where two files have the same figure, the later counts."""
    for path, _ in draw(read(files), to):
        print(path)


if __name__ == "__main__":
    command()
