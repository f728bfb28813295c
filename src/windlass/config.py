"""What can be set from outside: by environment variable, in windlass.toml or in pyproject.toml."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct, field

from windlass.core.address import parse_store_url
from windlass.core.duration import parse_duration
from windlass.core.errors import BadInput
from windlass.core.redis_url import parse_redis_url
from windlass.core.secrets import without_password
from windlass.core.url_parts import postgres_url, redis_url

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
Text = Annotated[str, Meta(min_length=1, description="some text")]
Port = Annotated[
    int, Meta(ge=0, le=65_535, description="a port from 0 (any that is free) to 65535")
]
Rate = Annotated[float, Meta(gt=0, le=1e6, description="requests in a second, more than 0")]
Size = Annotated[
    int, Meta(ge=1024, le=1 << 30, description="a number of bytes from 1024 to 1073741824")
]
# An origin is never *: what may be read by every web page needs no secret, and says so by `open`.
Origin = Annotated[
    str,
    Meta(
        pattern=r"^https?://[^/*?#@\s]+$",
        description="origins with scheme and without path, as in https://jobs.example.org",
    ),
]
Host = Annotated[
    str,
    Meta(
        pattern=r"^[^/*?#@\s]+$",
        description="names without scheme and path, as in jobs.example.org",
    ),
]
Network = Annotated[
    str,
    Meta(
        pattern=r"^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$",
        description="addresses or networks, as in 127.0.0.1,10.0.0.0/8",
    ),
]
Place = Annotated[
    str, Meta(pattern=r"^[^/@\s]+:[0-9]{1,5}$", description="an address, as in 127.0.0.1:9090")
]


class Settings(Struct, frozen=True, kw_only=True):
    """Every setting; `sources` says where each came from."""

    store: str = DEFAULT_STORE  # where the jobs are: postgresql://… or sqlite:///file
    schema: SqlName = "public"  # of PostgreSQL, in which the tables are
    redis: Text | None = None  # makes bells, reads and repeated requests faster, if there is one
    app: AppName | None = None  # whose jobs are run; None: the built-in types
    slots: Count = 100  # attempts that a worker process may have open at once
    threads: Count | None = None  # that a worker may grant; None: one for each core, 4 at least
    processes: Count = 1  # of workers that one node starts
    pool_threads: Count = 32  # of the system that plain handlers of a worker process share
    queues: Names | None = None  # that a worker claims from; None: every queue
    poll: Duration = timedelta(seconds=1)  # how often an idle worker looks though no bell rang
    drain: Duration = timedelta(seconds=30)  # how long a stop waits for what runs
    lease: Duration = timedelta(seconds=15)  # after which a silent node is taken for dead
    retention: Duration = timedelta(days=7)  # how long finished jobs are kept
    backoff: Duration = timedelta(seconds=2)  # after a first failure; doubles with each further one
    backoff_cap: Duration = timedelta(hours=1)  # the longest wait between two attempts
    log: Level = "info"  # the least level that is logged
    pgbouncer: Switch = False  # whether a pooler in transaction mode stands before PostgreSQL
    unsafe: Switch = False  # whether a PostgreSQL with fsync=off is good enough
    host: Text = "127.0.0.1"  # where the API listens; anything but loopback needs a secret
    port: Port = 8080  # on which the API listens
    secret: Text | None = None  # signs tokens; without one the API is open, on loopback only
    jwks: Text | None = None  # file or URL of the keys of whoever issues tokens instead of us
    issuer: Text | None = None  # what tokens must say of who issued them
    audience: Text | None = None  # what tokens must say of whom they are for
    open: Switch = False  # whether something outside guards an API that listens without a secret
    origins: tuple[Origin, ...] = ()  # of web pages, besides our own, that may call the API
    hosts: tuple[Host, ...] = ()  # by which the API is called, besides where it listens
    proxies: tuple[Network, ...] = ()  # whose word counts for whom a request is from, and how
    rate: Rate | None = None  # of each principal; None: as many as it likes
    body_limit: Size = (1 << 20) + (1 << 16)  # a payload of 1 MiB, and what stands around it
    batch_limit: Size = 1 << 24  # the same for many jobs at once
    request_timeout: Duration = timedelta(seconds=30)  # in which a request is answered
    metrics: Place | None = None  # where a worker shows its metrics; the API shows its own
    smtp_url: Text | None = None  # the mail server of job type `email`
    mail_from: Text | None = None  # whom mail is from, as in Jobs <jobs@example.org>
    webhook_allow: tuple[Text, ...] = ()  # private hosts and networks that webhooks may reach
    webhook_secrets: tuple[Text, ...] = ()  # sign webhooks: whsec_…, or host=whsec_…
    sources: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse times that would leave no time for anything."""
        if self.poll <= timedelta(0) or self.lease < SHORTEST_LEASE:
            raise BadInput(f"poll must be more than 0 s, lease at least {SHORTEST_LEASE.seconds} s")
        if self.request_timeout <= timedelta(0):
            raise BadInput("request_timeout must be more than 0 s")

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_shown(name, getattr(self, name))}" for name in SETTINGS)
        return f"Settings({shown})"


