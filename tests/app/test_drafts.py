"""Drafts: jobs of types whose code is elsewhere, by what workers have published."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
import pydantic
import pytest
from msgspec.structs import replace

from windlass import Windlass
from windlass.app import catalog
from windlass.app.catalog import Catalog, Published
from windlass.app.publishing import published
from windlass.clock import SystemClock
from windlass.core.errors import BadInput, BadPayload, PayloadTooLarge, UnknownType
from windlass.core.job import State
from windlass.store.records import TypeRecord


class Person(msgspec.Struct, forbid_unknown_fields=True):
    """Whom to greet."""

    name: str
    age: Annotated[int, msgspec.Meta(ge=0, le=150)] = 0


class Street(pydantic.BaseModel):
    """A part of an address."""

    name: str


class Address(pydantic.BaseModel):
    """Where to send something."""

    streets: list[Street]


def a_shop(app: Windlass) -> Windlass:
    """Types of job, as a worker's code declares them."""

    @app.job(type="greet", queue="people", priority=7, max_attempts=9, thread_demand=2)
    async def greet(person: Person, times: int = 1) -> None:
        """Greets somebody.

        As often as told.
        """

    @app.job(type="send")
    def send(to: Address) -> None: ...

    return app


@pytest.fixture
async def app(store_url: str) -> AsyncIterator[Windlass]:
    """An app that knows nothing, on a store where a worker has published its types."""
    async with Windlass(store_url) as app:
        home = await app.home()
        await home.store.publish(published(a_shop(Windlass(store_url)).registry))
        yield app


async def test_a_published_type_is_drafted_with_its_defaults(app: Windlass) -> None:
    job = await app.draft("greet", {"person": {"name": "Ada"}})
    await app.enqueue(job)

    kept = await app.get(job.id)
    assert (kept.queue, kept.priority, kept.max_attempts, kept.threads) == ("people", 7, 9, 2)
    assert (kept.state, kept.payload) == (State.PENDING, {"person": {"name": "Ada"}})


async def test_options_win_over_what_was_published(app: Windlass) -> None:
    job = await app.draft(
        "greet", b'{"person": {"name": "Ada"}}', queue="other", idempotency_key="k"
    )

    assert (job.queue, job.key, job.priority) == ("other", "k", 7)


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ({}, '"person" is a required property'),
        ({"person": {"name": 1}}, "is not of type"),
        ({"person": {"name": "Ada", "age": 151}}, "at `$.person.age`"),
        ({"person": {"name": "Ada"}, "more": 1}, "'more' was unexpected"),
        ([], "is not of type"),
        (b"{", "the payload does not fit job type 'greet'"),
        ({"person": {"name": "\0"}}, "NUL"),
    ],
)
async def test_a_payload_that_does_not_fit_is_refused(
    app: Windlass, payload: object, said: str
) -> None:
    with pytest.raises(BadPayload) as caught:
        await app.draft("greet", payload)

    assert said in str(caught.value)


async def test_an_error_does_not_tell_what_was_in_the_payload(app: Windlass) -> None:
    with pytest.raises(BadPayload) as caught:
        await app.draft("greet", {"person": "secret-4711"})

    assert "4711" not in str(caught.value)


async def test_a_payload_over_the_limit_is_refused(app: Windlass) -> None:
    with pytest.raises(PayloadTooLarge):
        await app.draft("greet", {"person": {"name": "x" * 2_000_000}})


async def test_a_model_of_pydantic_is_checked_to_its_depth(app: Windlass) -> None:
    await app.draft("send", {"to": {"streets": [{"name": "Main"}]}})

    with pytest.raises(BadPayload, match=r"at `\$\.to\.streets\[0\]\.name`"):
        await app.draft("send", {"to": {"streets": [{"name": 1}]}})


async def test_a_type_that_is_known_here_needs_nobody_who_published_it(app: Windlass) -> None:
    @app.job
    async def local(n: int) -> None: ...

    job = await app.draft("local", {"n": 1})

    assert (job.type, job.payload) == ("local", '{"n":1}')


async def test_a_type_that_nobody_knows_is_refused_with_all_that_are_known(app: Windlass) -> None:
    @app.job
    async def local() -> None: ...

    with pytest.raises(UnknownType, match="known types: greet, local, send"):
        await app.draft("nothing", {})


async def test_what_is_published_now_is_known_at_once(app: Windlass) -> None:
    home = await app.home()
    await app.draft("send", {"to": {"streets": []}})
    [record, _] = await app.types()

    await home.store.publish([replace(record, type="new")])

    assert (await app.draft("new", {"person": {"name": "Ada"}})).type == "new"


async def test_the_types_say_what_they_do_and_take(app: Windlass) -> None:
    greet, send = await app.types()

    assert (greet.type, greet.description, greet.mode) == ("greet", "Greets somebody.", "loop")
    assert (send.type, send.description, send.mode) == ("send", None, "thread")
    assert "Person" in greet.schema


def a_record(**said: Any) -> TypeRecord:
    known = TypeRecord(
        type="t",
        queue="q",
        priority=0,
        threads=0,
        max_attempts=1,
        max_crashes=1,
        timeout=None,
        mode="loop",
        description=None,
        schema="{}",
    )
    return replace(known, **said)


class Shelf:
    """What is published, and how often somebody looked."""

    def __init__(self, *records: TypeRecord) -> None:
        self.records = list(records)
        self.looks = 0

    async def read(self) -> list[TypeRecord]:
        """Look."""
        self.looks += 1
        return self.records


async def test_the_catalog_looks_again_when_it_is_old_or_lacks_something() -> None:
    shelf, clock = Shelf(a_record()), SystemClock()
    known = Catalog(shelf.read, clock)

    first = await known.get("t")
    second = await known.get("t")
    lacking = await known.get("u")

    assert first is second
    assert lacking is None
    assert shelf.looks == 2


async def test_a_schema_is_compiled_once_while_it_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(catalog, "FRESH", -1.0)
    shelf = Shelf(a_record())
    known = Catalog(shelf.read, SystemClock())

    first = await known.get("t")
    shelf.records = [a_record(workers=3)]
    same = await known.get("t")
    shelf.records = [a_record(schema='{"type": "object"}')]
    other = await known.get("t")

    assert first is same
    assert first is not other


@pytest.mark.parametrize(
    "schema",
    ['{"$ref": "https://example.invalid/schema.json"}', '{"$ref": "#/nowhere"}', '{"type": 7}'],
)
def test_a_schema_that_cannot_be_used_is_named(schema: str) -> None:
    with pytest.raises(BadInput, match="the schema that workers published for 't'"):
        Published(a_record(schema=schema)).validate({})


def test_a_pattern_that_would_take_forever_is_given_up() -> None:
    greedy = Published(a_record(schema='{"type": "string", "pattern": "^(?=(a+)+$)(a|a)*b$"}'))

    with pytest.raises(BadInput):
        greedy.validate("a" * 40)
