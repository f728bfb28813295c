"""Serves an app's API until a signal: in this process or in several, with workers beside or not."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import socket
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from windlass.config import Settings
from windlass.core.secrets import without_password
from windlass.http.server import Server
from windlass.observe.events import (
    ApiListening,
    ApiStopped,
    Connected,
    Observer,
    ServerFailed,
    ShutdownComplete,
)
from windlass.sink.server import MailSink
from windlass.starting import program
from windlass.wiring import heap
from windlass.wiring.keeping import Keeper
from windlass.wiring.listening import url_of
from windlass.wiring.opening import merged, opened
from windlass.wiring.stopping import Stop
from windlass.wiring.windlass import Windlass
from windlass.worker.background import background
from windlass.worker.event_loop import run
from windlass.worker.supervisor import Exit

# Told where the API is, once it is there.
Told: TypeAlias = Callable[[str], None]
Sockets: TypeAlias = Sequence[socket.socket]

WORKERS = "windlass.wiring.beside"
APIS = "windlass.wiring.api_child"
# Longer than its own drain, so that whoever ends by itself is not killed.
MARGIN = 10.0


class Beside(NamedTuple):
    """What runs beside the API, and as long."""

    workers: Keeper | None = None
    sink: MailSink | None = None


def serve_here(
    app: Windlass,
    given: Settings,
    sockets: Sockets,
    observer: Observer,
    told: Told,
    *,
    sink: MailSink | None = None,
) -> Exit:
    """Serve in this process; answer with a code for the shell."""
    return run(_serve(app, given, sockets, observer, told, Beside(sink=sink)))


def serve_with_workers(
    app: Windlass,
    given: Settings,
    sockets: Sockets,
    observer: Observer,
    told: Told,
    *,
    sink: MailSink | None = None,
) -> Exit:
    """Serve in this process, and run jobs in others, which are started again if they die."""
    assert given.app is not None  # noqa: S101 — whoever calls has loaded it
    workers = Keeper("workers", program(WORKERS, given.app), observer)
    return run(_serve(app, given, sockets, observer, told, Beside(workers, sink)))


def serve_in_processes(
    given: Settings, sockets: Sequence[Sockets], observer: Observer, told: Told
) -> Exit:
    """Serve in one process for each of the lists of sockets."""
    return run(_keep(given, sockets, observer, told))


async def _serve(
    app: Windlass,
    given: Settings,
    sockets: Sockets,
    observer: Observer,
    told: Told,
    beside: Beside,
) -> Exit:
    _prepare_process(observer)
    settings = merged(app.settings, given)
    drain = settings.drain.total_seconds()
    stop = Stop(observer)
    with stop.heeding():
        async with opened(app, settings, observer, beside.sink) as (api, service):
            observer.on(Connected(without_password(settings.store)))
            server = Server(api, service.drain, service.clock)
            heap.settle()
            await server.listen(sockets)
            url = url_of(settings.host, sockets)
            observer.on(ApiListening(url, os.getpid()))
            told(url)
            async with background(server.run()), asyncio.TaskGroup() as group:
                keeping = group.create_task(_kept(beside.workers, stop, drain))
                await stop.asked.wait()
                cut = await server.stop(drain, stop.again)
                observer.on(ApiStopped(cut))
        ending = keeping.result()
        observer.on(ShutdownComplete(cut + _killed(ending)))
    return ending or (Exit.CUT_SHORT if cut else Exit.STOPPED)


async def _keep(
    given: Settings, sockets: Sequence[Sockets], observer: Observer, told: Told
) -> Exit:
    assert given.app is not None  # noqa: S101 — whoever calls has loaded it
    stop = Stop(observer)
    with stop.heeding():
        async with asyncio.TaskGroup() as group:
            keeping = [
                group.create_task(
                    _kept(_api(given.app, own, observer), stop, given.drain.total_seconds())
                )
                for own in sockets
            ]
            told(url_of(given.host, sockets[0]))
            await stop.asked.wait()
            for each in (one for own in sockets for one in own):
                each.close()  # theirs close it for good
        endings = [task.result() for task in keeping]
        observer.on(ShutdownComplete(_killed(*endings)))
    return max(endings)


def _api(app: str, sockets: Sockets, observer: Observer) -> Keeper:
    fds = [each.fileno() for each in sockets]
    return Keeper("api", program(APIS, app, *map(str, fds)), observer, fds=fds)


async def _kept(keeper: Keeper | None, stop: Stop, drain: float) -> Exit:
    if keeper is None:
        return Exit.STOPPED
    try:
        return await keeper.run(stop, drain + MARGIN)
    finally:
        stop.asked.set()  # who is unfit makes the rest useless


def _killed(*endings: Exit) -> int:
    return endings.count(Exit.CUT_SHORT)


def _prepare_process(observer: Observer) -> None:
    """As many files as we may have open, and no words of uvicorn's but of its own failures."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    log = logging.getLogger("uvicorn")
    log.handlers[:] = [Failures(observer)]
    log.setLevel(logging.ERROR)
    log.propagate = False


class Failures(logging.Handler):
    """Takes what uvicorn says, and tells it as everything else is told."""

    def __init__(self, observer: Observer) -> None:
        """Tell this observer."""
        super().__init__(logging.ERROR)
        self._observer = observer

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of a failure."""
        self._observer.on(ServerFailed(self.format(record)))