SETTINGS: Mapping[str, Any] = {
    name: hint
    for name, hint in typing.get_type_hints(Settings, include_extras=True).items()
    if name != "sources"
}
# Written with commas where a file would have a list.
LISTS = frozenset({"queues", "origins", "hosts", "proxies", "webhook_allow", "webhook_secrets"})
# Never told, not even in part.
SECRETS = frozenset({"secret", "webhook_secrets"})
# Where a setting is from that was made in Python, or on the command line.
PROGRAM = "the program"
# Variables that platforms and others set; what comes later wins, and our own come last.
FOREIGN = (
    ("store", "POSTGRES_HOST"),
    ("store", "DATABASE_URL"),
    ("redis", "REDIS_HOST"),
    ("redis", "REDIS_URL"),
    ("port", "API_PORT"),
)
# Those that are only a part of what is meant.
PARTS = {"POSTGRES_HOST": postgres_url, "REDIS_HOST": redis_url}
# How Kubernetes tells every pod of a service: of one called api by API_PORT=tcp://10.0.0.1:80.
OF_KUBERNETES = "tcp://"


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
    # Refused now, not at their first use.
    parse_store_url(values.get("store", DEFAULT_STORE))
    if "redis" in values:
        parse_redis_url(values["redis"])
    sources = {name: said[name].source if name in said else "default" for name in SETTINGS}
    return Settings(**values, sources=MappingProxyType(sources))


def _given(given: Mapping[str, Any]) -> dict[str, Said]:
    _refuse_unknown(given, PROGRAM)
    return {name: Said(value, PROGRAM) for name, value in given.items() if value is not None}


def _from_environment(environ: Mapping[str, str]) -> dict[str, Said]:
    names = [*FOREIGN, *((name, f"WINDLASS_{name.upper()}") for name in SETTINGS)]
    return {name: Said(_whole(environ, key), key) for name, key in names if _says(environ, key)}


def _says(environ: Mapping[str, str], key: str) -> bool:
    # An empty variable is how a shell leaves one out.
    return bool(environ.get(key)) and not environ[key].startswith(OF_KUBERNETES)


def _whole(environ: Mapping[str, str], key: str) -> str:
    return PARTS[key](environ) if key in PARTS else environ[key]


def _from_files(folder: Path) -> dict[str, Said]:
    said: dict[str, Said] = {}
    for file, keys in (("pyproject.toml", ("tool", "windlass")), ("windlass.toml", ())):
        table = _table(folder / file, keys)
        _refuse_unknown(table, file)
        said |= {name: Said(value, file) for name, value in table.items()}
    return said


def _table(file: Path, keys: tuple[str, ...]) -> Mapping[str, Any]:
    try:
        table = _read(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as problem:
        raise BadInput(f"{file.name} cannot be read: {problem}") from problem
    for key in keys:
        table = table.get(key, {})
    return table


# Every app that a process opens looks into the same files, and they seldom change.
@lru_cache(maxsize=2)
def _read(text: str) -> Mapping[str, Any]:
    import tomllib  # noqa: PLC0415 - for who has such a file

    return tomllib.loads(text)


def _refuse_unknown(table: Mapping[str, Any], source: str) -> None:
    for name in table:
        if name in SETTINGS:
            continue
        from difflib import get_close_matches  # noqa: PLC0415 - only to complain

        close = get_close_matches(name, SETTINGS)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(SETTINGS)}"
        raise BadInput(f"{source}: no setting {name!r}; {hint}")


def _value(name: str, said: Said) -> Any:
    hint = SETTINGS[name]
    try:
        return msgspec.convert(_parsed(name, said.value), hint, strict=False)
    except (msgspec.ValidationError, BadInput):
        shown = _shown(name, said.value)
        raise BadInput(f"{_named(name, said)} must be {_accepted(hint)}, not {shown}") from None


def _named(name: str, said: Said) -> str:
    """The setting as whoever made it wrote it: a variable's name says enough by itself."""
    if said.source == PROGRAM:
        return name
    return f"{name} in {said.source}" if said.source.endswith(".toml") else said.source


def _parsed(name: str, value: Any) -> Any:
    """What a person wrote, where msgspec would want it in another way."""
    if SETTINGS[name] is Duration:
        return parse_duration(str(value))
    if isinstance(value, str) and name in LISTS:
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


def _shown(name: str, value: object) -> str:
    """A value as it may be told."""
    return "***" if name in SECRETS and value else without_password(repr(value))
