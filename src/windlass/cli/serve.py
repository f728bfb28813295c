"""`windlass serve`: the API alone, for workers that run elsewhere."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from windlass.cli.api import Host, Port, agreed, observed, teller
from windlass.cli.arguments import AppPath, span
from windlass.cli.desk import Desk
from windlass.cli.worker import written
from windlass.clock import SystemClock
from windlass.core.errors import BadInput
from windlass.observe.events import Advised
from windlass.sink.server import MailSink
from windlass.wiring.listening import listeners
from windlass.wiring.serving import serve_here, serve_in_processes

Apis = Annotated[int, typer.Option("--processes", min=1, max=64, help="Processes that serve.")]
SinkAt = Annotated[
    str | None,
    typer.Option(
        "--mail-sink",
        metavar="HOST:PORT",
        help="Take mail here and deliver none; read it at /mail. Name it to workers by"
        " WINDLASS_SMTP_URL.",
    ),
]
Requests = Annotated[
    timedelta | None,
    typer.Option(parser=span, metavar="TIME", help="How long requests may go on after a stop."),
]
GAIN_NOTHING = "more processes gain nothing on SQLite, which has one writer"


def serve(  # noqa: PLR0913 - as many as a server has options
    desk: Desk,
    *,
    app: AppPath = None,
    host: Host = None,
    port: Port = None,
    processes: Apis = 1,
    drain: Requests = None,
    mail_sink: SinkAt = None,
) -> None:
    """Serve the API until a signal; the jobs are run by `windlass worker`.

    Without --app it takes jobs of the built-in types, and of those that live workers know.

    Example: windlass serve --store postgresql://db.example.org/jobs --processes 2
    """
    if mail_sink is not None and processes > 1:
        raise BadInput("--mail-sink keeps mail in one process; leave out --processes")
    settings = agreed(desk, {"app": app, "host": host, "port": port, "drain": written(drain)})
    observer = observed(settings)
    sockets = listeners(settings.host, settings.port, each=processes)
    loaded = desk.load_app(str(settings.app))
    sink = None if mail_sink is None else MailSink(SystemClock(), mail_sink)
    told = teller(desk, loaded, settings, None if sink is None else sink.url)
    if processes == 1:
        raise typer.Exit(serve_here(loaded, settings, sockets[0], observer, told, sink=sink))
    if loaded.storehouse.address.dialect == "sqlite":
        observer.on(Advised(GAIN_NOTHING))
    raise typer.Exit(serve_in_processes(settings, sockets, observer, told))
