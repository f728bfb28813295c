"""After `docker compose up` everything works as four documents have shown it."""

import asyncio
import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import WINDLASS
from tests.deployment.fleet import Compose, composed, healthy
from tests.deployment.watched import watched
from tests.services import Postgres

JSON = '-H "Content-Type: application/json"'
SUM = """\
curl -X POST http://localhost:8080/jobs \\
  -H "Content-Type: application/json" \\
  -d '{
    "name": "Sum large array",
    "type": "large_array_sum",
    "priority": 10,
    "thread_demand": 4,
    "payload": {
      "numbers": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    }
  }'"""
EMAIL = """{
  "type": "email",
  "payload": {
    "to": "user@example.com",
    "subject": "Hello",
    "body": "World"
  }
}"""
# Not before 2099: nobody answers at that address.
WEBHOOK = """{
  "type": "webhook",
  "scheduled_at": "2099-01-15T10:30:00Z",
  "max_attempts": 5,
  "payload": {
    "url": "https://api.example.com/hook",
    "method": "POST",
    "body": {"event": "user.signed_up", "user_id": 123},
    "headers": {"Authorization": "Bearer token123"}
  }
}"""
STEPS = {
    "api": [
        "connected to postgres",
        "http server listening",
        "shutdown signal received",
        "http server stopped",
        "shutdown complete",
    ],
    "worker-1": [
        "connected to postgres",
        "worker started",
        "shutdown signal received",
        "worker stopped",
        "shutdown complete",
    ],
}


@pytest.fixture
def empty_database(postgres: Postgres) -> Iterator[str]:
    """A database as PostgreSQL's image makes it: nothing is there yet."""
    url = postgres.create_database()
    yield url
    postgres.drop_database(url)


@pytest.mark.timeout(180)
async def test_the_examples_of_four_documents_work_as_they_are_written(
    tmp_path: Path, empty_database: str, redis_url: str
) -> None:
    async with composed(tmp_path, empty_database, redis_url) as fleet:
        added = await fleet.curl(SUM)
        summed = await fleet.finished(added["id"])
        mailed = await submitted(fleet, "/jobs", EMAIL)
        letters = await fleet.curl("curl http://localhost:8080/mail")
        later = await fleet.curl(f"curl http://localhost:8080/submit {JSON} -d '{WEBHOOK}'")
        listed = {path: await read(fleet, path) for path in ("/jobs", "/db/jobs")}
        waiting = await read(fleet, "/jobs?status=scheduled")
        others = [await read(fleet, f"/jobs?status={state}") for state in ("pending", "failed")]
        stats, health = await read(fleet, "/stats"), await read(fleet, "/health")
        token = await made_token(fleet)
        secured = f'-H "Authorization: Bearer {token}"'
        again = await fleet.curl(f"curl http://localhost:8080/addJob {JSON} {secured} -d '{EMAIL}'")
        failed = await fleet.curl(f"curl http://localhost:8080/failedJobs {secured}")
        page = await fleet.curl("curl http://localhost:8080/ui/")

    assert (added["status"], summed["status"], summed["result"]["sum"]) == (
        "pending",
        "completed",
        55,
    )
    assert (mailed["status"], mailed["attempts"], len(letters)) == ("completed", 1, 1)
    assert (later["status"], [job["id"] for job in waiting]) == ("scheduled", [later["id"]])
    assert others == [[], []]
    assert {job["id"] for job in listed["/jobs"]} > {job["id"] for job in listed["/db/jobs"]}
    assert (stats["completed"], stats["scheduled"], health) == (2, 1, "ok")
    assert (again["status"], failed) == ("pending", [])
    assert "Windlass" in page or "dashboard is not built" in page


@pytest.mark.timeout(180)
async def test_it_shows_what_is_watched_and_tells_its_life_step_by_step(
    tmp_path: Path, empty_database: str, redis_url: str
) -> None:
    async with composed(tmp_path, empty_database, redis_url, WORKER_1_THREADS="3") as fleet:
        workers = await read(fleet, "/workers")
        shown = await read(fleet, "/metrics")
        well = await asyncio.create_subprocess_exec(*healthy(f"{fleet.url}/livez"))
        unwell = await asyncio.create_subprocess_exec(
            *healthy(f"{fleet.url}/nowhere"), stderr=asyncio.subprocess.DEVNULL
        )
        codes = await asyncio.gather(well.wait(), unwell.wait())
        await fleet.containers["worker-1"].stop(signal.SIGINT)
        await fleet.containers["api"].stop()

    told = {name: [line["msg"] for line in fleet.containers[name].lines()] for name in STEPS}
    assert sorted(worker["threads"] for worker in workers if not worker["alone"]) == [3, 8]
    assert watched() <= set(re.findall(r"^# TYPE (\S+)", shown, re.MULTILINE))
    assert [*codes] == [0, 1]
    for name, steps in STEPS.items():
        assert [step for step in dict.fromkeys(told[name]) if step in steps] == steps
    assert fleet.containers["api"].process.returncode == 0


async def read(fleet: Compose, path: str) -> Any:
    """What is there."""
    return await fleet.curl(f"curl http://localhost:8080{path}")


async def submitted(fleet: Compose, path: str, body: str) -> dict[str, object]:
    """A job that was submitted here, once it is over."""
    job = await fleet.curl(f"curl -X POST http://localhost:8080{path} {JSON} -d '{body}'")
    return await fleet.finished(job["id"])


async def made_token(fleet: Compose) -> str:
    """What `docker compose exec api windlass token` says."""
    process = await asyncio.create_subprocess_exec(
        *(WINDLASS, "token", "--json"),
        cwd=fleet.folder,
        env=fleet.environment("api"),
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    return str(json.loads(said)["access_token"])
