"""Two tenants, each with a schema or a file of its own: neither learns of the other (I20)."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.attacks.fort import Fort, Heard, standing
from tests.http.asking import PATIENCE
from tests.waiting import until
from windlass.bell.postgres import channel_of
from windlass.http.access import Scope
from windlass.http.app import ROUTES
from windlass.store.postgres import PostgresDatabase
from windlass.store.sqlite import SqliteDatabase
from windlass.wiring import migrate

SECRET = "the secret of the first tenant, long enough"  # noqa: S105 - for these tests only
OTHER = "the secret of the second tenant, as long"
ABSENT = "0190a3a2-0000-7000-8000-000000000000"
PASSWORD = "correct horse battery staple"  # noqa: S105 - for these tests only


class Tenants(NamedTuple):
    """Two services that have nothing in common, but perhaps a database."""

    one: Fort
    other: Fort

    async def ask(self, fort: Fort, method: str, path: str, body: object = None) -> Heard:
        """Ask as the admin of this tenant."""
        token = fort.token(Scope.ADMIN, name="admin")
        return await fort.ask(method, path, body, {"Authorization": f"Bearer {token}"})

    async def submit(self, fort: Fort, **more: object) -> str:
        """The id of a new job of this tenant."""
        heard = await self.ask(fort, "POST", "/jobs", {"type": "anything", **more})
        assert heard.status == 202, heard.body
        return str(heard.json["id"])


@pytest.fixture(params=["sqlite", "postgres"])
def homes(request: pytest.FixtureRequest, tmp_path: Path) -> list[tuple[str, str | None]]:
    """Two files, or two schemas of one database."""
    if request.param == "sqlite":
        return [(f"sqlite:///{tmp_path / name}", None) for name in ("one.db", "other.db")]
    url: str = request.getfixturevalue("postgres_url")
    asyncio.run(migrate(url, "other"))
    return [(url, "public"), (url, "other")]


@pytest.fixture
async def tenants(
    homes: list[tuple[str, str | None]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Tenants]:
    """Both services."""
    monkeypatch.chdir(tmp_path)
    [(here, schema), (there, another)] = homes
    async with (
        standing(here, schema=schema, secret=SECRET) as one,
        standing(there, schema=another, secret=OTHER) as other,
    ):
        yield Tenants(one, other)


def places(job_id: str) -> list[tuple[str, str]]:
    """Every route about one job."""
    return [
        (route.method, route.path.format(job_id=job_id, name="report"))
        for route in ROUTES
        if "{job_id}" in route.path
    ]


async def test_a_job_of_another_tenant_is_as_unknown_as_one_that_never_was(
    tenants: Tenants, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = await tenants.submit(tenants.one, payload={"what": "theirs"})
    asked = _overheard(monkeypatch)

    for (method, path), (_, nowhere) in zip(places(theirs), places(ABSENT), strict=True):
        asked.clear()
        heard = await tenants.ask(tenants.other, method, path, {})
        for_theirs = list(asked)
        asked.clear()
        absent = await tenants.ask(tenants.other, method, nowhere, {})

        assert heard.status == absent.status == 404, path
        assert _alike(heard, theirs) == _alike(absent, ABSENT)
        assert for_theirs == asked  # the same statements take the same time
    assert (await tenants.ask(tenants.one, "GET", f"/jobs/{theirs}")).json["status"] == "pending"


def _alike(heard: Heard, job_id: str) -> tuple[Any, ...]:
    """An answer without what is its own."""
    told = heard.json
    if isinstance(told, dict):
        told.pop("request_id", None)
    headers = {
        name: value
        for name, value in heard.headers.items()
        if name not in ("date", "x-request-id", "windlass-counted-at")
    }
    return heard.status, json.dumps(told).replace(job_id, "ID"), headers


def _overheard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the statements that are sent from now on."""
    names: list[str] = []

    def listen(kind: type, verb: str) -> None:
        inner = getattr(kind, verb)

        async def overheard(self: object, asked: Any) -> Any:
            name = getattr(asked, "name", verb)
            if name != "revoked":  # the gate looks by the clock, not by what is asked
                names.append(name)
            return await inner(self, asked)

        monkeypatch.setattr(kind, verb, overheard)

    for kind in (PostgresDatabase, SqliteDatabase):
        for verb in ("read", "write", "run"):
            listen(kind, verb)
    return names


