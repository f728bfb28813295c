"""The page of the command line: every command with its arguments, options and examples."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from tests.docs.reference.table import table
from windlass.cli.root import COMMANDS, load

INTRO = Path(__file__).with_suffix(".md").read_text("utf-8") + "\n"
COMMON = {"store", "json", "help"}


def page() -> str:
    """All of it."""
    return INTRO + "\n".join(
        f"## {panel}\n\n" + "\n".join(_command(place.partition(".")[2]) for place in commands)
        for panel, commands in COMMANDS.items()
    )


def _command(name: str) -> str:
    command = load(name)
    about, examples = _told(command.help or "")
    shown = "\n".join(f"windlass {line}" for line in examples)
    parts = [
        f"### windlass {name}\n",
        f"{about}\n",
        f"```sh\n{shown}\n```\n" if shown else "",
        table(("argument", ""), _rows(command, "argument")),
        table(("option", ""), _rows(command, "option")),
    ]
    return "\n".join(part for part in parts if part)


def _told(help_: str) -> tuple[str, list[str]]:
    """What a command says of itself, and its examples."""
    paragraphs = [re.sub(r"\s*\n\s*", " ", one.strip()) for one in help_.split("\n\n")]
    examples = [one for one in paragraphs if one.startswith("Example: ")]
    about = "\n\n".join(one for one in paragraphs if one and one not in examples)
    return about, [one.removeprefix("Example: windlass ") for one in examples]


def _rows(command: Any, kind: str) -> Iterator[tuple[str, str]]:
    """What the command's own help says of each argument or option."""
    context = typer.Context(command)
    for one in command.params:
        if one.param_type_name == kind and one.name not in COMMON:
            name, told = one.get_help_record(context)
            choice = _choice(one, context) if kind == "argument" else ""
            yield f"`{_value(name)}{choice}`", re.sub(r"\s*\[required\]", "", told)


def _choice(argument: Any, context: typer.Context) -> str:
    choice = argument.type.get_metavar(argument, context)
    return f" {choice}" if choice else ""


def _value(name: str) -> str:
    """A type as a word that stands for a value."""
    return re.sub(r"<(int|float).*>", "N", name).replace(" <str>", "").replace(" <list[str]>", "")
