"""When a worker takes on a suspect, which runs alone so that a death can be laid to it."""

from __future__ import annotations

from windlass.worker.settings import WorkerSettings


class Suspicion:
    """What a worker knows of suspects: whether some wait in the fleet, and whether one is here."""

    def __init__(self, settings: WorkerSettings) -> None:
        """Begin without any."""
        self._settings = settings
        self._waiting_since: float | None = None
        self._here = False

    @property
    def waiting(self) -> bool:
        """Whether there are suspects that this worker might take."""
        return self._waiting_since is not None

    def hear(self, suspects: int, now: float) -> None:
        """Take in how many wait in the fleet."""
        if not suspects or not self._settings.takes_suspects:
            self._waiting_since = None
        elif self._waiting_since is None:
            self._waiting_since = now

    def claimed(self, *, one: bool) -> None:
        """Take in whether a suspect came, and believe that no other waits until the fleet says."""
        self._here = one
        self._waiting_since = None

    def stands_back(self, now: float, *, idle: bool, stuck: bool) -> bool:
        """Whether to claim nothing: one is here, or has waited so long that we run empty for it.

        Nobody runs empty who has something `stuck` that may never end.
        """
        if idle:
            self._here = False
            return False
        if self._here or stuck:
            return self._here
        since = self._waiting_since
        return since is not None and now - since >= self._settings.patience
