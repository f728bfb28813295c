"""Spans of enqueues and attempts, and the trace that they make together."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator

import pytest
from opentelemetry import baggage, context, trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, Tracer

from windlass import Context, Snooze, Windlass
from windlass.contrib.otel import instrument
from windlass.core.errors import BadInput
from windlass.testing import drain


class Told:
    """A provider, and the spans that it was told of."""

    def __init__(self) -> None:
        self._kept = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self._kept))

    @property
    def tracer(self) -> Tracer:
        """For spans of the test's own."""
        return self.provider.get_tracer("test")

    def spans(self, name: str) -> list[ReadableSpan]:
        """The spans of this name, in the order in which they ended."""
        return [span for span in self._kept.get_finished_spans() if span.name == name]


@pytest.fixture
def told() -> Told:
    """Where spans go."""
    return Told()


@pytest.fixture
async def app(store_url: str, told: Told) -> AsyncIterator[Windlass]:
    """An app that tells of its jobs, on either store."""
    async with Windlass(store_url) as app:
        instrument(app, told.provider)
        yield app


@pytest.fixture
async def on_sqlite(sqlite_url: str, told: Told) -> AsyncIterator[Windlass]:
    """The same, for what has nothing to do with the store."""
    async with Windlass(sqlite_url) as app:
        instrument(app, told.provider)
        yield app


def parent(span: ReadableSpan) -> int | None:
    """The id of the span in which this one is."""
    return span.parent.span_id if span.parent else None


def own(span: ReadableSpan) -> int:
    """The id of the span."""
    assert span.context is not None
    return int(span.context.span_id)


async def test_an_attempt_is_in_the_trace_of_whoever_enqueued_it(app: Windlass, told: Told) -> None:
    @app.job
    async def greet(user: str) -> str:
        with told.tracer.start_as_current_span("inside"):
            return user

    with told.tracer.start_as_current_span("request"):
        job = await greet.enqueue(user="ada")
    await drain(app)

    [request], [enqueue] = told.spans("request"), told.spans("enqueue greet")
    [run], [inside] = told.spans("run greet"), told.spans("inside")
    spans = [enqueue, run, inside]
    assert [parent(span) for span in spans] == [own(request), own(enqueue), own(run)]
    assert len({span.context.trace_id for span in (request, *spans) if span.context}) == 1
    assert (enqueue.kind, run.kind) == (SpanKind.PRODUCER, SpanKind.CONSUMER)
    assert run.attributes == {
        "messaging.system": "windlass",
        "messaging.operation.name": "run",
        "messaging.operation.type": "process",
        "messaging.destination.name": "default",
        "messaging.message.id": job.id,
        "windlass.job.type": "greet",
        "windlass.job.attempt": 1,
    }


async def test_a_worker_s_threads_and_tasks_are_in_it_too(app: Windlass, told: Told) -> None:
    @app.job
    def plain(ctx: Context) -> str:
        return str(ctx.id)

    @app.job
    async def coroutine() -> None: ...

    async with app.worker():
        with told.tracer.start_as_current_span("request"):
            jobs = [await plain.enqueue(), await coroutine.enqueue()]
        done = [await app.wait(job.id, timeout=30) for job in jobs]

    [request] = told.spans("request")
    runs = [*told.spans("run plain"), *told.spans("run coroutine")]
    assert done[0].result == jobs[0].id
    assert request.context is not None
    assert [span.context and span.context.trace_id for span in runs] == [
        request.context.trace_id
    ] * 2


async def test_each_attempt_has_a_span_and_an_error_is_told_without_its_secrets(
    on_sqlite: Windlass, told: Told
) -> None:
    @on_sqlite.job(max_attempts=2)
    def fail() -> None:
        raise ConnectionError("no answer from postgresql://ada:hunter2@db/shop")

    job = await fail.enqueue()
    await drain(on_sqlite)
    await on_sqlite.run_now(job.id)
    await drain(on_sqlite)

    first, second = told.spans("run fail")
    assert parent(first) == parent(second) == own(told.spans("enqueue fail")[0])
    assert [
        span.attributes and span.attributes["windlass.job.attempt"] for span in (first, second)
    ] == [1, 2]
    assert first.status.status_code is StatusCode.ERROR
    assert "no answer from" in str(first.status.description)
    assert "hunter2" not in first.to_json()


