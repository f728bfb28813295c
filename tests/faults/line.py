"""One line of the fault matrix."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What is done to the fleet, what must hold all the same, and which tests show it."""

    number: str
    fault: str
    mark: str
    short: str = ""  # the dose in every run of script/test
    full: str = ""  # the dose in script/faults
    tests: tuple[str, ...] = ()  # as pytest names them; without [..] all their parameters
    reason: str = ""  # why nothing shows it, or why less is shown than the mark asks for
    alone: bool = False  # its marks are milliseconds, so nothing else runs beside it
