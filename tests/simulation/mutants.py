"""One-line mistakes, each of which a batch of worlds must notice.

An invariant that no mistake can break is not checked. Most of these were shipped by somebody: the
line says by whom, where it is known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from msgspec.structs import replace

from tests.simulation.database import Server, Storage
from windlass.core.errors import StoreAway
from windlass.core.outcome import Crashed, Ending, HandedBack
from windlass.core.settle import Settlement, done, settle
from windlass.store import sql_store
from windlass.store.enqueue import _take_keys
from windlass.store.queries import Queries, Query
from windlass.store.settling import finish
from windlass.store.sqlite_effects import Turn
from windlass.upkeep import reclaim
from windlass.worker import node, tenure, ways
from windlass.worker.doubts import Doubts
from windlass.worker.front import Front
from windlass.worker.hunger import Hunger
from windlass.worker.keeper import Keeper
from windlass.worker.settler import Settler
from windlass.worker.slots import Slots
from windlass.worker.standby import Standby


@dataclass(frozen=True, slots=True)
class Edit:
    """Some words of a statement, and others in their place."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Patch:
    """Something of a module or a class, and something else in its place."""

    owner: Any
    name: str
    made: Callable[[Any], Any]  # of what was there


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mistake."""

    name: str
    edits: tuple[Edit, ...] = ()
    patches: tuple[Patch, ...] = ()

    def queries(self, storage: Storage) -> Queries | None:
        """The statements with the mistake in them; nothing if it is not there."""
        return _mutated(self, storage) if self.edits else None

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Make the mistake in code, while the block runs."""
        before = [getattr(one.owner, one.name) for one in self.patches]
        for patch, old in zip(self.patches, before, strict=True):
            setattr(patch.owner, patch.name, patch.made(old))
        try:
            yield
        finally:
            for patch, old in zip(self.patches, before, strict=True):
                setattr(patch.owner, patch.name, old)


@cache
def _mutated(mutant: Mutant, storage: Storage) -> Queries:
    queries = Queries("sqlite")
    for edit in mutant.edits:
        text = storage.queries[edit.file].text
        if edit.old not in text:
            raise ValueError(f"{mutant.name}: {edit.file}.sql does not say {edit.old!r} any more")
        queries._queries[edit.file] = Query(edit.file, text.replace(edit.old, edit.new))
    return queries


# --- mistakes in code -----------------------------------------------------------------------------


def _settling(change: Callable[[Settlement, Ending], Settlement]) -> Callable[[Any], Any]:
    """`settle`, with something changed afterwards."""

    def made(old: Any) -> Any:
        def mistaken(claim: Any, ending: Ending, **rest: Any) -> Settlement:
            return change(old(claim, ending, **rest), ending)

        return mistaken

    return made


def _keeps_its_fence(after: Settlement, ending: Ending) -> Settlement:
    return after._replace(fence_after=after.fence) if isinstance(ending, HandedBack) else after


def _is_charged(after: Settlement, ending: Ending) -> Settlement:
    given_up = isinstance(ending, HandedBack)
    return (
        after._replace(attempts=after.attempts + 1, failures=after.failures + 1)
        if given_up
        else after
    )


def _uncounted(_old: Any) -> Any:
    def mistaken(claim: Any, ending: Ending, **rest: Any) -> Settlement:
        alike = Crashed(alone=False) if isinstance(ending, Crashed) else ending
        return settle(claim, alike, **rest)

    return mistaken


def _accused(_old: Any) -> Any:
    def mistaken(claim: Any, ending: Ending, **rest: Any) -> Settlement:
        alike = Crashed(alone=True) if isinstance(ending, Crashed) else ending
        return settle(claim, alike, **rest)

    return mistaken


def _excused(old: Any) -> Any:
    def mistaken(orphan: Any) -> Any:
        return replace(old(orphan), suspect=False)

    return mistaken


