"""How fast jobs come and go, and when a queue will be empty."""

import pytest

from windlass.core.flow import SECOND_US, Passed, Rates, Snapshot, anchored, drain, rates


def snapshot(at: float, counted: float | None = None, **queues: tuple[int, int]) -> Snapshot:
    return Snapshot(
        at_us=round(at * SECOND_US),
        counted_us=round((at if counted is None else counted) * SECOND_US),
        queues={name: Passed(*passed) for name, passed in queues.items()},
    )


def test_rates_are_what_passed_in_the_time_between() -> None:
    since = snapshot(100, mail=(50, 40))
    latest = snapshot(110, mail=(70, 90), fresh=(5, 0))

    found = rates(since, latest, {})

    assert found == {"mail": Rates(2.0, 5.0), "fresh": Rates(0.5, 0.0)}


def test_what_was_not_counted_anew_comes_as_fast_as_before() -> None:
    since = snapshot(100, 100, mail=(50, 40))
    latest = snapshot(110, 100, mail=(50, 60))

    found = rates(since, latest, {"mail": Rates(7.0, 1.0)})

    assert found == {"mail": Rates(7.0, 2.0)}


def test_rates_are_measured_over_half_a_minute_to_a_minute() -> None:
    anchors: list[Snapshot] = []
    spans = []
    for second in range(0, 300, 5):
        latest = snapshot(second)
        anchors = anchored(anchors, latest)
        spans.append(second - anchors[0].at_us // SECOND_US)

    assert max(spans) <= 60
    assert min(spans[7:]) >= 30
    assert len(anchors) == 2


@pytest.mark.parametrize(
    ("depth", "flow", "seconds"),
    [
        (0, Rates(None, None), 0.0),
        (100, Rates(5.0, 10.0), 20.0),
        (100, Rates(5.0, 5.0), None),
        (100, Rates(6.0, 5.0), None),
        (100, Rates(None, 5.0), None),
    ],
)
def test_a_queue_drains_only_if_more_goes_than_comes(
    depth: int, flow: Rates, seconds: float | None
) -> None:
    assert drain(depth, flow) == seconds
