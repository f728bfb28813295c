"""Shows what a supervisor and its workers have counted, at an address of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import start_http_server

from windlass.core.errors import BadInput
from windlass.observe.metrics import Metrics


@contextmanager
def shown(metrics: Metrics, place: str) -> Iterator[None]:
    """Let Prometheus read the metrics at `place`, as host:port, while the block runs."""
    host, _, port = place.rpartition(":")
    try:
        server, thread = start_http_server(int(port), host.strip("[]"), metrics.registry)
    except (OSError, OverflowError) as problem:
        raise BadInput(
            f"metrics cannot be shown at {place}: {problem}; choose another by --metrics"
        ) from problem
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
