"""The example for OpenTelemetry does what it shows."""

import json
import signal
from pathlib import Path
from typing import Any

from tests.examples.programs import copied, printed, start


def spans(said: str) -> dict[str, dict[str, Any]]:
    """The spans among what a program said, by their names."""
    told = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return {one["name"]: one for one in told if "trace_id" in one.get("context", {})}


async def test_a_request_and_the_job_it_asks_for_are_one_trace(tmp_path: Path) -> None:
    folder = copied("opentelemetry", tmp_path)
    worker = await start("windlass worker --app greeting:app", folder)

    asked = await printed("python greeting.py ada", folder)
    worker.send_signal(signal.SIGTERM)
    said, _ = await worker.communicate()

    all_spans = spans(asked) | spans(said.decode())
    ids = {span["context"]["span_id"]: name for name, span in all_spans.items()}
    parents = {name: ids.get(span["parent_id"]) for name, span in all_spans.items()}
    assert "Ahoy, Countess ada!" in asked
    assert len({span["context"]["trace_id"] for span in all_spans.values()}) == 1
    assert parents == {
        "request": None,
        "enqueue greet": "request",
        "run greet": "enqueue greet",
        "look up": "run greet",
        "write": "run greet",
    }
