"""What can be set from outside: by environment variable, in windlass.toml or in pyproject.toml."""

from __future__ import annotations

import tomllib
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from windlass.core.address import parse_store_url
from windlass.core.duration import parse_duration
from windlass.core.errors import BadInput
from windlass.core.secrets import without_password

# Renewed at a fifth of its length, a shorter one would not survive a busy machine.
SHORTEST_LEASE = timedelta(seconds=2)
DEFAULT_STORE = "sqlite:///./.windlass/windlass.db"

Count = Annotated[int, Meta(ge=1, le=100_000, description="a whole number from 1 to 100000")]
Duration = Annotated[timedelta, Meta(description="a duration such as 500ms, 30s, 2m or 7d")]
AppName = Annotated[str, Meta(pattern=r"^[\w.]+:[\w.]+$", description="an app, as module:name")]
SqlName = Annotated[
    str, Meta(pattern=r"^[a-z_][a-z0-9_]{0,62}$", description="a plain lower-case SQL name")
]
Names = Annotated[tuple[str, ...], Meta(min_length=1, description="queues, as in mail,reports")]
Level = Annotated[
    Literal["debug", "info", "warning", "error"], Meta(description="debug, info, warning or error")
]
Switch = Annotated[bool, Meta(description="1 or 0")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting; `sources` says where each came from."""

    store: str = DEFAULT_STORE
    schema: SqlName = "public"
    app: AppName | None = None
    slots: Count = 100
    threads: Count | None = None  # None: one for each core
    processes: Count = 1
    pool_threads: Count = 32
    queues: Names | None = None  # None: every queue
    poll: Duration = timedelta(seconds=1)
    drain: Duration = timedelta(seconds=30)
    lease: Duration = timedelta(seconds=15)
    retention: Duration = timedelta(days=7)
    backoff: Duration = timedelta(seconds=2)  # after a first failure; doubles with each further one
    backoff_cap: Duration = timedelta(hours=1)
    log: Level = "info"
    pgbouncer: Switch = False  # whether a pooler in transaction mode stands before PostgreSQL
    unsafe: Switch = False  # whether a PostgreSQL with fsync=off is good enough
    sources: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        """Refuse times that would leave no time for anything."""
        if self.poll <= timedelta(0) or self.lease < SHORTEST_LEASE:
            raise BadInput(f"poll must be more than 0 s, lease at least {SHORTEST_LEASE.seconds} s")

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in SETTINGS)
        return without_password(f"Settings({shown})")


SETTINGS: Mapping[str, Any] = {
    name: hint
    for name, hint in typing.get_type_hints(Settings, include_extras=True).items()
    if name != "sources"
}


class Said(NamedTuple):
    """A value as somebody wrote it, and where."""

    value: Any
    source: str


def load(
    environ: Mapping[str, str], folder: Path, given: Mapping[str, Any] | None = None
) -> Settings:
    """Read the settings: the program decides, then the environment, then files, then defaults."""
    said = {**_from_files(folder), **_from_environment(environ), **_given(given or {})}
    values = {name: _value(name, one) for name, one in said.items()}
    parse_store_url(values.get("store", DEFAULT_STORE))  # refused now, not at its first use
    sources = {name: said[name].source if name in said else "default" for name in SETTINGS}
    return Settings(**values, sources=MappingProxyType(sources))


def _given(given: Mapping[str, Any]) -> dict[str, Said]:
    _refuse_unknown(given, "the program")
    return {name: Said(value, "the program") for name, value in given.items() if value is not None}


def _from_environment(environ: Mapping[str, str]) -> dict[str, Said]:
    # The one that most platforms set; ours comes later and wins.
    names = [("store", "DATABASE_URL"), *((name, f"WINDLASS_{name.upper()}") for name in SETTINGS)]
    # An empty variable is how a shell leaves one out.
    return {name: Said(environ[key], key) for name, key in names if environ.get(key)}


def _from_files(folder: Path) -> dict[str, Said]:
    said: dict[str, Said] = {}
    for file, keys in (("pyproject.toml", ("tool", "windlass")), ("windlass.toml", ())):
        table = _table(folder / file, keys)
        _refuse_unknown(table, file)
        said |= {name: Said(value, file) for name, value in table.items()}
    return said


def _table(file: Path, keys: tuple[str, ...]) -> dict[str, Any]:
    try:
        table = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as problem:
        raise BadInput(f"{file.name} cannot be read: {problem}") from problem
    for key in keys:
        table = table.get(key, {})
    return table


def _refuse_unknown(table: Mapping[str, Any], source: str) -> None:
    for name in table:
        if name in SETTINGS:
            continue
        close = get_close_matches(name, SETTINGS)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(SETTINGS)}"
        raise BadInput(f"{source}: no setting {name!r}; {hint}")


def _value(name: str, said: Said) -> Any:
    hint = SETTINGS[name]
    try:
        return msgspec.convert(_parsed(hint, said.value), hint, strict=False)
    except (msgspec.ValidationError, BadInput):
        shown = without_password(repr(said.value))
        raise BadInput(f"{said.source} must be {_accepted(hint)}, not {shown}") from None


def _parsed(hint: Any, value: Any) -> Any:
    """What a person wrote, where msgspec would want it in another way."""
    if hint is Duration:
        return parse_duration(str(value))
    if isinstance(value, str) and hint is SETTINGS["queues"]:
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _accepted(hint: Any) -> str:
    return next((meta.description for meta in _metas(hint) if meta.description), "some text")


def _metas(hint: Any) -> Iterator[Meta]:
    for part in typing.get_args(hint):
        if isinstance(part, Meta):
            yield part
        else:
            yield from _metas(part)
