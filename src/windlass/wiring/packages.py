"""Executors that installed packages bring, by entry points of the group `windlass.executors`.

The name of an entry point is a type of job; what it names is a function, an object with `type` and
`execute`, or the class of such an object. Nothing is imported before its type is asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib.metadata import Distribution, EntryPoint, EntryPoints, distributions
from types import FunctionType

from windlass.core.backoff import Backoff
from windlass.core.errors import BadInput
from windlass.core.secrets import without_secrets
from windlass.executors.base import Executor
from windlass.executors.handlers import Declaration, from_function, from_object
from windlass.observe.events import ExecutorBroken

GROUP = "windlass.executors"
OURS = "windlass."
LONGEST_WHY = 500


class Packages:
    """What is installed here. One package that is broken takes no other along."""

    def __init__(self, taken: Iterable[str], backoff: Backoff) -> None:
        """Look nowhere yet; types that are `taken` are not to be replaced by installing things."""
        self._taken = frozenset(taken)
        self._backoff = backoff
        self._flaws: list[ExecutorBroken] = []
        self._tried: dict[str, Executor | None] = {}
        self._trying = threading.RLock()

    @property
    def flaws(self) -> Sequence[ExecutorBroken]:
        """What packages should bring and do not, as far as it was asked for."""
        return self._flaws

    def types(self) -> Sequence[str]:
        """The types that they say they bring."""
        return tuple(self._entries)

    def take(self, type_: str) -> Executor | None:
        """The executor of this type; one that cannot be had is among the flaws."""
        with self._trying:
            if type_ not in self._entries:
                return None
            if type_ not in self._tried:
                self._tried[type_] = self._try(self._entries[type_])
            return self._tried[type_]

    def origins(self) -> dict[str, str]:
        """The package of each type that can be had."""
        return {
            type_: _package(entry.dist)
            for type_, entry in self._entries.items()
            if self.take(type_) is not None
        }

    def _try(self, entry: EntryPoint) -> Executor | None:
        try:
            return _executor(entry, {"type": entry.name, "backoff": self._backoff})
        except (Exception, SystemExit) as problem:  # noqa: BLE001 — whatever a module does when imported
            self._flaws.append(_flaw(entry.name, entry.dist, _words(problem)))
            return None

    @cached_property
    def _entries(self) -> dict[str, EntryPoint]:
        found: dict[str, EntryPoint] = {}
        for entry in self._declared():
            objection = self._objection(entry, found.get(entry.name))
            if objection is None:
                found[entry.name] = entry
            else:
                self._flaws.append(_flaw(entry.name, entry.dist, objection))
        return found

    def _objection(self, entry: EntryPoint, rival: EntryPoint | None) -> str | None:
        if entry.name in self._taken or entry.name.startswith(OURS):
            return "the type is Windlass's own; name the entry point otherwise"
        if rival is not None:
            return f"{_package(rival.dist)} brings this type already; uninstall one of them"
        return None

    def _declared(self) -> Iterator[EntryPoint]:
        found: dict[str, EntryPoints] = {}
        for package in distributions():
            try:
                entries = package.entry_points.select(group=GROUP)
            except Exception as problem:  # noqa: BLE001 — whatever its files are
                self._flaws.append(_flaw(None, package, _words(problem)))
                continue
            if entries:
                # The same package twice on the path is what the first of them is.
                found.setdefault(_package(package), entries)
        # By name, so that of two rivals every machine takes the same, however its disk lists them.
        for name in sorted(found):
            yield from found[name]


def _executor(entry: EntryPoint, declared: Declaration) -> Executor:
    brought = entry.load()
    if isinstance(brought, FunctionType):
        return from_function(brought, declared)
    executor = brought() if isinstance(brought, type) else brought
    own = getattr(executor, "type", entry.name)
    if own != entry.name:
        raise BadInput(f"{entry.value} is of type {own!r}; name the entry point so")
    return from_object(executor, declared)


def _flaw(type_: str | None, package: Distribution | None, why: str) -> ExecutorBroken:
    return ExecutorBroken(type_, _package(package), why)


def _package(package: Distribution | None) -> str:
    try:
        return "a package" if package is None else f"{package.name} {package.version}"
    except Exception:  # noqa: BLE001 — as above: it may have lost the file that names it
        return "a package without a name"


def _words(problem: BaseException) -> str:
    if isinstance(problem, BadInput):
        return str(problem)
    said = " ".join(without_secrets(str(problem)).split())
    return f"{type(problem).__name__}: {said}"[:LONGEST_WHY] if said else type(problem).__name__