async def test_no_list_count_or_figure_tells_of_another_tenant(tenants: Tenants) -> None:
    paths = (
        *("/jobs", "/db/jobs", "/failedJobs", "/stats", "/queues", "/queues/secret-plan"),
        *("/queues/secret-plan/load", "/workers", "/nodes", "/types/secret-type", "/auth/users"),
        *("/jobs?q=payload.what:hush", "/jobs?key=hush", "/jobs?name=hush", "/jobs?error=hush"),
        *("/jobs?queue=secret-plan", "/jobs?type=secret-type"),
    )
    before = [_alike(await tenants.ask(tenants.other, "GET", path), "-") for path in paths]
    figures = await _figures(tenants)

    await _busy(tenants)

    after = [_alike(await tenants.ask(tenants.other, "GET", path), "-") for path in paths]
    assert after == before
    assert await _figures(tenants) == figures != []
    types = await tenants.ask(tenants.other, "GET", "/types")
    for told in (types, await tenants.ask(tenants.other, "GET", "/metrics")):
        assert b"secret" not in told.body


async def _figures(tenants: Tenants) -> list[str]:
    """What is told to Prometheus of the fleet."""
    await asyncio.sleep(1.1)  # it is asked once in a second
    text = (await tenants.ask(tenants.other, "GET", "/metrics")).body.decode()
    fleet = ("windlass_jobs", "windlass_queue", "windlass_workers", "windlass_nodes")
    return [line for line in text.splitlines() if line.startswith(fleet)]


async def _busy(tenants: Tenants) -> None:
    """Let one tenant do all that leaves a trace."""
    one = tenants.one

    @one.app.job(type="secret-type", max_attempts=1)
    async def secret_type() -> None:
        raise RuntimeError("hush")

    await one.service.accounts.add("eve", PASSWORD, [Scope.READ])
    async with one.app.worker():
        jobs = [
            await tenants.submit(one, queue="secret-plan", name="hush", payload={"what": "hush"}),
            await tenants.submit(one, type="secret-type", idempotency_key="hush"),
        ]
        for job_id in jobs:
            await one.app.wait(job_id, timeout=PATIENCE)
    await tenants.ask(one, "POST", "/queues/secret-plan/pause", b"")
    await tenants.submit(one, queue="secret-plan")


async def test_a_key_of_one_tenant_is_free_for_the_other(tenants: Tenants) -> None:
    first = await tenants.submit(tenants.one, idempotency_key="same", payload={"what": 1})
    second = await tenants.submit(tenants.other, idempotency_key="same", payload={"what": 2})

    kept = await tenants.ask(tenants.other, "GET", f"/jobs/{second}")
    assert first != second
    assert kept.json["payload"] == {"what": 2}


async def test_no_worker_hears_of_the_jobs_of_another_tenant(tenants: Tenants) -> None:
    async with tenants.other.app.worker():
        theirs = await tenants.submit(tenants.one)
        own = await tenants.submit(tenants.other)
        await tenants.other.app.wait(own, timeout=PATIENCE)
        worker = (await tenants.ask(tenants.one, "GET", "/workers")).json

    job = (await tenants.ask(tenants.one, "GET", f"/jobs/{theirs}")).json
    assert (job["status"], worker) == ("pending", [])