async def test_an_end_that_the_handler_chose_is_no_error(on_sqlite: Windlass, told: Told) -> None:
    @on_sqlite.job
    def later() -> None:
        raise Snooze(60)

    await later.enqueue()
    await drain(on_sqlite)

    [span] = told.spans("run later")
    assert span.status.status_code is StatusCode.UNSET
    assert (span.attributes or {})["windlass.job.verdict"] == "snooze"


async def test_many_jobs_are_one_enqueue_and_all_of_them_carry_it(
    on_sqlite: Windlass, told: Told
) -> None:
    @on_sqlite.job
    async def noop(i: int) -> None: ...

    await on_sqlite.enqueue_many([noop.job(i=i) for i in range(3)])
    await on_sqlite.enqueue_each([noop.job(i=i) for i in range(2)])
    await drain(on_sqlite)

    many, each = told.spans("enqueue noop")
    assert (many.attributes or {})["messaging.batch.message_count"] == 3
    parents = [parent(span) for span in told.spans("run noop")]
    assert sorted(parents, key=str) == sorted([own(many)] * 3 + [own(each)] * 2, key=str)


async def test_what_a_job_says_of_itself_is_kept_beside_the_trace(
    on_sqlite: Windlass, told: Told
) -> None:
    seen = []

    @on_sqlite.job
    async def slow(ctx: Context) -> None:
        seen.append(dict(ctx.trace))
        await asyncio.Event().wait()

    job = await slow.options(timeout=0.01, max_attempts=1).enqueue()
    await drain(on_sqlite)

    ended = await on_sqlite.get(job.id)
    assert "timed out after 0.01 s" in str(ended.error)
    assert seen[0].keys() == {"traceparent"}


async def test_baggage_is_carried_along(on_sqlite: Windlass) -> None:
    @on_sqlite.job
    async def unpack() -> object:
        return baggage.get_baggage("tenant")

    token = context.attach(baggage.set_baggage("tenant", "blue"))
    job = await unpack.enqueue()
    context.detach(token)
    await drain(on_sqlite)

    assert (await on_sqlite.get(job.id)).result == "blue"
    assert not trace.get_current_span().get_span_context().is_valid


async def test_types_that_were_there_before_are_told_of_as_well(
    sqlite_url: str, told: Told
) -> None:
    async with Windlass(sqlite_url, builtins=True) as app:

        @app.job
        async def before() -> None: ...

        instrument(app, told.provider)
        await before.enqueue()
        await app.enqueue(app.job_of("add_numbers", {"x": 2, "y": 3}))
        await drain(app)

    assert told.spans("run before")
    assert told.spans("run add_numbers")


async def test_a_trace_goes_through_a_connection_of_the_caller_s(
    on_sqlite: Windlass, told: Told
) -> None:
    @on_sqlite.job
    async def noop() -> None: ...

    def enqueue() -> None:
        connection = sqlite3.connect(on_sqlite.storehouse.address.place)
        with told.tracer.start_as_current_span("request"), connection:
            on_sqlite.blocking.enqueue(noop.job(), connection=connection)
        connection.close()

    await asyncio.to_thread(enqueue)
    await drain(on_sqlite)

    [run] = told.spans("run noop")
    assert parent(run) == own(told.spans("enqueue noop")[0])


async def test_an_app_is_instrumented_once(on_sqlite: Windlass, told: Told) -> None:
    with pytest.raises(BadInput, match="once"):
        instrument(on_sqlite, told.provider)


async def test_whoever_is_not_instrumented_keeps_nothing_of_a_trace(
    sqlite_url: str, told: Told
) -> None:
    async with Windlass(sqlite_url) as app:

        @app.job
        async def noop() -> None: ...

        with told.tracer.start_as_current_span("request"):
            job = await noop.enqueue()

        assert (await app.read(job.id)).policy is None
