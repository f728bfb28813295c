"""PostgreSQL rolls transactions back and asks to try again; nobody but the worker hears of it."""

import asyncio
from collections.abc import Callable

import psycopg
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Site
from tests.faults.dose import dose
from windlass.core.job import NewJob

JOBS = dose(short=300, full=2_000)
BATCH = 20
CALLERS = 4
# Statements that change jobs are refused now and then as they run, and settlements as they commit.
REFUSALS = """
create sequence refused;
create function refuse() returns trigger language plpgsql as $$
begin
    if random() < 0.05 then
        perform nextval('refused');
        raise exception 'could not serialize access' using errcode = 'serialization_failure';
    end if;
    return null;
end $$;
create trigger refuse after insert or update or delete on windlass_jobs
    for each statement execute function refuse();
create constraint trigger refuse after insert on windlass_rollups
    deferrable initially deferred for each row execute function refuse();
"""


@pytest.mark.timeout(240)
async def test_refused_transactions_are_sent_again_and_charged_to_nobody(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site = postgres_site
    with psycopg.connect(site.url) as connection:
        connection.execute(REFUSALS)
    for node in [site.node(slots=16) for _ in range(2)]:
        await node.ready()

    await asyncio.gather(*(call(site, range(first, JOBS, CALLERS)) for first in range(CALLERS)))
    await site.all_finished()

    with psycopg.connect(site.url) as connection:
        [refused] = connection.execute("select last_value from refused").fetchone() or [0]
    for name, figure in {**site.account()._asdict(), "refused": refused}.items():
        record_property(name, figure)
    assert site.audit() == Audit()
    assert {(job.attempts, job.failures) for job in site.books.finished()} == {(1, 0)}
    assert site.account().repeated <= refused  # blocks of effects, which only their handler knows
    assert refused >= JOBS / BATCH


async def call(site: Site, numbers: range) -> None:
    """Ask for jobs in batches; no caller is refused."""
    for first in range(0, len(numbers), BATCH):
        await site.enqueue(*(job(site, number) for number in numbers[first : first + BATCH]))


def job(site: Site, number: int) -> NewJob:
    """An effect, or a job that is settled in a batch, some of them for later."""
    kinds = (site.works.effect, site.works.plain_effect, site.works.rest)
    return kinds[number % 3].options(delay=0.2 if number % 5 == 0 else None).job(number, 0.005)
