"""`windlass up` and `windlass serve`: real processes, from their first word to their last."""

import asyncio
import signal
import socket
import stat
from collections import Counter

import aiohttp
import psutil
import pytest

from tests.cli.standing import ADD, Standing, gone, secret_of, standing
from tests.cli.terminal import Terminal, trimmed
from tests.waiting import until
from windlass import Windlass
from windlass.cli.api import teller
from windlass.cli.desk import Desk
from windlass.config import Settings
from windlass.core.job import Job

SECRET = "0123456789abcdef" * 2
OPEN = "0.0.0.0"  # noqa: S104 - with a secret, or to be refused
CLIENTS = 8


@pytest.fixture
def either(request: pytest.FixtureRequest) -> Terminal:
    """The command, on the store that the test is for."""
    terminal: Terminal = request.getfixturevalue(request.param)
    return terminal


on_both = pytest.mark.parametrize("either", ["windlass", "windlass_on_postgres"], indirect=True)


async def test_one_command_serves_and_runs_jobs(windlass: Terminal) -> None:
    async with standing(windlass, "up") as server:
        status, accepted = await server.ask("POST", "/jobs", ADD)
        job = await server.finished(accepted["id"])
        health = await server.ask("GET", "/health")

    assert (status, accepted["status"]) == (202, "pending")
    assert (job["status"], job["result"]) == ("completed", {"sum": 5})
    assert health == (200, "ok")


