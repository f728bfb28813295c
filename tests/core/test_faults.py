"""What failed alike is one group, told by the failure that came last."""

from datetime import UTC, datetime, timedelta

from windlass.core.faults import Fault, Groups
from windlass.core.fingerprint import fingerprint
from windlass.core.job import JobId
from windlass.core.search import parse

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def fault(job: str, error: str, seconds: float, **given: str) -> Fault:
    at = NOW + timedelta(seconds=seconds)
    return Fault(JobId(job), given.get("type", "mail"), given.get("queue", "a"), error, at)


def test_groups_are_by_type_and_likeness_and_the_largest_is_first() -> None:
    groups = Groups()

    groups.add([fault("1", "other", 0), fault("2", "no 5", 3), fault("3", "no 7", 9)])
    groups.add([fault("4", "no 9", 1, queue="b"), fault("5", "no 9", 1, type="sms")])

    first, *rest = groups.largest(10)
    assert (first.type, first.count, first.queues) == ("mail", 3, ["a", "b"])
    assert (first.sample, first.error) == ("3", "no 7")
    assert first.last_at - first.first_at == timedelta(seconds=8)
    assert len(rest) == 2
    assert groups.largest(1) == [first]


def test_the_query_of_a_group_can_be_read_whatever_its_type_is_called() -> None:
    groups = Groups()
    groups.add([fault("1", "no 5", 0, type='send "mail": ü')])

    [group] = groups.largest(1)
    which = parse(group.query, NOW)

    assert (which.type, which.fingerprint) == ('send "mail": ü', fingerprint("no 6"))
