"""The route by which many jobs are submitted at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from windlass.core.errors import BadInput
from windlass.core.job import NewJob
from windlass.http import problems
from windlass.http.access import Access
from windlass.http.answer import Answer, json
from windlass.http.problems import Refusal
from windlass.http.routing import Says, post
from windlass.http.service import Service
from windlass.http.submitting import options
from windlass.store.records import Enqueued
from windlass.wire import jobs as shapes

# So many jobs are made in a few milliseconds.
AT_ONCE = 250
# A batch that is wrong throughout is told of so many of its jobs.
MOST_TOLD = 100


@post(
    "/jobs/batch",
    access=Access.WRITE,
    answers={202: Says(shapes.Batched, "What became of each job.")},
)
async def submit_batch(service: Service, body: shapes.Batch) -> Answer:
    """Submit up to 10,000 jobs at once.

    All are kept or none; with `atomic` false those are kept that can be, and each of the others
    is answered with its reason.
    """
    made = await _drafts(service, body.jobs)
    answers: Sequence[Enqueued | Exception]
    if body.atomic:
        answers = await service.app.enqueue_many(_all(made))
    else:
        answers = await _each(service, made)
    verdicts = [_verdict(answer) for answer in answers]
    accepted = sum(verdict.id is not None for verdict in verdicts)
    return json(shapes.Batched(accepted, len(verdicts) - accepted, verdicts), 202)


async def _drafts(service: Service, asked: Sequence[shapes.Submission]) -> list[NewJob | Refusal]:
    """The jobs, made a few at a time, so that nobody else waits for all of them."""
    made: list[NewJob | Refusal] = []
    for start in range(0, len(asked), AT_ONCE):
        made += [await _draft(service, one) for one in asked[start : start + AT_ONCE]]
        await asyncio.sleep(0)
    return made


async def _draft(service: Service, asked: shapes.Submission) -> NewJob | Refusal:
    try:
        return await service.app.draft(asked.type, asked.payload, **options(asked))
    except BadInput as problem:
        return problems.refusal(problem)


def _all(made: Sequence[NewJob | Refusal]) -> list[NewJob]:
    """The jobs, if each of them can be; else a refusal that tells of each that cannot."""
    refused = [
        {"job": place, "detail": one.detail, "problem": one.name}
        for place, one in enumerate(made)
        if isinstance(one, Refusal)
    ]
    if refused:
        raise Refusal(
            422,
            "bad-batch",
            f"{len(refused)} of {len(made)} jobs cannot be, so none was kept;"
            f" the first: {refused[0]['detail']}",
            errors=refused[:MOST_TOLD],
        )
    return [one for one in made if not isinstance(one, Refusal)]


async def _each(service: Service, made: Sequence[NewJob | Refusal]) -> list[Enqueued | Exception]:
    good = [one for one in made if not isinstance(one, Refusal)]
    answers = iter(await service.app.enqueue_each(good))
    return [one if isinstance(one, Refusal) else next(answers) for one in made]


def _verdict(answer: Enqueued | Exception) -> shapes.Verdict:
    if isinstance(answer, Exception):
        refused = problems.refusal(answer)
        return shapes.Verdict(error=refused.detail, problem=refused.name)
    return shapes.Verdict(answer.id, answer.state)


ROUTES = [submit_batch]
