"""The tray keeps the last messages, within its bounds."""

from windlass.clock import SystemClock
from windlass.sink.tray import MOST, ROOM, Tray


def filled(tray: Tray, count: int, size: int = 1) -> Tray:
    """The tray with so many more messages."""
    for _ in range(count):
        tray.put("bob@example.org", ("ada@example.org",), b"x" * size)
    return tray


def kept(tray: Tray) -> list[str]:
    """What is on it."""
    return [mail.id for mail in tray.newest_first()]


def test_the_oldest_make_room_for_new_ones() -> None:
    tray = filled(Tray(SystemClock(), most=3), 5)

    assert kept(tray) == ["5", "4", "3"]
    assert tray.get("2") is None
    assert tray.get("4") is not None


def test_large_ones_make_room_sooner() -> None:
    tray = filled(Tray(SystemClock(), room=100), 10, size=30)

    assert kept(tray) == ["10", "9", "8"]


def test_a_cleared_tray_is_empty_and_counts_on() -> None:
    tray = filled(Tray(SystemClock(), room=100), 3, size=30)

    tray.clear()
    assert kept(tray) == []

    assert kept(filled(tray, 3, size=30)) == ["6", "5", "4"]


def test_it_holds_a_thousand_in_64_mebibytes() -> None:
    assert (MOST, ROOM) == (1_000, 64 << 20)