async def test_bulk_changes_stay_with_their_tenant(tenants: Tenants) -> None:
    theirs = await tenants.submit(tenants.other, delay=3600)
    own = await tenants.submit(tenants.one, delay=3600)

    async with tenants.one.app.worker():
        order = {"action": "cancel", "filter": "type:anything"}
        bulk = await tenants.ask(tenants.one, "POST", "/jobs/bulk", order)
        done = await tenants.one.app.wait(bulk.json["id"], timeout=PATIENCE)

    states = [
        (await tenants.ask(fort, "GET", f"/jobs/{job_id}")).json["status"]
        for fort, job_id in ((tenants.one, own), (tenants.other, theirs))
    ]
    assert done.result["changed"] == 1
    assert states == ["cancelled", "scheduled"]


async def test_events_tell_nothing_of_another_tenant(tenants: Tenants) -> None:
    theirs = await tenants.submit(tenants.one)
    token = tenants.other.token(Scope.READ)
    heard: list[str] = []
    path = f"/events?jobs={theirs},{ABSENT}"

    async with tenants.other.client.get(
        path, headers={"Authorization": f"Bearer {token}"}
    ) as stream:
        listening = asyncio.create_task(_listen(stream.content, heard))
        await until(lambda: len([line for line in heard if line == "event: gone"]) == 2)
        before = len(heard)
        for _ in range(3):
            await tenants.submit(tenants.one)
        await tenants.ask(tenants.one, "POST", f"/jobs/{theirs}/cancel")
        own = await tenants.submit(tenants.other)
        await until(lambda: any(line.startswith("event: counts") for line in heard[before:]))
        listening.cancel()

    told = "\n".join(heard)
    gone = [
        line.replace(theirs, "ID").replace(ABSENT, "ID")
        for line in heard
        if theirs in line or ABSENT in line
    ]
    counts = [
        json.loads(line[6:]) for line in heard if line.startswith("data: {") and "pending" in line
    ]
    assert own not in told
    assert len(set(gone)) == 1
    assert "theirs" not in told
    assert {one.get("pending") for one in counts} <= {0, 1}


async def _listen(stream: Any, heard: list[str]) -> None:
    async for line in stream:
        heard.append(line.decode().rstrip("\n"))  # noqa: PERF401 - others read it meanwhile


async def test_what_opens_the_door_of_one_tenant_opens_no_other(tenants: Tenants) -> None:
    one, other = tenants
    await one.service.accounts.add("eve", PASSWORD, [Scope.ADMIN])
    await other.service.accounts.add("eve", "another horse battery staple", [Scope.ADMIN])
    login = {"username": "eve", "password": PASSWORD}
    pair = (await one.ask("POST", "/auth/login", login)).json
    session = await one.ask("POST", "/auth/login", {**login, "session": True})
    cookie = session.headers["set-cookie"].partition(";")[0]

    refused = [
        await other.ask("POST", "/auth/login", login),
        await other.ask("GET", "/jobs", None, {"Authorization": f"Bearer {pair['access_token']}"}),
        await other.ask("POST", "/auth/refresh", {"refresh_token": pair["refresh_token"]}),
        await other.ask("GET", "/jobs", None, {"Cookie": cookie}),
        await other.ask(
            "GET", "/jobs", None, {"Authorization": f"Bearer {one.token(Scope.ADMIN)}"}
        ),
    ]
    still = await one.ask("POST", "/auth/refresh", {"refresh_token": pair["refresh_token"]})

    assert {heard.status for heard in refused} == {401}
    assert still.status == 200


@pytest.mark.parametrize("schema", ["public", "other", "a" * 41, "a" * 40 + "b", "a" * 63])
def test_each_schema_has_a_bell_of_its_own(schema: str) -> None:
    names = ["public", "other", "a" * 40, "a" * 41, "a" * 40 + "b", "a" * 62, "a" * 63]

    channels = [channel_of(name) for name in names if name != schema]

    assert channel_of(schema) not in channels
    assert len(channel_of(schema)) <= 54  # with what a question adds, within 63
