"""docs/executors.md tells of every built-in type what it takes and gives, and its examples work."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from msgspec.structs import replace

from windlass import State, Windlass
from windlass.clock import SystemClock
from windlass.config import Settings
from windlass.executors.email import Sent
from windlass.executors.image import Resized
from windlass.executors.webhook import Delivered
from windlass.sink.server import MailSink
from windlass.wire.jobs import Submission

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "executors.md").read_text("utf-8")
SOURCES = "".join(
    file.read_text("utf-8") for file in (ROOT / "src/windlass/executors").glob("*.py")
)
BLOCKS = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
EXAMPLES = [(one, after) for one, after in pairwise(BLOCKS) if "payload" in one]
RESULTS = {
    "add_numbers": {"sum"},
    "reverse_string": {"reversed"},
    "large_array_sum": {"sum"},
    "email": Sent.__annotations__.keys(),
    "webhook": Delivered.__annotations__.keys(),
    "resize_image": Resized.__annotations__.keys(),
}
# What differs from run to run, or from one version of Pillow to the next.
UNLIKE = {"message_id", "bytes"}


@pytest.fixture
def app(sqlite_url: str) -> Windlass:
    """An app with every built-in type."""
    return Windlass(sqlite_url, builtins=True)


def chapters() -> dict[str, str]:
    """The page by its headings."""
    _, *parts = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    return {heading.strip(): text for heading, _, text in (part.partition("\n") for part in parts)}


def fields(schema: dict[str, Any]) -> set[str]:
    """The fields of a payload."""
    return set(schema["$defs"][schema["$ref"].rpartition("/")[2]]["properties"])


def test_every_type_has_a_chapter_with_an_example(app: Windlass) -> None:
    told = {example["type"] for example, _ in EXAMPLES}

    assert told == RESULTS.keys() == set(app.registry.types()) & chapters().keys()


@pytest.mark.parametrize("type_", RESULTS)
def test_every_field_of_a_payload_is_told_of(app: Windlass, type_: str) -> None:
    rows = [line.split("|")[1] for line in chapters()[type_].splitlines() if line[:2] == "| "]
    told = {name for row in rows for name in re.findall(r"`([a-z_]+)`", row)}

    assert fields(app.registry.get(type_).schema()) <= told


@pytest.mark.parametrize(("example", "result"), EXAMPLES)
def test_an_example_is_a_job_and_fits_the_schema(
    app: Windlass, example: dict[str, Any], result: dict[str, Any]
) -> None:
    asked = msgspec.json.decode(json.dumps(example), type=Submission)
    schema = app.registry.get(asked.type).schema()

    jsonschema_rs.validate(schema, example["payload"])
    app.job_of(asked.type, asked.payload)

    assert result.keys() == RESULTS[asked.type]


async def test_examples_end_as_they_are_shown(sqlite_url: str) -> None:
    sink = MailSink(SystemClock())
    settings = replace(Settings(), store=sqlite_url, smtp_url=sink.url)
    here = [(example, shown) for example, shown in EXAMPLES if "url" not in example["payload"]]

    async with (
        sink.listening(),
        Windlass(settings=settings, builtins=True) as app,
        app.worker(),
    ):
        for example, shown in here:
            enqueued = await app.enqueue(app.job_of(example["type"], example["payload"]))
            done = await app.wait(enqueued.id)

            assert done.state is State.COMPLETED, done
            assert likeness(done.result) == likeness(shown)
    assert len(here) > len(RESULTS) - 2


def likeness(result: Any) -> dict[str, Any]:
    """What is the same in every run."""
    return {name: value for name, value in result.items() if name not in UNLIKE}


def errors() -> Iterator[str]:
    """What the page says that errors say."""
    for table in re.findall(r"\| the error says \|.*?\n\n", PAGE, re.DOTALL):
        yield from re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)
    yield from re.findall(r"\*\*Errors\.\*\* `([^`]+)`", PAGE)


def test_errors_say_what_the_page_says() -> None:
    told = [*errors()]

    assert len(told) > 10
    assert [words for words in told if words not in SOURCES] == []


def test_settings_are_named_as_they_are() -> None:
    told = set(re.findall(r"WINDLASS_([A-Z_]+)", PAGE))

    assert {"SMTP_URL", "MAIL_FROM", "WEBHOOK_ALLOW", "WEBHOOK_SECRETS"} == told
    assert all(hasattr(Settings(), name.lower()) for name in told)
