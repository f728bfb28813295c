"""A supervisor and its worker processes, started for real and ended in every way."""

import signal
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from tests.waiting import until
from tests.worker.program import Site
from windlass.core.job import Lane, State

# As if the system had no memory for it, the first few times that it is loaded.
DEADLY = """
import os, signal
with open("loads", "a+") as loads:
    loads.write("x")
    loads.seek(0)
    if len(loads.read()) <= {times}:
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
async def site(tmp_path: Path, store_url: str) -> AsyncIterator[Site]:
    site = Site(tmp_path, store_url)
    async with site.app:
        yield site


async def test_a_job_is_run_and_the_program_ends_on_a_signal_step_by_step(site: Site) -> None:
    job = await site.enqueue("add", '{"a": 1, "b": 2}')

    async with site.program() as program:
        done = await site.until_state(job, State.COMPLETED)
        code = await program.stop()

    assert done.result == "3"
    assert code == 0
    assert [line["msg"] for line in program.lines] == [
        f"connected to {site.app.storehouse.address.dialect}",
        "node joined",
        "worker started",
        "shutdown signal received",
        "worker stopped",
        "node left",
        "shutdown complete",
    ]
    home = await site.app._homes.here()
    assert (await home.store.fleet()).nodes == []


async def test_a_stopped_program_lets_running_jobs_end(site: Site) -> None:
    async with site.program() as program:
        job = await site.enqueue("sleep", '{"seconds": 0.5}')
        await until((site.folder / "slept").exists)
        code = await program.stop()

    assert code == 0
    assert (await site.job(job)).state is State.COMPLETED


async def test_a_second_signal_hands_running_jobs_back_uncharged(site: Site) -> None:
    async with site.program() as program:
        job = await site.enqueue("sleep", '{"seconds": 60}')
        await until((site.folder / "slept").exists)
        program.signal(signal.SIGINT)
        await program.until_said("shutdown signal received")
        program.signal(signal.SIGINT)
        code = await program.ended()

    handed_back = await site.job(job)
    assert code == 0
    assert (handed_back.state, handed_back.lane) == (State.PENDING, Lane.OPEN)
    assert (handed_back.attempts, handed_back.crashes) == (0, 0)


async def test_a_killed_worker_is_replaced_and_its_job_runs_again_alone(site: Site) -> None:
    async with site.program() as program:
        job = await site.enqueue("exit_once")
        done = await site.until_state(job, State.COMPLETED)
        await program.until_said("worker started", times=3)
        code = await program.stop()

    assert done.result == '"innocent"'
    assert done.crashes == 0
    assert [line["code"] for line in program.said("worker died")] == [-9]
    assert [line["alone"] for line in program.said("worker started")].count(True) == 1
    assert code == 0


async def test_a_job_that_kills_every_process_fails_and_takes_no_neighbour_along(
    site: Site,
) -> None:
    async with site.program() as program:
        poison = await site.enqueue("exit_at_once", max_crashes=2)
        neighbours = [await site.enqueue("sleep", '{"seconds": 0.2}') for _ in range(5)]
        failed = await site.until_state(poison, State.FAILED)
        for neighbour in neighbours:
            await site.until_state(neighbour, State.COMPLETED)
        await program.stop()

    assert (failed.reason, failed.crashes) == ("crash", 2)


async def test_workers_die_with_their_supervisor(site: Site) -> None:
    async with site.program() as program:
        await program.until_said("worker started")
        [worker] = program.workers()
        program.signal(signal.SIGKILL)
        await program.ended()

        await until(lambda: not psutil.pid_exists(worker) or gone(worker))


async def test_jobs_of_a_dead_supervisor_run_again(site: Site) -> None:
    async with site.program("lease=2s") as program:
        job = await site.enqueue("exit_once")
        await program.until_said("worker died")
        program.signal(signal.SIGKILL)
        await program.ended()

    async with site.program("lease=2s"):
        done = await site.until_state(job, State.COMPLETED)

    assert done.result == '"innocent"'


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)  # as below
async def test_an_app_that_cannot_be_loaded_ends_the_program_with_a_code_of_its_own(
    site: Site,
) -> None:
    async with site.program(app="shop:nothing") as program:
        code = await program.ended()

    assert code == 2
    assert any("nothing" in line for line in program.noise)


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)  # which has no part in it
@pytest.mark.parametrize("times", [2, 99])
async def test_a_process_that_is_killed_while_it_loads_the_app_is_replaced_a_few_times(
    site: Site, times: int
) -> None:
    job = await site.enqueue("add", '{"a": 1, "b": 2}')
    shop = site.folder / "shop.py"
    shop.write_text(DEADLY.format(times=times) + shop.read_text())

    async with site.program() as program:
        if times == 2:
            await site.until_state(job, State.COMPLETED)
            await program.stop()
        code = await program.ended()

    assert code == (0 if times == 2 else 2)
    assert [line["code"] for line in program.said("worker died")] == [-9] * min(times, 5)


async def test_a_worker_that_does_not_end_is_killed(site: Site) -> None:
    async with site.program("drain=0s") as program:
        await site.enqueue("freeze")
        await program.until_said("worker started")
        [worker] = program.workers()
        await until(lambda: psutil.Process(worker).status() == psutil.STATUS_STOPPED)
        code = await program.stop()

    assert code == 3
    assert program.said("shutdown complete")[0]["killed"] == 1


async def test_a_running_job_is_cancelled_on_request(site: Site) -> None:
    async with site.program() as program:
        job = await site.enqueue("sleep", '{"seconds": 60}')
        await until((site.folder / "slept").exists)
        await site.app.cancel(job)
        cancelled = await site.until_state(job, State.CANCELLED)
        await program.stop()

    assert cancelled.state is State.CANCELLED


async def test_several_processes_share_the_work(site: Site) -> None:
    async with site.program("processes=2") as program:
        await program.until_said("worker started", times=2)
        jobs = [await site.enqueue("add", '{"a": 1, "b": 2}') for _ in range(20)]
        for job in jobs:
            await site.until_state(job, State.COMPLETED)
        code = await program.stop()

    assert code == 0
    assert len(program.said("worker stopped")) == 2


async def test_a_node_that_the_fleet_forgot_begins_anew(site: Site) -> None:
    home = await site.app._homes.here()
    async with site.program("lease=2s") as program:
        await program.until_said("worker started")
        [(node, *_)] = (await home.store.fleet()).nodes
        await home.store.leave(node.id)
        await program.until_said("worker started", times=2)
        job = await site.enqueue("add", '{"a": 1, "b": 2}')
        await site.until_state(job, State.COMPLETED)
        await program.stop()

    assert len(program.said("node joined")) == 2


def gone(pid: int) -> bool:
    """Whether nothing is left of the process but its exit code."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
