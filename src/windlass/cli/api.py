"""What the commands that serve the API have in common."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

import windlass
from windlass.cli import look
from windlass.cli.arguments import BASIC
from windlass.cli.desk import Desk
from windlass.clock import SystemClock
from windlass.config import Settings, load
from windlass.core.secrets import without_password
from windlass.observe.events import Advised, Observer
from windlass.observe.logs import Logs
from windlass.wiring import Windlass
from windlass.wiring.listening import exposed
from windlass.wiring.serving import Told

FEW = 8
JOB = '{"type": "add_numbers", "payload": {"x": 2, "y": 3}}'
MAIL = '{"type": "email", "payload": {"to": "ada@example.org", "subject": "Hi", "body": "Hello"}}'
JSON = "-H 'Content-Type: application/json'"
# With keys of somebody else the token is from there, too.
BEARER = '\\\n    -H "Authorization: Bearer {}"'

Host = Annotated[
    str | None,
    typer.Option(
        "--host",
        metavar="ADDRESS",
        help="Where the API listens; if not given, 127.0.0.1. Anything else needs WINDLASS_SECRET.",
        show_default=False,
    ),
]
Port = Annotated[
    int | None,
    typer.Option(
        "--port",
        min=0,
        max=65_535,
        help="Its port; if not given, 8080. 0 is any that is free.",
        show_default=False,
    ),
]


def agreed(desk: Desk, given: Mapping[str, object]) -> Settings:
    """The settings, with what was given here; every process that we start has them too."""
    for name, value in given.items():
        if value is not None:
            os.environ[f"WINDLASS_{name.upper()}"] = str(value)
    os.environ.setdefault("WINDLASS_APP", BASIC)
    return load(os.environ, Path.cwd(), {"store": desk.store})


def observed(settings: Settings) -> Observer:
    """The log on stderr; refuses to let the API be open by oversight."""
    observer = Logs(sys.stderr, SystemClock(), level=settings.log)
    if advice := exposed(settings):
        observer.on(Advised(advice))
    return observer


def teller(desk: Desk, app: Windlass, settings: Settings, smtp: str | None = None) -> Told:
    """Says where the API is, and what to try there; `smtp` is where a mail sink takes mail."""
    return partial(_tell, desk, app, settings, smtp)


def _tell(desk: Desk, app: Windlass, settings: Settings, smtp: str | None, url: str) -> None:
    if not desk.json and not desk.out.is_terminal:
        return  # the log says where it is, and a file of log lines shall hold no others
    data = {"url": url, "pid": os.getpid(), "store": without_password(app.settings.store)}
    if smtp is not None:
        data |= {"smtp": smtp, "mail": f"{url}/mail"}
    steps = _steps(app, settings, url, mail=smtp is not None)
    desk.answer(data, Group("", _facts(app, smtp, url), "", *steps, ""))
    # Whoever reads it through a pipe shall read it now.
    sys.stdout.flush()


def _facts(app: Windlass, smtp: str | None, url: str) -> RenderableType:
    types = sorted(app.registry.types())
    more = f" and {len(types) - FEW} more" if len(types) > FEW else ""
    sink = [("mail sink", f"{smtp} takes all mail; read it at {url}/mail")] if smtp else []
    return look.pairs(
        [
            ("Windlass", str(windlass.__version__)),
            ("dashboard", look.text(f"{url}/ui/", "bold cyan")),
            ("API", url),
            ("docs", f"{url}/docs"),
            ("store", without_password(app.settings.store)),
            ("job types", ", ".join(types[:FEW]) + more if types else "none"),
            *sink,
        ]
    )


def _steps(app: Windlass, settings: Settings, url: str, *, mail: bool) -> Iterable[Text]:
    """Lines to copy. They work as they stand, and fit on any terminal."""
    own = f"$({_command()} token)"
    token = "$TOKEN" if settings.jwks else own if settings.secret else None
    yield look.text("Try:", "bold")
    sent = _mail(app, url) if mail else ()
    for step in (*_first(app, url), f"curl {url}/jobs", *sent):
        yield look.text(f"  {step} {BEARER.format(token)}" if token else f"  {step}")
    yield look.text(f"  {_command()} stats")
    yield look.text("Ctrl-C stops it; what runs may finish.", "dim")


def _first(app: Windlass, url: str) -> Iterable[str]:
    if "add_numbers" in app.registry.types():
        yield f"curl {url}/jobs {JSON} \\\n    -d '{JOB}'"
    yield f"curl {url}/types"


def _mail(app: Windlass, url: str) -> Iterable[str]:
    if "email" in app.registry.types():
        yield f"curl {url}/jobs {JSON} \\\n    -d '{MAIL}'"
    yield f"curl {url}/mail"


def _command() -> str:
    """What to type for `windlass`: its path, if a shell would not find it or find another one."""
    called = Path(sys.argv[0])
    found = shutil.which("windlass")
    if called.name != "windlass" or (found and called.resolve() == Path(found).resolve()):
        return "windlass"
    return sys.argv[0]
