"""Errors that differ only in what they speak of are alike."""

import pytest

from windlass.core.errors import BadInput
from windlass.core.fingerprint import fingerprint, likeness, written

ALIKE = [
    ("user 42 is gone after 3.5 s", "user 7 is gone after 120 s", "user N is gone after N s"),
    (
        "no row 5f0c6a4e-9b1d-4f7e-8f3a-0a1b2c3d4e5f",
        "no row 01980e5c-7a2b-7cc3-9d1e-3f5a6b7c8d9e",
        "no row ID",
    ),
    ("KeyError: 'user_id'", "KeyError: 'order'", "KeyError: TEXT"),
    ('no table "a b"', 'no table "c"', "no table TEXT"),
    ("at 0x7f3a2b1c object", "at 0xdeadbeef object", "at HEX object"),
    ("commit deadbeef12 fails", "commit 0123456789abcdef fails", "commit HEX fails"),
    ("cannot reach 10.0.0.1:5432", "cannot reach 192.168.1.7:80", "cannot reach PLACE"),
    ("cannot reach fe80::1 now", "cannot reach 2001:db8:0:1::7 now", "cannot reach PLACE now"),
    ("no /tmp/a/b.txt there", "no /var/log/x there", "no PATH there"),
    (r"no C:\Users\ann there", r"no D:\x there", "no PATH there"),
    (
        "POST https://a.example/x?y=1 failed",
        "POST http://b.example:80/ failed",
        "POST URL failed",
    ),
    ("to ann@example.org refused", "to bob.b+x@mail.example.org refused", "to MAIL refused"),
    ("two\n  lines", "two lines", "two lines"),
]


@pytest.mark.parametrize(("one", "other", "alike"), ALIKE)
def test_what_differs_from_case_to_case_does_not_count(one: str, other: str, alike: str) -> None:
    assert likeness(one) == likeness(other) == alike
    assert fingerprint(one) == fingerprint(other)


def test_other_errors_have_other_fingerprints() -> None:
    errors = ["timed out", "refused", "it's gone, isn't it", None, "x" * 400]

    assert len({fingerprint(error) for error in errors}) == len(errors)


def test_an_apostrophe_is_no_quote() -> None:
    assert likeness("can't stop, won't start") == "can't stop, won't start"


def test_a_fingerprint_stays_the_same_for_ever() -> None:
    assert fingerprint("TimeoutError: timed out after 30 s") == "de5d49047970"
    assert fingerprint("x" * 500) == fingerprint("x" * 500 + " and 42 more")


def test_a_long_error_is_read_in_no_time() -> None:
    assert fingerprint("/" * 10_000 + ":" * 10_000 + "'" * 999) != fingerprint("")


@pytest.mark.parametrize("value", ["", "0123456789AB", "0123456789abc", 7])
def test_what_is_no_fingerprint_is_refused(value: object) -> None:
    with pytest.raises(BadInput, match="12 digits"):
        written(value)
