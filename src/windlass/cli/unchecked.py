"""Jobs of types that only the workers know."""

from __future__ import annotations

from windlass.app.options import Options, applied
from windlass.clock import SystemChance
from windlass.core import limits
from windlass.core.job import NewJob
from windlass.executors import documents


def unchecked(type_: str, payload: object, options: Options) -> NewJob:
    """A job whose payload is JSON within the limits; no handler was asked about it."""
    name = limits.type_name(type_)
    text = documents.payload(name, payload)
    return applied(NewJob(SystemChance().job_id(), name, text), options)
