"""The options that every command has, before its name or after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

if TYPE_CHECKING:
    from windlass.worker.muster import Muster

StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="Where the jobs are: postgresql://… or sqlite:///file. If not given: WINDLASS_STORE,"
        " DATABASE_URL, else a file in ./.windlass/",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]


class Common(NamedTuple):
    """The options as they stood before the command's name, and who was called up before them."""

    store: str | None
    json: bool
    muster: Muster | None = None
