"""An observer that remembers."""

from typing import TypeVar

from windlass.observe.events import Event

E = TypeVar("E")


class Recorder:
    """Keeps every event it is told, in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def on(self, event: Event) -> None:
        """Remember the event."""
        self.events.append(event)

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]
