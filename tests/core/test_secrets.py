"""What must not be told is not told."""

import pytest

from windlass.core.secrets import without_password


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("postgres://u:p@h/d", "postgres://u:***@h/d"),
        ("postgres://u:p@ss@h/d", "postgres://u:***@h/d"),
        ("postgres://u:p/s@h/d", "postgres://u:***@h/d"),
        ("lost redis://:p@h at noon", "lost redis://:***@h at noon"),
        ("postgres://h/d?user=u&password=p&x=y", "postgres://h/d?user=u&password=***&x=y"),
        ("postgres://u@h:5432/d", "postgres://u@h:5432/d"),
        ("nothing to hide", "nothing to hide"),
    ],
)
def test_passwords_are_hidden_and_the_rest_stays(text: str, told: str) -> None:
    assert without_password(text) == told
