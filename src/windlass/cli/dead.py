"""`windlass dead`: dead letters in groups that failed alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from windlass.cli import look
from windlass.cli.desk import Desk
from windlass.cli.words import ago, count, first_line, instant

if TYPE_CHECKING:
    from windlass.core.faults import Group

TITLES = ("jobs>", "type", "last", "first?", "fingerprint??", "error")
MOST = 50


async def dead(desk: Desk) -> None:
    """Group the jobs that failed for good by type and error.

    Example: windlass dead
    """
    found = await (await desk.app.home()).store.dead(MOST)
    rows = [_row(desk, group) for group in found.groups]
    data = {"total": found.total, "groups": [*map(_told, found.groups)]}
    data["looked_back_to"] = found.looked_back_to
    desk.answer(
        data, look.table(TITLES, rows, width=desk.width) if rows else "no job failed for good"
    )
    if found.looked_back_to is not None:
        looked = count(found.looked_at, "job")
        desk.say(f"looked at {looked}, back to {instant(found.looked_back_to)}")
    if found.groups:
        desk.suggest(f"replay a group: windlass bulk retry '{_query(found.groups[0])}' --rate 10")


def _row(desk: Desk, group: Group) -> Sequence[RenderableType]:
    return (
        f"{group.count:,}",
        group.type,
        ago(group.last_at, desk.now),
        ago(group.first_at, desk.now),
        group.fingerprint,
        first_line(group.error),
    )


def _told(group: Group) -> dict[str, Any]:
    return {
        "type": group.type,
        "fingerprint": group.fingerprint,
        "count": group.count,
        "first_at": group.first_at,
        "last_at": group.last_at,
        "queues": group.queues,
        "sample": group.sample,
        "error": group.error,
        "q": _query(group),
    }


def _query(group: Group) -> str:
    return f"status:failed {group.query}"
