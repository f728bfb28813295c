"""The order of tests, on small lists."""

from tests.order import dealt


def test_every_share_has_as_many_long_tests_and_ends_with_short_ones() -> None:
    short, long = [f"s{number}" for number in range(20)], [f"L{number}" for number in range(4)]

    order = dealt(short, long, 2)

    assert " ".join(order[:12]) == "L0 s0 s1 s2 s3 L2 s4 s5 s6 s7 s8 s9"
    assert " ".join(order[12:]) == "L1 s10 s11 s12 s13 L3 s14 s15 s16 s17 s18 s19"


def test_no_test_is_lost_however_few_there_are() -> None:
    lists = [(short, long) for short in range(6) for long in range(6)]

    for short, long in lists:
        everything = [*range(short), *range(100, 100 + long)]
        order = dealt(everything[:short], everything[short:], 4)
        assert sorted(order) == everything
