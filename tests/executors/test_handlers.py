"""Functions and objects become executors: the signature is the shape of the payload."""

import asyncio
import enum
import functools
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Optional
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.executors.annotated_by_strings import later, with_local_annotation
from tests.executors.test_documents import json_values
from windlass.core.backoff import Backoff
from windlass.core.errors import BadInput, BadPayload, BadResult, PayloadTooLarge
from windlass.executors.base import Mode
from windlass.executors.context import Context
from windlass.executors.handlers import from_function, from_object

OLD_STYLE = Optional[Context]  # noqa: UP045


class Colour(enum.Enum):
    """An enum."""

    RED = "red"


@dataclass
class Point:
    """A dataclass."""

    x: int
    y: int = 0


class Shape(msgspec.Struct):
    """A struct of msgspec."""

    points: list[Point]


class User(BaseModel):
    """A model of pydantic."""

    name: str
    born: date | None = None


def run(handler: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Enqueue and run: write the payload, and call the handler with it."""
    executor = from_function(handler, {})
    return executor.call(executor.validate(executor.gather(args, kwargs)), None)


def echo(**hints: Any) -> Callable[..., Any]:
    """A handler with one argument of each hint, that answers with them."""
    names = ", ".join(hints)
    scope: dict[str, Any] = {}
    exec(f"def made({names}): return dict({', '.join(f'{n}={n}' for n in hints)})", scope)  # noqa: S102
    made: Callable[..., Any] = scope["made"]
    made.__annotations__ = hints
    return made


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (str, "ada"),
        (int, 5),
        (float, 1.5),
        (bool, True),
        (None, None),
        (list[int], [1, 2]),
        (tuple[int, str], (1, "a")),
        (set[int], {1, 2}),
        (dict[str, float], {"a": 1.0}),
        (bytes, b"\x00\xff"),
        (datetime, datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (date, date(2030, 1, 2)),
        (timedelta, timedelta(seconds=90)),
        (UUID, UUID(int=7)),
        (Colour, Colour.RED),
        (Optional[int], None),  # noqa: UP045 — as older code writes it
        (int | None, 3),
        (Annotated[int, msgspec.Meta(ge=1)], 3),
        (Point, Point(1, 2)),
        (Shape, Shape([Point(1), Point(2, 3)])),
        (User, User(name="ada", born=date(1815, 12, 10))),
        (list[User], [User(name="ada")]),
        (User | None, None),
        (Any, {"any": ["thing"]}),
    ],
)
def test_an_argument_arrives_as_it_was_given(hint: Any, value: object) -> None:
    assert run(echo(value=hint), value=value) == {"value": value}


@given(st.dictionaries(st.sampled_from("abcde"), json_values))
def test_whatever_is_json_arrives_by_any_name(values: dict[str, Any]) -> None:
    def handler(**more: Any) -> Any:
        return more

    assert run(handler, **values) == values


def test_an_argument_without_annotation_takes_anything() -> None:
    def handler(thing, other=None):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return thing, other

    assert run(handler, {"a": [1]}, other="x") == ({"a": [1]}, "x")


def test_arguments_may_be_left_to_their_defaults() -> None:
    shared = Point(9)

    def handler(a: int, b: int = 2, *, c: list[int] = [3], d: Point = shared) -> Any:  # noqa: B006
        return a, b, c, d

    executor = from_function(handler, {})
    assert executor.validate({"a": 1}) == '{"a":1}'
    assert run(handler, 1) == (1, 2, [3], shared)
    assert run(handler, a=1, c=[], d=Point(4)) == (1, 2, [], Point(4))


def test_fields_of_any_name_must_fit_their_annotation() -> None:
    def handler(name: str, **more: Point) -> Any:
        return name, more

    assert run(handler, name="a", here=Point(1, 2)) == ("a", {"here": Point(1, 2)})
    with pytest.raises(BadPayload, match=r"Expected `int`, got `str` - at `\$\[\.\.\.\]\.x`"):
        run(handler, name="a", here={"x": "far"})


def test_the_context_is_not_a_field_of_any_name() -> None:
    def handler(ctx: Context, **more: Any) -> Any:
        return more

    with pytest.raises(BadPayload, match="`ctx` is given by the worker"):
        run(handler, ctx=1)


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        ((), {}, "missing required field `user`"),
        ((), {"user": 5}, r"Expected `str`, got `int` - at `\$.user`"),
        ((), {"usr": "ada"}, "unknown field `usr`"),
        (("ada", 1, 2), {}, "3 arguments by position, 2 at most"),
        (("ada",), {"user": "eve"}, "`user` is given twice"),
        ((), {"user": "ada", "times": float("nan")}, "NaN"),
        ((), {"user": "a\x00"}, "NUL"),
        ((), {"user": object()}, "object is no JSON"),
    ],
)
def test_a_payload_that_does_not_fit_is_refused_with_the_reason(
    args: tuple[Any, ...], kwargs: dict[str, Any], said: str
) -> None:
    def welcome(user: str, times: float = 1) -> None:
        pass

    with pytest.raises(BadPayload, match=said) as refused:
        run(welcome, *args, **kwargs)

    assert "job type 'welcome'" in str(refused.value)


def test_a_pydantic_model_that_does_not_fit_says_where() -> None:
    with pytest.raises(BadPayload, match=r"(?s)valid date.*at `\$.user`"):
        run(echo(user=User), user={"name": "ada", "born": "long ago"})


def test_a_payload_over_the_limit_is_refused() -> None:
    with pytest.raises(PayloadTooLarge, match="pass a reference"):
        run(echo(text=str), text="a" * 1024 * 1024)


def test_a_payload_from_before_the_handler_changed_is_refused_when_it_runs() -> None:
    def handler() -> None:
        pass

    def other(user: int) -> None:
        pass

    for now in (handler, other):
        with pytest.raises(BadPayload):
            from_function(now, {}).call('{"user": "ada"}', None)


def test_annotations_may_be_strings() -> None:
    ctx: Any = object()
    executor = from_function(later, {})

    assert executor.wants_context
    assert executor.call('{"when": "2030-01-02"}', ctx) == (date(2030, 1, 2), ctx)


def test_an_annotation_that_cannot_be_found_is_refused_where_it_is_declared() -> None:
    with pytest.raises(BadInput, match="name 'Hidden' is not defined; it must be defined"):
        from_function(with_local_annotation(), {})


@pytest.mark.parametrize("hint", [Context, Context | None, OLD_STYLE, "Annotated"])
def test_whoever_asks_for_the_context_gets_it(hint: Any) -> None:
    ctx: Any = object()
    hint = Annotated[Context, "please"] if hint == "Annotated" else hint

    executor = from_function(echo(user=str, us=hint), {})

    assert executor.wants_context
    assert executor.call('{"user": "ada"}', ctx) == {"user": "ada", "us": ctx}


def test_a_handler_that_asks_for_nothing_gets_nothing() -> None:
    def handler() -> str:
        return "ran"

    executor = from_function(handler, {})

    assert not executor.wants_context
    assert executor.call("{}", None) == "ran"
    assert executor.validate({}) == "{}"


def star(*users: str) -> None:
    pass


def by_position(user: str, /) -> None:
    pass


def greedy(one: Context, two: Context) -> None:
    pass


def yielding() -> Iterator[int]:
    yield 1


async def yielding_later() -> AsyncIterator[int]:
    yield 1


def mangled(__user: str) -> None:  # noqa: PYI063
    pass


def mixed(value: list[int] | set[int]) -> None:
    pass


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (star, r"take a list instead: users: list\["),
        (by_position, "remove the '/'"),
        (greedy, "asks for the Context more than once"),
        (yielding, "a handler returns its result"),
        (yielding_later, "a handler returns its result"),
        (mixed, "has no shape: Type unions may not contain more than one"),
        (mangled, "make no payload"),
        (functools.partial(len), "a handler must be a function"),
        (dict, "a handler must be a function"),
    ],
)
def test_a_handler_that_cannot_be_one_is_refused_where_it_is_declared(
    handler: Any, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        from_function(handler, {})


def plain() -> int:
    return 1


async def coroutine() -> int:
    return 1


def test_coroutines_run_on_the_loop_and_plain_functions_in_threads() -> None:
    assert from_function(coroutine, {}).mode is Mode.LOOP
    assert from_function(plain, {}).mode is Mode.THREAD
    assert asyncio.run(from_function(coroutine, {}).call("{}", None)) == 1


@pytest.mark.parametrize("handler", [plain, coroutine])
def test_an_isolated_handler_answers_with_its_value(handler: Any) -> None:
    executor = from_function(handler, {"isolation": "process", "memory_limit": 2**30})

    assert executor.mode is Mode.PROCESS
    assert executor.memory_limit == 2**30
    assert executor.call("{}", None) == 1


def test_what_is_declared_is_kept() -> None:
    executor = from_function(
        plain,
        {
            "type": "other",
            "queue": "mail",
            "max_attempts": 5,
            "max_crashes": 2,
            "timeout": timedelta(seconds=30),
            "priority": 7,
            "thread_demand": 2,
            "backoff": Backoff(base=1),
        },
    )

    assert (executor.type, executor.queue, executor.priority) == ("other", "mail", 7)
    assert (executor.max_attempts, executor.max_crashes, executor.threads) == (5, 2, 2)
    assert (executor.timeout, executor.backoff) == (30.0, Backoff(base=1))
    assert executor.origin.endswith(":plain")


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"prio": 5}, "a job has no 'prio'; it has backoff, isolation"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"thread_demand": 0}, "thread_demand"),
        ({"queue": ""}, "queue"),
        ({"type": "a\nb"}, "printable"),
        ({"isolation": "thread"}, "isolation is 'process' or left out"),
        ({"memory_limit": 2**30}, "add isolation='process'"),
        ({"timeout": 0}, "timeout"),
    ],
)
def test_what_cannot_be_declared_is_refused(declared: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        from_function(plain, declared)


@pytest.mark.parametrize(
    ("result", "text"),
    [(None, None), ("ok", '"ok"'), (Point(1), '{"x":1,"y":0}'), (User(name="a"), None)],
)
def test_a_result_is_kept_as_json(result: object, text: str | None) -> None:
    encode = from_function(plain, {}).encode

    assert encode(result) == (text or (None if result is None else '{"name":"a","born":null}'))


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (object(), "the result of job type 'plain' cannot be kept: object is no JSON"),
        (float("nan"), "NaN"),
        ("a" * 1024 * 1024, "keep it as a file: ctx.keep"),
    ],
)
def test_a_result_that_cannot_be_kept_is_refused(result: object, said: str) -> None:
    with pytest.raises(BadResult, match=said):
        from_function(plain, {}).encode(result)


def test_the_schema_describes_the_payload() -> None:
    def handler(user: User, n: int = 1) -> None:
        pass

    schema = from_function(handler, {}).schema()

    described = schema["$defs"]["handler"]
    assert described["required"] == ["user"]
    assert described["properties"]["n"] == {"type": "integer", "default": 1}
    assert "name" in described["properties"]["user"]["properties"]


class Mailer:
    """An executor with a shape, and with declarations of its own."""

    type = "email"
    queue = "mail"
    max_attempts = 7

    async def execute(self, payload: Point, ctx: Context) -> Any:
        """Run."""
        return payload, ctx


def test_an_object_takes_the_whole_payload_in_its_shape() -> None:
    ctx: Any = object()
    executor = from_object(Mailer(), {})

    assert executor.validate(executor.gather((Point(1),), {})) == '{"x":1,"y":0}'
    assert executor.validate({"x": 1}) == '{"x":1}'
    assert asyncio.run(executor.call('{"x": 1}', ctx)) == (Point(1), ctx)
    assert executor.schema()["$defs"]["Point"]["required"] == ["x"]


def test_an_object_declares_by_its_attributes_unless_told_otherwise() -> None:
    executor = from_object(Mailer(), {"queue": "other"})

    assert (executor.type, executor.queue, executor.max_attempts) == ("email", "other", 7)
    assert executor.mode is Mode.LOOP


class Untyped:
    """An executor without annotations."""

    type = "untyped"

    def execute(self, payload, ctx):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        """Run."""
        return payload, ctx


class Lonely:
    """An executor that wants no context."""

    type = "lonely"

    def execute(self, payload: Any) -> Any:
        """Run."""
        return payload


class Reversed:
    """An executor that wants its context first."""

    type = "reversed"

    def execute(self, ctx: Context, payload: Any) -> Any:
        """Run."""
        return payload, ctx


@pytest.mark.parametrize(("made", "wants"), [(Untyped, 1), (Lonely, 0), (Reversed, 1)])
def test_an_object_may_leave_out_annotations_and_context(made: Any, wants: int) -> None:
    ctx: Any = object()
    executor = from_object(made(), {})

    assert executor.wants_context is bool(wants)
    assert executor.mode is Mode.THREAD
    assert executor.call("[1]", ctx) == (([1], ctx) if wants else [1])


@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), ((1, 2), {}), ((), {"payload": 1}), ((1,), {"x": 1})]
)
def test_an_object_takes_one_payload(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    with pytest.raises(BadPayload, match="give the payload as one argument"):
        from_object(Mailer(), {}).gather(args, kwargs)


class NoType:
    """Says no type."""

    def execute(self, payload: Any) -> None:
        """Run."""


class NoExecute:
    """Does nothing."""

    type = "no"


class NoPayload:
    """Takes nothing."""

    type = "no"

    def execute(self) -> None:
        """Run."""


class TooMuch:
    """Wants more than there is."""

    type = "no"

    def execute(self, payload: Any, ctx: Context, more: Any) -> None:
        """Run."""


@pytest.mark.parametrize("made", [NoType, NoExecute, NoPayload, TooMuch])
def test_an_object_that_is_no_executor_is_refused_with_what_it_needs(made: Any) -> None:
    with pytest.raises(BadInput, match=r"execute\(self, payload"):
        from_object(made(), {})
