"""One of several API processes: `windlass.wiring.api_child APP SOCKET...`.

The sockets are inherited descriptors, held open by whoever keeps us: who connects while we are
being started again only waits.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

from windlass.clock import SystemClock
from windlass.config import load
from windlass.core.errors import WindlassError
from windlass.observe.logs import Logs
from windlass.wiring.keeping import Kept, end_with_parent
from windlass.wiring.loading import load_app
from windlass.wiring.serving import serve_here


def main() -> None:
    """Serve until a signal, or until whoever started us is gone."""
    end_with_parent()
    name, *fds = sys.argv[1:]
    try:
        settings = load(os.environ, Path.cwd())
        observer = Kept(Logs(sys.stderr, SystemClock(), level=settings.log))
        sockets = [socket.socket(fileno=int(fd)) for fd in fds]
        sys.exit(serve_here(load_app(name), settings, sockets, observer, lambda _: None))
    except WindlassError as error:
        sys.exit(f"windlass: {error}")
