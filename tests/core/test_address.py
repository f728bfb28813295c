"""Where a store is, and what is said about a URL that names none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.address import Address, parse_store_url
from windlass.core.errors import BadStore


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("postgres://h/d", Address("postgres", "postgresql://h/d")),
        ("postgresql://u:p@h:5432/d?x=y", Address("postgres", "postgresql://u:p@h:5432/d?x=y")),
        ("postgresql+asyncpg://h/d", Address("postgres", "postgresql://h/d")),
        ("postgresql:///d?host=/tmp", Address("postgres", "postgresql:///d?host=/tmp")),
        ("sqlite:///jobs.db", Address("sqlite", "jobs.db")),
        ("sqlite:///./a/jobs.db", Address("sqlite", "./a/jobs.db")),
        ("sqlite:////var/jobs.db", Address("sqlite", "/var/jobs.db")),
        ("sqlite://:memory:", Address("sqlite", ":memory:")),
        ("sqlite:///:memory:", Address("sqlite", ":memory:")),
    ],
)
def test_a_url_names_a_server_or_a_file(url: str, address: Address) -> None:
    assert parse_store_url(url) == address


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "is no store; write postgresql://"),
        ("jobs.db", "is no store; write postgresql://"),
        ("mysql://h/d", "is no store"),
        ("postgresql", "is no store"),
        ("postgresql://h:port/d", "its port is no number"),
        ("postgresql://h:99999/d", "its port is no number"),
        ("sqlite://", "names no file"),
        ("sqlite:///", "names no file"),
        ("sqlite://jobs.db", "names no file"),
        ("sqlite:///folder/", "names no file"),
        ("sqlite:///jobs.db?mode=ro", "has options"),
    ],
)
def test_a_url_that_names_no_store_is_refused_with_what_to_write(url: str, said: str) -> None:
    with pytest.raises(BadStore, match=said):
        parse_store_url(url)


@pytest.mark.parametrize(
    "url", ["mysql://u:s3cret@h/d", "postgresql://u:s3cret@h:port/d", "pg://u:s3c/ret@s3cret@h/d"]
)
def test_no_message_tells_the_password(url: str) -> None:
    with pytest.raises(BadStore) as refused:
        parse_store_url(url)

    assert "s3c" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_an_address_does_not_show_its_password() -> None:
    assert repr(parse_store_url("postgres://u:p@h/d")) == (
        "Address('postgres', 'postgresql://u:***@h/d')"
    )


@given(st.text(max_size=30))
def test_any_text_is_an_address_or_a_bad_store(url: str) -> None:
    for text in (url, f"postgres://{url}", f"sqlite://{url}"):
        try:
            address = parse_store_url(text)
        except BadStore:
            continue
        assert address.place
