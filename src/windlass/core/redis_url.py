"""Where a Redis is, as a URL says it."""

from __future__ import annotations

from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from msgspec import Struct

from windlass.core.errors import BadInput
from windlass.core.secrets import without_password

HOW = "write redis://host:6379/0, rediss://:password@host/0 (TLS) or unix:///run/redis.sock?db=0"
PORT = 6379
UNCHECKED = ("none", "cert_none")


class RedisPlace(Struct, frozen=True, kw_only=True):
    """A Redis or Valkey server, and which of its databases."""

    host: str = "localhost"
    port: int = PORT
    path: str | None = None  # of its unix socket, instead of host and port
    database: int = 0
    user: str | None = None
    password: str | None = None
    tls: bool = False
    checked: bool = True  # whether its certificate must be good
    authorities: str | None = None  # a file of certificates that vouch for it

    def __repr__(self) -> str:
        return f"RedisPlace({self.path or f'{self.host}:{self.port}'}, {self.database})"


def parse_redis_url(url: str) -> RedisPlace:
    """Read `redis://…`, `rediss://…` or `unix://…`, with the options that redis-py knows."""
    try:
        parts = urlsplit(url)
        return _place(parts, dict(parse_qsl(parts.query)))
    except ValueError:
        # Not in its own words: what it takes for a port may be a piece of the password.
        raise BadInput(f"{without_password(url)!r} is no Redis; {HOW}") from None


def _place(parts: SplitResult, options: dict[str, str]) -> RedisPlace:
    if parts.scheme not in ("redis", "rediss", "unix"):
        raise ValueError(parts.scheme)
    _refuse_unknown(options)
    local = parts.scheme == "unix"
    return RedisPlace(
        host=parts.hostname or "localhost",
        port=parts.port or PORT,
        path=unquote(parts.path) if local else None,
        database=int(options.get("db") or (not local and parts.path.strip("/")) or 0),
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        tls=parts.scheme == "rediss",
        checked=options.get("ssl_cert_reqs", "required").lower() not in UNCHECKED,
        authorities=options.get("ssl_ca_certs"),
    )


def _refuse_unknown(options: dict[str, str]) -> None:
    """Pass over what tunes other clients, but nothing that somebody relies on to be safe."""
    for name in options:
        if name.startswith("ssl") and name not in ("ssl_cert_reqs", "ssl_ca_certs"):
            raise BadInput(f"{name} cannot be set for Redis; there are ssl_cert_reqs, ssl_ca_certs")
