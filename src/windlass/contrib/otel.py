"""OpenTelemetry: a span for every enqueue and every attempt, in one trace wherever they happen.

The context travels with the job, as the headers that W3C has for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from msgspec.structs import replace
from opentelemetry import context, propagate, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, TracerProvider

from windlass import Cancel, Context, NewJob, Snooze, Windlass
from windlass.core.errors import BadInput
from windlass.core.job import Policy, TracedPolicy
from windlass.executors.base import Executor, Mode
from windlass.worker.wording import error_text, error_trace

# Headers are stored with every job; baggage beyond this is somebody's mistake.
LONGEST_HEADER = 1024
# Ends that a handler chose, and that are no errors.
CHOSEN = (Cancel, Snooze)


def instrument(app: Windlass, provider: TracerProvider | None = None) -> None:
    """Have the app tell of what it enqueues and runs, to the global provider if none is given."""
    if app.sending is not None:
        raise BadInput("this app tells of its jobs already; instrument it once")
    tracer = trace.get_tracer("windlass", tracer_provider=provider)
    app.sending = partial(_sending, tracer)
    app.registry.dress(partial(_traced, tracer))


@contextmanager
def _sending(tracer: Tracer, jobs: Sequence[NewJob]) -> Iterator[Sequence[NewJob]]:
    """A span around an enqueue; the jobs carry its context along."""
    types = {job.type for job in jobs}
    name = f"enqueue {jobs[0].type}" if len(types) == 1 else "enqueue"
    facts = _facts_of_enqueue(jobs) if jobs else {}
    with tracer.start_as_current_span(name, kind=SpanKind.PRODUCER, attributes=facts) as span:
        yield _stamped(jobs) if span.get_span_context().is_valid else jobs


def _facts_of_enqueue(jobs: Sequence[NewJob]) -> dict[str, str | int]:
    facts = _facts("enqueue", "send", jobs[0].type, jobs[0].queue)
    if len(jobs) == 1:
        return {**facts, "messaging.message.id": jobs[0].id}
    return {**facts, "messaging.batch.message_count": len(jobs)}


def _stamped(jobs: Sequence[NewJob]) -> list[NewJob]:
    headers: dict[str, str] = {}
    propagate.inject(headers)
    kept = {name: value for name, value in headers.items() if len(value) <= LONGEST_HEADER}
    return [job._replace(policy=_carrying(job.policy, kept)) for job in jobs]


def _carrying(policy: Policy | None, headers: Mapping[str, str]) -> Policy:
    before = policy or Policy()
    return TracedPolicy(timeout=before.timeout, backoff=before.backoff, trace=headers)


def _traced(tracer: Tracer, executor: Executor) -> Executor:
    """The executor, with a span around each of its calls."""
    wrap = _on_the_loop if executor.mode is Mode.LOOP else _plain
    return replace(
        executor, call=wrap(executor.call, partial(_running, tracer)), wants_context=True
    )


def _plain(call: Callable[[str, Context | None], Any], running: Any) -> Callable[..., Any]:
    def traced(payload: str, ctx: Context) -> Any:
        with running(ctx):
            return call(payload, ctx)

    return traced


def _on_the_loop(call: Callable[[str, Context | None], Any], running: Any) -> Callable[..., Any]:
    async def traced(payload: str, ctx: Context) -> Any:
        with running(ctx):
            return await call(payload, ctx)

    return traced


@contextmanager
def _running(tracer: Tracer, ctx: Context) -> Iterator[None]:
    """A span around an attempt, in the trace of the enqueue."""
    facts = _facts("run", "process", ctx.type, ctx.queue)
    facts |= {"messaging.message.id": ctx.id, "windlass.job.attempt": ctx.attempt}
    begin = partial(tracer.start_as_current_span, kind=SpanKind.CONSUMER, attributes=facts)
    # What an error says is told below, without its secrets.
    hushed = partial(begin, record_exception=False, set_status_on_exception=False)
    with _joined(ctx.trace), hushed(f"run {ctx.type}") as span:
        try:
            yield
        except CHOSEN as verdict:
            span.set_attribute("windlass.job.verdict", type(verdict).__name__.lower())
            raise
        except BaseException as error:
            _tell(span, error)
            raise


@contextmanager
def _joined(headers: Mapping[str, str]) -> Iterator[None]:
    """Be part of the trace of these headers, and carry its baggage on."""
    token = context.attach(propagate.extract(headers))
    try:
        yield
    finally:
        context.detach(token)


def _facts(operation: str, kind: str, type_: str, queue: str) -> dict[str, str | int]:
    """What the conventions for messaging ask for, and the type of job, which they do not know."""
    return {
        "messaging.system": "windlass",
        "messaging.operation.name": operation,
        "messaging.operation.type": kind,
        "messaging.destination.name": queue,
        "windlass.job.type": type_,
    }


def _tell(span: Span, error: BaseException) -> None:
    """Record an error as it is kept with the job: without secrets, and within limits."""
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR, error_text(error)))
    said = {
        "exception.type": kind,
        "exception.message": error_text(error),
        "exception.stacktrace": error_trace(error),
    }
    span.add_event("exception", said)
