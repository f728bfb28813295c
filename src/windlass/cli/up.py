"""`windlass up`: the API and workers, all in one command."""

from __future__ import annotations

from typing import Annotated

import typer

from windlass.cli.api import Host, Port, agreed, observed, teller
from windlass.cli.arguments import AppPath
from windlass.cli.desk import Desk
from windlass.cli.worker import Drain, Processes, Queues, Slots, Threads, written
from windlass.clock import SystemClock
from windlass.sink.server import MailSink
from windlass.wiring.listening import listeners
from windlass.wiring.serving import serve_with_workers

Sink = Annotated[
    bool,
    typer.Option("--mail-sink", help="Take all mail that jobs send; read it at /mail."),
]


def up(  # noqa: PLR0913 - a server has as many options, and a worker has more
    desk: Desk,
    *,
    app: AppPath = None,
    host: Host = None,
    port: Port = None,
    processes: Processes = None,
    slots: Slots = None,
    threads: Threads = None,
    queues: Queues = None,
    drain: Drain = None,
    mail_sink: Sink = False,
) -> None:
    """Serve the API and run jobs, until a signal.

    Without --app it knows the built-in types of job. Without --store the jobs are in a file in
    ./.windlass/, and nothing else needs to be installed.

    Example: windlass up

    Example: windlass up --app shop.jobs:app --port 9000

    Example: windlass up --mail-sink
    """
    sink = MailSink(SystemClock()) if mail_sink else None
    smtp = None if sink is None else sink.url
    settings = agreed(
        desk,
        {
            "app": app,
            "host": host,
            "port": port,
            "processes": processes,
            "slots": slots,
            "threads": threads,
            "queues": queues,
            "drain": written(drain),
            "smtp_url": smtp,
        },
    )
    observer = observed(settings)
    [sockets] = listeners(settings.host, settings.port)
    loaded = desk.load_app(str(settings.app))
    told = teller(desk, loaded, settings, smtp)
    raise typer.Exit(serve_with_workers(loaded, settings, sockets, observer, told, sink=sink))
