"""Times and texts as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

# Each unit, its seconds, and from how many seconds on it is used: `90 s` says more than `2 min`.
UNITS = (("d", 86400, 172800), ("h", 3600, 7200), ("min", 60, 120), ("s", 1, 1), ("ms", 0.001, 0))
TENTHS_BELOW = 10
NOTHING = "-"
A_SECOND = timedelta(seconds=1)


def span(length: timedelta | None) -> str:
    """A length of time in the unit that suits it: `12 ms`, `3.4 s`, `5 min`, `2 d`."""
    if length is None:
        return NOTHING
    seconds = max(length.total_seconds(), 0.0)
    name, size = next((name, size) for name, size, least in UNITS if seconds >= least)
    number = seconds / size
    tenths = number < TENTHS_BELOW and round(number, 1) != round(number)
    return f"{number:.1f} {name}" if tenths else f"{number:,.0f} {name}"


def ago(moment: datetime | None, now: datetime) -> str:
    """A moment as seen from now: `5 min ago`, `just now`, `in 3 s`."""
    if moment is None:
        return NOTHING
    if abs(now - moment) < A_SECOND:
        return "just now"
    return f"in {span(moment - now)}" if moment > now else f"{span(now - moment)} ago"


def instant(moment: datetime) -> str:
    """The moment itself, to the millisecond."""
    text = moment.astimezone(UTC).isoformat(sep=" ", timespec="milliseconds")
    return text.replace("+00:00", " UTC")


def both(moment: datetime | None, now: datetime) -> str:
    """The moment as seen from now, and itself."""
    return NOTHING if moment is None else f"{ago(moment, now)}, {instant(moment)}"


def count(number: int, noun: str) -> str:
    """`1 job`, `2 jobs`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def harmless(text: str) -> str:
    """The text without what could command a terminal: jobs come from anywhere."""
    return "".join(each if each.isprintable() or each in "\n\t" else "�" for each in text)


def first_line(text: str | None, width: int = 60) -> str:
    """The beginning of a text, for a cell of a table."""
    line = harmless((text or "").strip().partition("\n")[0])
    return line if len(line) <= width else f"{line[: width - 1]}…"


def myself() -> str:
    """Who gives the command, for others to read later."""
    # Imported late: nothing else in here needs them, and --help needs none.
    import getpass  # noqa: PLC0415
    import socket  # noqa: PLC0415

    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number without a name
        user = "somebody"
    return f"{user}@{socket.gethostname()}"
