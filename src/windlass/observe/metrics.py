"""Events as Prometheus metrics: the only place where anything is counted.

Importing this costs a tenth of a second, so only what serves metrics does. It counts what this
process did; totals of the fleet come from the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.metrics_core import Metric

from windlass.observe import events
from windlass.observe.events import Event

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# A local commit takes 0.1 ms, a renewal that takes 5 s is given up.
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)


class Registry(CollectorRegistry):
    """Leaves out when each metric was made: a second series for every one that nobody asks for."""

    def collect(self) -> Iterator[Metric]:
        """Every metric."""
        for metric in super().collect():
            metric.samples = [one for one in metric.samples if not one.name.endswith("_created")]
            yield metric


class Metrics:
    """Counts events in a registry of its own."""

    def __init__(self) -> None:
        """Begin at zero."""
        self.registry = Registry()
        ProcessCollector(registry=self.registry)  # memory, CPU and open files
        self._counts: dict[type[Event], Callable[[Any], None]] = {
            **self._enqueues(),
            **self._attempts(),
            **self._workers(),
            **self._lease(),
            **self._chores(),
            **self._bells(),
            **self._requests(),
        }

    def on(self, event: Event) -> None:
        """Count the event, if it counts."""
        count = self._counts.get(type(event))
        if count is not None:
            count(event)

    def text(self) -> bytes:
        """Everything counted so far, as Prometheus reads it."""
        return generate_latest(self.registry)

    def _enqueues(self) -> dict[type[Event], Callable[[Any], None]]:
        sizes = self._histogram("enqueue_batch_jobs", "Jobs kept by one transaction.", SIZES)
        callers = self._histogram("enqueue_batch_callers", "Callers who shared one.", SIZES)
        took = self._seconds("enqueue_seconds", "Seconds until the jobs were kept.")

        def on_enqueued(event: events.JobsEnqueued) -> None:
            sizes.observe(event.count)
            callers.observe(event.callers)
            took.observe(event.took)

        return {events.JobsEnqueued: on_enqueued}

    def _attempts(self) -> dict[type[Event], Callable[[Any], None]]:
        claimed = self._counter("jobs_claimed", "Jobs claimed.", "lane")
        claiming = self._seconds("claim_seconds", "Seconds one claim statement took.")
        settled = self._counter(
            "attempts_settled", "Attempts settled, by the state after.", "state"
        )
        settling = self._seconds("settle_seconds", "Seconds one batch of settlements took.")
        refused = self._counter("settlements_refused", "Settlements refused because stale.")
        handed_back = self._counter("jobs_handed_back", "Jobs given up unfinished.")

        def on_claimed(event: events.JobsClaimed) -> None:
            claimed.labels(event.lane.value).inc(event.count)
            claiming.observe(event.took)

        def on_settled(event: events.AttemptsSettled) -> None:
            for state, count in event.counts.items():
                settled.labels(state.value).inc(count)
            settling.observe(event.took)

        return {
            events.JobsClaimed: on_claimed,
            events.AttemptsSettled: on_settled,
            events.ClaimsLost: lambda event: refused.inc(len(event.jobs)),
            events.JobsHandedBack: lambda event: handed_back.inc(len(event.jobs)),
        }

    def _workers(self) -> dict[type[Event], Callable[[Any], None]]:
        slots = self._gauge("slots", "Attempts a worker may have open.", "worker")
        running = self._gauge("attempts_in_flight", "Attempts a worker has open.", "worker")
        died = self._counter("workers_died", "Worker processes that died.")

        def on_started(event: events.WorkerStarted) -> None:
            slots.labels(event.worker).set(event.slots)
            running.labels(event.worker).set(0)

        def on_stopped(event: events.WorkerStopped | events.WorkerDied) -> None:
            for gauge in (slots, running):
                with suppress(KeyError):  # it died before it started
                    gauge.remove(event.worker)

        def on_died(event: events.WorkerDied) -> None:
            on_stopped(event)
            died.inc()

        return {
            events.WorkerStarted: on_started,
            events.WorkerStopped: on_stopped,
            events.WorkerDied: on_died,
            events.Occupancy: lambda event: running.labels(event.worker).set(event.running),
        }

    def _lease(self) -> dict[type[Event], Callable[[Any], None]]:
        renewing = self._seconds("lease_renewal_seconds", "Seconds one renewal took.")
        lost = self._counter("leases_lost", "Times the lease could not be trusted any more.")
        return {
            events.LeaseRenewed: lambda event: renewing.observe(event.took),
            events.LeaseLost: lambda _: lost.inc(),
        }

    def _chores(self) -> dict[type[Event], Callable[[Any], None]]:
        errors = self._counter("chore_errors", "Turns of repeated tasks that failed.", "chore")
        kinds: dict[type[Event], tuple[str, str]] = {
            events.JobsReclaimed: ("jobs_reclaimed", "Running jobs taken from the dead."),
            events.JobsPromoted: ("jobs_promoted", "Scheduled jobs that came due."),
            events.JobsParked: ("jobs_parked", "Jobs moved out of the way."),
            events.JobsUnparked: ("jobs_unparked", "Parked jobs put back in line."),
            events.JobsPruned: ("jobs_pruned", "Finished jobs deleted after their retention."),
        }
        counts: dict[type[Event], Callable[[Any], None]] = {
            kind: _adds(self._counter(name, text)) for kind, (name, text) in kinds.items()
        }
        counts[events.ChoreFailed] = lambda event: errors.labels(event.chore).inc()
        return counts

    def _bells(self) -> dict[type[Event], Callable[[Any], None]]:
        kinds: dict[type[Event], tuple[str, str]] = {
            events.BellRung: ("bells_rung", "Hints sent out."),
            events.BellHeard: ("bells_heard", "Hints that came in."),
            events.BellLost: ("bells_lost", "Times hints could not be sent or heard."),
            events.RedisLost: ("redis_lost", "Times Redis was lost."),
            events.RedisFound: ("redis_found", "Times Redis answered again."),
            events.RedisRefused: ("redis_refused", "Commands that Redis refused."),
        }
        return {kind: _counts(self._counter(name, text)) for kind, (name, text) in kinds.items()}

    def _requests(self) -> dict[type[Event], Callable[[Any], None]]:
        served = self._counter("http_requests", "Requests answered.", "method", "status")
        took = self._seconds("http_request_seconds", "Seconds until a request was answered.")
        broke = self._counter("http_requests_broken", "Requests at which something broke here.")
        # Looking a label up costs as much as all the rest.
        counts: dict[tuple[str, int], Callable[[], None]] = {}

        def on_served(event: events.RequestServed) -> None:
            # Anybody can make up a method; each would be a series of its own, for ever.
            method = event.method if event.method in METHODS else "other"
            count = counts.get((method, event.status))
            if count is None:
                count = served.labels(method, str(event.status)).inc
                counts[method, event.status] = count
            count()
            took.observe(event.took)

        return {events.RequestServed: on_served, events.RequestBroke: lambda _: broke.inc()}

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"windlass_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"windlass_{name}", text, labels, registry=self.registry)

    def _seconds(self, name: str, text: str) -> Histogram:
        return self._histogram(name, text, SECONDS)

    def _histogram(self, name: str, text: str, buckets: Sequence[float]) -> Histogram:
        return Histogram(f"windlass_{name}", text, buckets=buckets, registry=self.registry)


def _adds(counter: Counter) -> Callable[[Any], None]:
    return lambda event: counter.inc(event.count)


def _counts(counter: Counter) -> Callable[[Any], None]:
    return lambda _: counter.inc()
