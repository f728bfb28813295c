"""Where a command sits: an app over the store, and two sheets to write on."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from windlass.cli import wire

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from windlass.config import Settings
    from windlass.wiring import Windlass
    from windlass.worker.muster import Muster

# A program reads whole lines, however long; a table must not be cut to 80 columns for it.
NO_END = 10_000


class Desk:
    """What a command works with. Answers go to stdout, everything said to people to stderr."""

    def __init__(self, store: str | None, *, json: bool, muster: Muster | None = None) -> None:
        """Open nothing yet."""
        self.store = store
        self.json = json
        self.muster = muster  # where the first worker process was called up early
        self._app: Windlass | None = None

    @cached_property
    def out(self) -> Console:
        """The sheet for answers."""
        return _console(stderr=False)

    @cached_property
    def err(self) -> Console:
        """The sheet for everything said to people."""
        return _console(stderr=True)

    @cached_property
    def settings(self) -> Settings:
        """What was set on the command line, in the environment and in files."""
        from windlass.config import load  # noqa: PLC0415 - slow, and --help needs none

        return load(os.environ, Path.cwd(), {"store": self.store})

    @property
    def app(self) -> Windlass:
        """The app over the store; it knows no job types unless it was loaded."""
        if self._app is None:
            from windlass.wiring import Windlass  # noqa: PLC0415 - as above

            self._app = Windlass(settings=self.settings)
        return self._app

    def load_app(self, name: str) -> Windlass:
        """Work with the app that `module:variable` names."""
        from windlass.wiring.loading import load_app  # noqa: PLC0415 - as above

        self._app = app = load_app(name)
        if self.store not in (None, app.settings.store):
            self.say(f"{name} names a store of its own; --store does not change that", "yellow")
        return app

    @cached_property
    def now(self) -> datetime:
        """When the command was given, for everything that is `ago`."""
        from windlass.clock import SystemClock  # noqa: PLC0415 - as above

        return datetime.fromtimestamp(SystemClock().now_us() / 1e6, UTC)

    @property
    def width(self) -> int:
        """How many columns of text there are for an answer."""
        return self.out.width

    def answer(self, data: object, shown: RenderableType) -> None:
        """Write the answer: data for a program, or what is shown to a person."""
        if self.json:
            typer.echo(wire.text(data))
        else:
            self.show(shown)

    def show(self, shown: RenderableType) -> None:
        """Write a piece of an answer that comes in pieces, to a person."""
        if self.out.is_terminal:
            self.out.print(shown)
        else:
            typer.echo(_trimmed(self.out, shown))

    def say(self, sentence: str, style: str = "dim") -> None:
        """Tell a person something that is not the answer."""
        from windlass.cli.look import text  # noqa: PLC0415 - as above

        self.err.print(text(sentence, style), soft_wrap=True)

    def suggest(self, step: str) -> None:
        """Tell a person what to do next; a program knows."""
        if not self.json:
            self.say(step)

    async def close(self) -> None:
        """Let go of the store."""
        if self._app is not None:
            await self._app.close()


def _console(*, stderr: bool) -> Console:
    from rich.console import Console  # noqa: PLC0415 - slow, and a worker writes nothing here

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else NO_END
    return Console(stderr=stderr, width=width, markup=False, highlight=False, emoji=False)


def _trimmed(console: Console, shown: RenderableType) -> str:
    """What is shown, without the blanks that fill up each line."""
    with console.capture() as captured:
        console.print(shown)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