async def test_it_tells_its_life_step_by_step(windlass: Terminal) -> None:
    async with standing(windlass, "up", workers=1) as server:
        server.signal(signal.SIGINT)
        code = await server.ended()

    told = [line["msg"] for line in server.lines()]
    steps = [
        *("connected to sqlite", "http server listening", "worker started"),
        *("shutdown signal received", "worker stopped", "shutdown complete"),
    ]
    assert code == 0
    assert [step for step in dict.fromkeys(told) if step in steps] == steps
    assert told[-1] == "shutdown complete"
    assert (told.count(steps[3]), told.count(steps[5])) == (1, 1)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings(), '-d \'{"type": "add_numbers", "payload": {"x": 2, "y": 3}}\'\n'),
        (Settings(secret=SECRET), '-H "Authorization: Bearer $(windlass token)"\n'),
        (Settings(jwks="https://id.example.org"), '-H "Authorization: Bearer $TOKEN"\n'),
    ],
)
def test_people_are_told_where_it_is_and_what_to_try(
    settings: Settings, said: str, attended: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    tell = teller(attended, Windlass(builtins=True), settings)

    tell("http://127.0.0.1:8080")

    told = trimmed(capsys.readouterr().out)
    assert "API        http://127.0.0.1:8080\n" in told
    assert "curl http://127.0.0.1:8080/jobs" in told
    assert said in told
    assert SECRET not in told
    assert max(map(len, told.splitlines())) < 100


def test_a_file_of_log_lines_holds_no_others(capsys: pytest.CaptureFixture[str]) -> None:
    tell = teller(Desk(None, json=False), Windlass(), Settings())

    tell("http://127.0.0.1:8080")

    assert capsys.readouterr().out == ""


async def test_workers_that_die_are_started_again(windlass: Terminal) -> None:
    async with standing(windlass, "up", workers=1) as server:
        [supervisor] = server.children()
        workers = supervisor.children()
        supervisor.kill()
        await until(lambda: len(server.said("worker started")) >= 2)
        _, accepted = await server.ask("POST", "/jobs", ADD)
        job = await server.finished(accepted["id"])
        await until(gone(workers))

    [died] = server.said("process died, starting it again")
    assert (died["what"], died["pid"], died["code"]) == ("workers", supervisor.pid, -9)
    assert job["status"] == "completed"


async def test_a_worker_that_dies_is_started_again(windlass: Terminal) -> None:
    async with standing(windlass, "up", workers=1) as server:
        [worker] = server.children()[0].children()
        worker.kill()
        await until(lambda: len(server.said("worker started")) >= 2)
        _, accepted = await server.ask("POST", "/jobs", ADD)
        job = await server.finished(accepted["id"])

    assert job["status"] == "completed"


async def test_workers_that_cannot_work_end_it_all(windlass: Terminal) -> None:
    (windlass.folder / "fickle.py").write_text(
        "import sys\nfrom windlass import Windlass\napp = Windlass()\n"
        "if 'windlass.wiring.child' in sys.orig_argv:\n    sys.exit('not here')\n"
    )

    answer = await asyncio.to_thread(windlass, "up", "--app", "fickle:app", "--port", "0")

    assert answer.code == 2
    assert "not here" in answer.err
    assert "starting it again" not in answer.err


async def test_nobody_is_left_behind_when_it_is_killed(windlass: Terminal) -> None:
    async with standing(windlass, "up", workers=1) as server:
        family = server.family()
        server.signal(signal.SIGKILL)
        await server.ended()

        await until(gone(family))

    assert len(family) >= 2


async def test_a_second_signal_does_not_wait(windlass: Terminal) -> None:
    (windlass.folder / "slow.py").write_text(
        "import asyncio\nfrom windlass import Windlass\napp = Windlass()\n"
        "@app.job\nasync def sleep() -> None:\n    await asyncio.sleep(3600)\n"
    )
    async with standing(windlass, "up", "--app", "slow:app", workers=1) as server:
        _, accepted = await server.ask("POST", "/jobs", {"type": "sleep"})

        async def runs() -> bool:
            _, job = await server.ask("GET", f"/jobs/{accepted['id']}")
            return bool(job["status"] == "running")

        await until(runs)
        server.signal(signal.SIGTERM)
        await until(lambda: server.said("http server stopped"))
        server.signal(signal.SIGTERM)
        await server.ended()

    assert server.said("worker waits for what runs")[0]["running"] == 1
    assert server.said("jobs handed back")[0]["jobs"] == [accepted["id"]]


async def test_a_port_that_is_taken_is_named(windlass: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        answers = [
            await asyncio.to_thread(windlass, *command, "--port", port)
            for command in (["up"], ["serve"], ["serve", "--processes", "2"])
        ]

    for answer in answers:
        assert answer.code == 2
        assert f"port {port} is taken" in answer.err
        assert "--port" in answer.err
    assert windlass.untouched


@pytest.mark.parametrize("host", [OPEN, "::", "192.0.2.1", "jobs.example.org"])
def test_an_open_door_is_refused_before_it_is_opened(windlass: Terminal, host: str) -> None:
    answer = windlass("up", "--host", host, "--port", "0")

    assert answer.code == 2
    assert "WINDLASS_SECRET" in answer.err
    assert "WINDLASS_OPEN=1" in answer.err
    assert windlass.untouched


async def test_it_is_opened_if_that_is_meant_and_warns(windlass: Terminal) -> None:
    async with standing(windlass, "serve", "--host", OPEN, WINDLASS_OPEN="1") as server:
        status, _ = await server.ask("GET", "/jobs")
        async with server.client.get(
            f"{server.url}/jobs", headers={"Host": "evil.example"}
        ) as rebound:
            pass

    assert (status, rebound.status) == (200, 421)
    assert "open to everybody" in server.said("advice")[0]["advice"]


async def test_with_a_secret_it_opens_to_who_has_a_token(windlass: Terminal) -> None:
    async with standing(
        windlass,
        "serve",
        "--host",
        OPEN,
        WINDLASS_SECRET=SECRET,
    ) as server:
        refused, _ = await server.ask("GET", "/jobs")
        made = await asyncio.to_thread(windlass, "token", WINDLASS_SECRET=SECRET)
        token = {"Authorization": f"Bearer {made.out.strip()}"}
        async with server.client.get(f"{server.url}/jobs", headers=token) as answer:
            pass

    assert (refused, answer.status) == (401, 200)
    assert SECRET not in "".join(str(line) for line in server.lines())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--app", "nowhere:app"], "no module 'nowhere'"),
        (["--host", "127.0.0.1.5.5"], "127.0.0.1.5.5"),
        (["--drain", "soon"], "'soon' is no duration"),
    ],
)
def test_what_cannot_start_says_why(windlass: Terminal, words: list[str], said: str) -> None:
    answer = windlass("up", *words, "--port", "0")

    assert answer.code == 2
    assert said in answer.err
    assert "Traceback" not in answer.err


def test_a_weak_secret_is_refused(windlass: Terminal) -> None:
    answer = windlass("serve", "--port", "0", WINDLASS_SECRET=SECRET[:5])

    assert answer.code == 2
    assert "WINDLASS_SECRET" in answer.err
    assert SECRET[:5] not in answer.err


async def test_the_embedded_store_and_its_secret_are_for_this_account_only(
    windlass: Terminal,
) -> None:
    del windlass.env["WINDLASS_STORE"]

    async with standing(windlass, "serve"):
        secret = secret_of(windlass.folder)
        modes = {stat.S_IMODE(path.stat().st_mode) for path in (secret, secret.parent)}
        kept = stat.S_IMODE((secret.parent / "windlass.db").stat().st_mode)

    assert modes == {0o600, 0o700}
    assert kept == 0o600