def _by_any_end(old: Any) -> Any:
    def mistaken(self: Any, orphan: Any) -> Settlement:
        claim = orphan.claim
        ends = {job: end for (job, _), end in self._ends(claim.worker).items()}
        end = ends.get(claim.id)
        if end is None:
            decided: Settlement = old(self, orphan)
            return decided
        taken: Settlement = end._replace(fence=claim.fence, fence_after=claim.fence)
        return taken

    return mistaken


def _though_asked(old: Any) -> Any:
    def mistaken(self: Any, orphan: Any) -> Settlement:
        decided: Settlement = old(self, orphan._replace(asked=False))
        return decided

    return mistaken


def _no_delay(after: Settlement, _ending: Ending) -> Settlement:
    return after._replace(delay=0.0)


def _keys_first(old: Any) -> Any:
    async def mistaken(self: Any, jobs: Sequence[Any]) -> Any:
        keyed = [job for job in jobs if job.key is not None]
        if keyed:
            await self.database.run(_take_keys(keyed))
        return await old(self, jobs)

    return mistaken


def _never_found(old: Any) -> Any:
    def mistaken(jobs: Sequence[Any], *, again: bool = False) -> Any:
        script = old(jobs, again=again)
        statement = next(script)
        while True:
            try:
                if statement.name == "enqueue_take_back":
                    statement = script.send([])
                else:
                    statement = script.send((yield statement))
            except StopIteration as stop:
                return stop.value

    return mistaken


def _settles_at_once(old: Any) -> Any:
    def mistaken(self: Any, claim: Any, now: float) -> Any:
        self.settler.put(claim, done(claim, str(claim.fence), now, now))
        return old(self, claim, now)

    return mistaken


def _not_while_draining(old: Any) -> Any:
    async def mistaken(self: Any, store: Any, told: Any) -> None:
        if not asyncio.get_running_loop().process.stopping:  # type: ignore[attr-defined]
            await old(self, store, told)

    return mistaken


def _drops(old: Any) -> Any:
    def mistaken(self: Any, hopeless: Any) -> None:
        self._waiting.clear()
        old(self, hopeless)

    return mistaken


def _gives_up(old: Any) -> Any:
    async def mistaken(self: Any, settlements: Any) -> Any:
        try:
            return await self._store.settle(settlements)
        except StoreAway:
            return []

    return mistaken if old else old


def _on_the_clock_of_the_worker(old: Any) -> Any:
    def mistaken(self: Server, process: str, commands: Any) -> None:
        found = self.around.processes.get(process)  # type: ignore[attr-defined]
        clock = self._writer._clock
        self._writer._clock = found.clock if found else clock
        try:
            old(self, process, commands)
        finally:
            self._writer._clock = clock

    return mistaken


def _heeds_no_refusal(_old: Any) -> Any:
    def mistaken(self: Turn, settlement: Settlement, now: float) -> None:
        self._session.answer(finish(settlement.worker, [settlement], now))

    return mistaken


def _believes(_old: Any) -> Any:
    def mistaken(self: Any, number: int) -> bool:
        return bool(number == self._number)

    return mistaken


def _takes_it_for_granted(old: Any) -> Any:
    async def mistaken(self: Any) -> bool:
        await old(self)
        return True

    return mistaken


def _tells_nobody(_old: Any) -> Any:
    async def mistaken(self: Any) -> bool:
        self.waiting = False
        return True

    return mistaken


def _never_polls(old: Any) -> Any:
    def mistaken(self: Any, look: Any, came: int, *, poll: float) -> None:
        old(self, look, came, poll=poll * 1e6)

    return mistaken


def _grants_without_end(_old: Any) -> Any:
    def mistaken(self: Any, claim: Any) -> None:
        self._grants[claim.id, claim.fence] = (0, 2)

    return mistaken


def _always(_old: Any) -> Any:
    return lambda *_: True


