"""Messages are read without trust."""

import time
from email.message import EmailMessage
from email.policy import SMTP

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.sink.reading import BROKEN, INTRICATE, File, read, subject_of

PARTS = st.sampled_from(
    [
        *(b"Content-Type: ", b"multipart/mixed; ", b"boundary=b", b"text/html", b"; charset="),
        *(
            b"utf-7",
            b"idna",
            b"undefined",
            b"unknown-8bit",
            b"rot13",
            b"zlib",
            b"\r\n",
            b"\r\n\r\n",
        ),
        *(b"--b\r\n", b"--b--\r\n", b"Subject: ", b"=?utf-8?q?=FF?=", b"=?x?b?!?=", b"\xff\xfe"),
        *(b"Content-Disposition: attachment; filename", b'="', b'"', b"*=utf-8''%FF", b"*0*="),
        *(b"Content-Transfer-Encoding: ", b"base64", b"quoted-printable", b"x-uuencode", b"=3"),
        *(b"message/rfc822", b"message/delivery-status", b"\0", b"\r", b"\n", b" ", b"begin 6"),
    ]
)


def test_a_message_is_taken_apart() -> None:
    message = EmailMessage(policy=SMTP)
    message["Subject"] = "Grüße an Ada"
    message["To"] = "Ada Lovelace <ada@example.org>"
    message.set_content("Hello,\nyou.\n")
    message.add_alternative("<script>alert(1)</script>", subtype="html")
    message.add_attachment(b"12345", "image", "png", filename="blume ä.png")

    contents = read(message.as_bytes())

    assert subject_of(message.as_bytes()) == "Grüße an Ada"
    assert ("Subject", "Grüße an Ada") in contents.headers
    assert ("To", "Ada Lovelace <ada@example.org>") in contents.headers
    assert contents.text == "Hello,\nyou.\n"
    assert contents.html == "<script>alert(1)</script>\n"
    assert contents.files == [File("blume ä.png", "image/png", 5)]
    assert contents.problem is None


def test_text_that_is_attached_is_a_file() -> None:
    message = EmailMessage(policy=SMTP)
    message.set_content("Hello")
    message.add_attachment("a,b\n", subtype="csv", filename="a.csv")
    message.add_attachment("notes", filename="notes.txt")

    contents = read(message.as_bytes())

    assert contents.text == "Hello\n"
    assert [file.name for file in contents.files] == ["a.csv", "notes.txt"]


@pytest.mark.parametrize("charset", ["utf-7", "rot13", "nonsense", "idna", "undefined", "zlib", ""])
def test_text_in_a_charset_of_nobodys_is_shown_all_the_same(charset: str) -> None:
    contents = read(f"Content-Type: text/plain; charset={charset}\r\n\r\nHello\xff".encode())

    assert contents.text is not None
    assert contents.problem is None


@given(st.lists(PARTS | st.binary(max_size=4), max_size=30))
def test_whatever_comes_something_can_be_shown(parts: list[bytes]) -> None:
    content = b"".join(parts)

    contents = read(content)

    assert msgspec.json.encode(contents)
    assert msgspec.json.encode(subject_of(content))


def nested(depth: int) -> bytes:
    """A message in a message in a message."""
    part = b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n"
    return b"".join(part % (level, level) for level in range(depth))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (nested(50) + b"\r\n" * 8_000_000, INTRICATE),
        (nested(900), INTRICATE),
        (b"Subject: x\r\n\r\n" + b"\r" * 16_000_000, INTRICATE),
        (b"Content-Type: message/rfc822\r\n\r\n" * 100_000, BROKEN.format("RecursionError")),
        (b"Content-Type: multipart/mixed; " + b'a="b; ' * 2_000_000 + b"\r\n\r\n", None),
        (b"Subject: " + b"=?utf-8?q?=41?= " * 500_000 + b"\r\n\r\n", None),
    ],
)
def test_no_message_keeps_its_reader_for_long(content: bytes, problem: str | None) -> None:
    began = time.process_time()

    contents = read(content)

    assert time.process_time() - began < 5
    assert contents.problem == problem
    assert contents.headers