async def test_two_of_them_share_one_store(windlass: Terminal) -> None:
    async with standing(windlass, "up", workers=1) as one, standing(windlass, "serve") as other:
        _, accepted = await other.ask("POST", "/jobs", ADD)
        job = await one.finished(accepted["id"])

    assert job["status"] == "completed"


class Load:
    """Clients that post jobs as fast as they are answered, and remember every answer."""

    def __init__(self, server: Standing) -> None:
        self._url = f"{server.url}/jobs"
        self.accepted: list[str] = []
        self.statuses: Counter[int] = Counter()
        self.broken: list[Exception] = []

    async def run(self) -> None:
        """Post until nobody is there any more."""
        async with asyncio.TaskGroup() as group:
            for _ in range(CLIENTS):
                group.create_task(self._post())

    async def _post(self) -> None:
        async with aiohttp.ClientSession() as client:
            while await self._one(client):
                pass

    async def _one(self, client: aiohttp.ClientSession) -> bool:
        try:
            async with client.post(self._url, json=ADD) as answer:
                self.statuses[answer.status] += 1
                if answer.status == 202:
                    self.accepted.append((await answer.json())["id"])
                return True
        except aiohttp.ClientConnectorError:
            return False  # the door is closed: nothing was asked
        except aiohttp.ClientError as problem:
            self.broken.append(problem)
            return False


@on_both
async def test_a_stop_in_the_middle_of_load_drops_no_request(either: Terminal) -> None:
    async with standing(either, "serve") as server:
        load = Load(server)
        posting = asyncio.create_task(load.run())
        await until(lambda: len(load.accepted) > 200)
        server.signal(signal.SIGTERM)
        code = await server.ended()
        await posting

    async with Windlass(either.env["WINDLASS_STORE"]) as app:
        kept = (await app.stats()).states
    assert code == 0
    assert load.broken == []
    assert set(load.statuses) == {202, 503}
    assert len(load.accepted) == len(set(load.accepted)) == sum(kept.values())


@on_both
async def test_a_death_in_the_middle_of_load_loses_no_accepted_job(either: Terminal) -> None:
    async with standing(either, "serve") as server:
        load = Load(server)
        posting = asyncio.create_task(load.run())
        await until(lambda: len(load.accepted) > 200)
        server.signal(signal.SIGKILL)
        await server.ended()
        await posting

    async with Windlass(either.env["WINDLASS_STORE"]) as app:
        kept = {job.id for job in await every(app)}
    assert set(load.statuses) == {202}
    assert set(load.accepted) <= kept
    # Those whose answer was on its way are kept too, and nobody's twice.
    assert len(kept) <= len(load.accepted) + len(load.broken)


async def every(app: Windlass) -> list[Job]:
    """All jobs, page by page."""
    found: list[Job] = []
    page = await app.page(limit=100)
    while True:
        found += page.jobs
        if page.next is None:
            return found
        page = await app.page(limit=100, before=page.next)


async def test_while_it_stops_it_says_so(windlass: Terminal) -> None:
    async with standing(windlass, "serve") as server:
        assert (await server.ask("GET", "/readyz"))[0] == 200
        server.signal(signal.SIGTERM)

        async def draining() -> bool:
            return (await server.ask("GET", "/readyz"))[0] == 503

        await until(draining)
        refused, problem = await server.ask("POST", "/jobs", ADD)
        code = await server.ended()

    assert (refused, problem["type"]) == (503, "urn:windlass:problem:stopping")
    assert code == 0


async def test_several_processes_share_one_port(windlass_on_postgres: Terminal) -> None:
    async with standing(windlass_on_postgres, "serve", "--processes", "2") as server:
        await until(lambda: len(server.said("http server listening")) == 2)
        first, second = server.children()
        first.kill()
        await until(lambda: len(server.said("http server listening")) == 3)
        answers = [
            await _alone(server)
            for _ in range(20)  # each on a connection of its own
        ]
        alive = {child.pid for child in server.children()}
        server.signal(signal.SIGTERM)
        code = await server.ended()

    assert answers == [202] * 20
    assert second.pid in alive
    assert len(alive) == 2
    assert code == 0
    assert not psutil.pid_exists(second.pid)
    assert len(server.said("http server stopped")) == 2
    assert len(server.said("shutdown complete")) == 1


async def test_several_processes_on_sqlite_are_advised_against(windlass: Terminal) -> None:
    async with standing(windlass, "serve", "--processes", "2") as server:
        answer = await server.ask("POST", "/jobs", ADD)

    assert answer[0] == 202
    assert "SQLite" in server.said("advice")[0]["advice"]


async def _alone(server: Standing) -> int:
    async with (
        aiohttp.ClientSession() as client,
        client.post(f"{server.url}/jobs", json=ADD) as answer,
    ):
        return answer.status