def _asks_nobody(_old: Any) -> Any:
    async def mistaken(self: Any) -> list[Any]:
        self._times = []
        return []

    return mistaken


def _alone_in_company(old: Any) -> Any:
    def mistaken(self: Any) -> Any:
        full = self.headroom <= 0
        return replace(old(self), ways=frozenset(self._ways), limit=0 if full else 1)

    return mistaken


FENCED = "j.id = s.id and j.fence = s.fence and j.worker = :worker"
LEASED = "and exists (select 1 from windlass_nodes where id = :node and lease_until > :now)"
LINES = ("claim", "claim_queues")
OPEN = "queue not in (select name from windlass_queues)"

MUTANTS = (
    Mutant("completes by id (Oban)", (Edit("settle_done", FENCED, "j.id = s.id"),)),
    Mutant(
        "completes what runs (River, oban-py)",
        (Edit("settle_done", FENCED, "j.id = s.id and j.state = 'running'"),),
    ),
    Mutant(
        "completes what runs or waits (Procrastinate)",
        (Edit("settle_done", FENCED, "j.id = s.id and j.state in ('pending', 'running')"),),
    ),
    Mutant(
        "fails without a fence",
        (Edit("settle_finish", FENCED, "j.id = s.id and j.state = 'running'"),),
    ),
    Mutant(
        "returns without a fence",
        (
            Edit(
                "settle_return",
                "windlass_jobs.fence = s.fence and windlass_jobs.worker = :worker",
                "windlass_jobs.state = 'running'",
            ),
        ),
    ),
    Mutant(
        "keeps stale notes",
        (Edit("note_lines", "j.id = s.job and j.fence = s.fence and", "j.id = s.job and"),),
    ),
    Mutant("renews everybody", (Edit("renew.extend", "where id = :node", "where :node <> ''"),)),
    Mutant(
        "claims without a lease",
        tuple(Edit(line, LEASED, "and :node <> ''") for line in LINES),
    ),
    Mutant(
        "claims from paused queues",
        (
            Edit("claim", f"and {OPEN}", ""),
            Edit("claim_queues", "and q.value not in (select name from windlass_queues)", ""),
        ),
    ),
    Mutant(
        "claims under the old fence",
        (
            Edit("claim.take", "fence = fence + 1", "fence = fence"),
            Edit("claim", "fence + 1", "fence"),
            Edit("claim_queues", "j.fence + 1", "j.fence"),
        ),
    ),
    Mutant(
        "counts attempts at the claim",
        (Edit("claim.take", "fence = fence + 1,", "fence = fence + 1, attempts = attempts + 1,"),),
    ),
    Mutant("promotes early", (Edit("promote", "run_at <= :now\n", "run_at <= :now + 500000\n"),)),
    Mutant(
        "cancels under the worker",
        (
            Edit("cancel", "select id, state", "select id, 'pending' as state"),
            Edit("cancel.keep", "and state <> 'running'", ""),
            Edit("cancel.gone", "and state <> 'running'", ""),
        ),
    ),
    Mutant(
        "goes on though asked to stop",
        (Edit("settle_return", "and windlass_jobs.cancel_asked_at is null", ""),),
    ),
    Mutant("retries under the old fence", (Edit("retry.back", "fence + 1", "fence"),)),
    Mutant("retries what is completed", (Edit("retry", "and +state <> 'completed'", ""),)),
    Mutant(
        "reclaims only known workers (Procrastinate)",
        (Edit("orphans", "left join windlass_workers w", "join windlass_workers w"),),
    ),
    Mutant(
        "reclaims before the lease is over",
        (Edit("orphans", "min(:lapsed_by, :now)", "min(:lapsed_by, :now) + 500000"),),
    ),
    Mutant(
        "counts no dead letters",
        (
            Edit(
                "settle_finish.tally",
                "where rowid > :mark",
                "where rowid > :mark and state <> 'failed'",
            ),
        ),
    ),
    Mutant("forgets who came alone", (Edit("line_up", "order by id", "limit 0"),)),
    Mutant(
        "keeps who was put in line",
        (Edit("line_up.gone", "windlass_newcomers", "windlass_newcomers where 0"),),
    ),
    Mutant("gives a lock twice", (Edit("lock_take.take", "and until <= :now\n", "\n"),)),
    Mutant(
        "hands back under the old fence",
        patches=(Patch(ways, "settle", _settling(_keeps_its_fence)),),
    ),
    Mutant("charges for a hand-back", patches=(Patch(ways, "settle", _settling(_is_charged)),)),
    Mutant("counts no crashes", patches=(Patch(reclaim, "settle", _uncounted),)),
    Mutant("accuses everyone of a crash", patches=(Patch(reclaim, "settle", _accused),)),
    Mutant("accuses nobody of a crash", patches=(Patch(reclaim, "death", _excused),)),
    Mutant(
        "takes an earlier end for the last", patches=(Patch(reclaim.Heir, "decide", _by_any_end),)
    ),
    Mutant(
        "reclaims though asked to stop", patches=(Patch(reclaim.Heir, "decide", _though_asked),)
    ),
    Mutant("retries at once", patches=(Patch(ways, "settle", _settling(_no_delay)),)),
    Mutant(
        "keeps the key before the job", patches=(Patch(sql_store.SqlStore, "_send", _keys_first),)
    ),
    Mutant(
        "keeps a finished job anew", patches=(Patch(sql_store, "enqueue_script", _never_found),)
    ),
    Mutant(
        "acknowledges before the work (Celery)",
        patches=(Patch(ways.Gear, "begin", _settles_at_once),),
    ),
    Mutant(
        "renews not while draining (Solid Queue, Hatchet)",
        patches=(Patch(Keeper, "_renew", _not_while_draining),),
    ),
    Mutant("drops what ended at the stop (oban-py)", patches=(Patch(Settler, "close", _drops),)),
    Mutant("sends a settlement once", patches=(Patch(Settler, "_insist", _gives_up),)),
    Mutant(
        "goes by the worker's clock",
        patches=(Patch(Server, "perform", _on_the_clock_of_the_worker),),
    ),
    Mutant("commits effects of the stale", patches=(Patch(Turn, "settle", _heeds_no_refusal),)),
    Mutant(
        "trusts a lease too long",
        patches=(
            Patch(tenure, "TRUSTED_SHARE", lambda _: 2.0),
            Patch(node, "TRUSTED_SHARE", lambda _: 2.0),
        ),
    ),
    Mutant("judges after an outage", patches=(Patch(tenure.Tenure, "unbroken", _always),)),
    Mutant("waits for bells alone", patches=(Patch(Front, "answered", _never_polls),)),
    Mutant(
        "forgets claims whose answer was lost",
        patches=(Patch(Doubts, "resolve", _asks_nobody),),
    ),
    Mutant(
        "hands a job to who has no lease",
        (Edit("enqueue_handed", "and n.lease_until > :now", ""),),
    ),
    Mutant(
        "hands out jobs of paused queues",
        (
            Edit(
                "enqueue_handed",
                "and not exists (select 1 from windlass_queues where name = :queue)",
                "",
            ),
        ),
    ),
    Mutant("believes the same news twice", patches=(Patch(Standby, "believes", _believes),)),
    Mutant("waits for news alone", patches=(Patch(Standby, "still", _takes_it_for_granted),)),
    Mutant("stands down and tells nobody", patches=(Patch(Standby, "end", _tells_nobody),)),
    Mutant("runs suspects in company", patches=(Patch(Hunger, "for_alone", _alone_in_company),)),
    Mutant("grants threads without end", patches=(Patch(Slots, "grant", _grants_without_end),)),
)
SHIPPED = Mutant("as it is shipped")
