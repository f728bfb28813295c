"""What a process and all that it started have cost so far."""

from __future__ import annotations

import psutil


def family(pid: int) -> list[psutil.Process]:
    """The process and its descendants that are alive."""
    head = psutil.Process(pid)
    return [head, *head.children(recursive=True)]


def cpu(pid: int) -> float:
    """Seconds of CPU time of the whole family, also of those that ended."""
    while True:
        try:
            return sum(_own_and_ended(process) for process in family(pid))
        except psutil.NoSuchProcess:
            # One ended while we counted: its time is with its parent now, so count again.
            psutil.Process(pid)


def memory(pid: int) -> float:
    """Bytes that would be free without the family: what its members share counts once."""
    return float(sum(process.memory_full_info().pss for process in family(pid)))


def _own_and_ended(process: psutil.Process) -> float:
    spent = process.cpu_times()
    return float(spent.user + spent.system + spent.children_user + spent.children_system)
