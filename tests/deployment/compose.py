"""compose.yaml as Docker reads it: merged, and with its variables filled in."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
# $$ is a dollar; ${NAME:-default} is what is set, or the default if that is empty.
VARIABLE = re.compile(r"\$\$|\$\{(\w+)(?::-([^}]*))?\}")


def services(said: Mapping[str, str] | None = None) -> dict[str, dict[str, Any]]:
    """The services, for whoever has said this in .env."""
    found: dict[str, dict[str, Any]] = filled(written(), said or {})["services"]
    return found


def written() -> dict[str, Any]:
    """The file as it is written."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return found


def filled(node: Any, said: Mapping[str, str]) -> Any:
    """The same with every variable replaced by what it stands for."""
    if isinstance(node, dict):
        return {key: filled(value, said) for key, value in node.items()}
    if isinstance(node, list):
        return [filled(value, said) for value in node]
    if isinstance(node, str):
        return VARIABLE.sub(lambda found: value_of(found, said), node)
    return node


def value_of(found: re.Match[str], said: Mapping[str, str]) -> str:
    """What one variable stands for."""
    if found[1] is None:
        return "$"
    return said.get(found[1]) or found[2] or ""


def defaults() -> dict[str, str]:
    """Each variable that compose.yaml asks for, and its default."""
    text = (ROOT / "compose.yaml").read_text()
    return {found[1]: found[2] or "" for found in VARIABLE.finditer(text) if found[1]}


def example() -> dict[str, str]:
    """What .env.example sets."""
    lines = (ROOT / ".env.example").read_text().splitlines()
    said = [line.split("=", 1) for line in lines if line and not line.startswith("#")]
    return {name: value for name, value in said}  # noqa: C416 - for the type checker
