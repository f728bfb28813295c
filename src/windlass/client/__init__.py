"""A typed client of the HTTP API, for programs that have nothing else of Windlass running.

    with Client("http://127.0.0.1:8080") as client:
        job = client.submit("add_numbers", {"x": 2, "y": 3})
        print(client.wait(job.id).result)

`AsyncClient` is the same with `await`. Nothing of the engine is loaded.
"""

from windlass.client.asking import new_job
from windlass.client.awaiting import AsyncClient
from windlass.client.blocking import Client
from windlass.client.errors import (
    BadAnswer,
    BadRequest,
    KeyTaken,
    NoAnswer,
    NotAllowed,
    NotFinished,
    NotNow,
    NotThere,
    Refused,
    WrongState,
)
from windlass.client.patience import Patience
from windlass.client.talks import Page
from windlass.core.backoff import Backoff
from windlass.core.errors import WindlassError
from windlass.core.job import State
from windlass.wire.fleet import Incident, JobType, Queue, Worker
from windlass.wire.jobs import (
    Accepted,
    Attempt,
    Batched,
    Explanation,
    Job,
    Line,
    Links,
    Progress,
    Submission,
    Verdict,
)
from windlass.wire.problem import Problem

__all__ = [
    "Accepted",
    "AsyncClient",
    "Attempt",
    "Backoff",
    "BadAnswer",
    "BadRequest",
    "Batched",
    "Client",
    "Explanation",
    "Incident",
    "Job",
    "JobType",
    "KeyTaken",
    "Line",
    "Links",
    "NoAnswer",
    "NotAllowed",
    "NotFinished",
    "NotNow",
    "NotThere",
    "Page",
    "Patience",
    "Problem",
    "Progress",
    "Queue",
    "Refused",
    "State",
    "Submission",
    "Verdict",
    "WindlassError",
    "Worker",
    "WrongState",
    "new_job",
]
