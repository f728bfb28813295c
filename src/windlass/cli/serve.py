"""`windlass serve`: the API alone, for workers that run elsewhere."""

from __future__ import annotations

from typing import Annotated

import typer

from windlass.cli.api import Host, Port, agreed, observed, teller
from windlass.cli.arguments import AppPath
from windlass.cli.desk import Desk
from windlass.cli.worker import Drain, written
from windlass.observe.events import Advised
from windlass.wiring.listening import listeners
from windlass.wiring.serving import serve_here, serve_in_processes

Apis = Annotated[int, typer.Option("--processes", min=1, max=64, help="Processes that serve.")]
GAIN_NOTHING = "more processes gain nothing on SQLite, which has one writer"


def serve(
    desk: Desk,
    *,
    app: AppPath = None,
    host: Host = None,
    port: Port = None,
    processes: Apis = 1,
    drain: Drain = None,
) -> None:
    """Serve the API until a signal; the jobs are run by `windlass worker`.

    Without --app it takes jobs of the built-in types, and of those that live workers know.

    Example: windlass serve --store postgresql://db.example.org/jobs --processes 2
    """
    settings = agreed(desk, {"app": app, "host": host, "port": port, "drain": written(drain)})
    observer = observed(settings)
    sockets = listeners(settings.host, settings.port, each=processes)
    loaded = desk.load_app(str(settings.app))
    told = teller(desk, loaded, settings)
    if processes == 1:
        raise typer.Exit(serve_here(loaded, settings, sockets[0], observer, told))
    if loaded.storehouse.address.dialect == "sqlite":
        observer.on(Advised(GAIN_NOTHING))
    raise typer.Exit(serve_in_processes(settings, sockets, observer, told))
