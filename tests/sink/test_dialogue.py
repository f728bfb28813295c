"""What the mail sink answers, and what it takes for a message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.sink import dialogue
from windlass.sink.dialogue import LARGEST, MOST_ERRORS, MOST_RECIPIENTS, Dialogue

HELLO = b"EHLO there\r\n"
ENVELOPE = HELLO + b"MAIL FROM:<bob@example.org>\r\nRCPT TO:<ada@example.org>\r\n"


class Caller:
    """Somebody who talks to the sink."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, tuple[str, ...], bytes]] = []
        self.line = Dialogue(lambda *mail: self.taken.append(mail))

    def say(self, words: bytes) -> list[int]:
        """The codes of the answers."""
        answers = self.line.hear(words).decode().splitlines()
        return [int(answer[:3]) for answer in answers if answer[3] == " "]


@pytest.fixture
def caller() -> Caller:
    """Somebody who has not said anything yet."""
    return Caller()


def test_a_message_is_taken_with_its_envelope(caller: Caller) -> None:
    codes = caller.say(ENVELOPE + b"DATA\r\nSubject: Hi\r\n\r\nHello\r\n.\r\nQUIT\r\n")

    assert codes == [250, 250, 250, 354, 250, 221]
    assert caller.taken == [
        ("bob@example.org", ("ada@example.org",), b"Subject: Hi\r\n\r\nHello\r\n")
    ]
    assert caller.line.over


def test_one_line_may_bring_several_messages(caller: Caller) -> None:
    caller.say(ENVELOPE + b"DATA\r\nfirst\r\n.\r\n")
    caller.say(b"MAIL FROM:<> SIZE=10 BODY=8BITMIME\r\nRCPT TO:<ada@example.org> NOTIFY=NEVER\r\n")
    caller.say(b"rcpt to: <eve@example.org>\r\ndata\r\nsecond\r\n.\r\n")

    assert [mail[2] for mail in caller.taken] == [b"first\r\n", b"second\r\n"]
    assert caller.taken[1][:2] == ("", ("ada@example.org", "eve@example.org"))


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        (b".\r\n", b""),
        (b"..\r\n.\r\n", b".\r\n"),
        (b"a\r\n..b\r\n...\r\n.\r\n", b"a\r\n.b\r\n..\r\n"),
        (b"\r\n\r\n.\r\n", b"\r\n\r\n"),
        (b"a\n.\nb\r\n.\r\n", b"a\n.\nb\r\n"),
        (b"a\r\n.\nMAIL FROM:<x>\r\n.\r\n", b"a\r\n\nMAIL FROM:<x>\r\n"),
        (b"a\n.\r\nb\r\n.\r\n", b"a\n.\r\nb\r\n"),
    ],
)
def test_a_message_ends_with_a_dot_between_whole_line_ends_and_nowhere_else(
    caller: Caller, sent: bytes, meant: bytes
) -> None:
    caller.say(ENVELOPE + b"DATA\r\n" + sent)

    assert [mail[2] for mail in caller.taken] == [meant]


@given(
    content=st.lists(st.sampled_from([b"\r\n", b".", b"a", b"\r", b"\n", b"\r\n.\r\n"])),
    cuts=st.lists(st.integers(1, 5), min_size=1),
)
def test_it_does_not_matter_in_what_pieces_it_comes(content: list[bytes], cuts: list[int]) -> None:
    whole = b"".join(content) + b"\r\n"
    dotted = (b"\r\n" + whole).replace(b"\r\n.", b"\r\n..")[2:]
    sent = ENVELOPE + b"DATA\r\n" + dotted + b".\r\nNOOP\r\n"
    caller, codes = Caller(), []

    while sent:
        codes += caller.say(sent[: cuts[0]])
        sent, cuts = sent[cuts[0] :], cuts[1:] or [1000]

    assert codes == [250, 250, 250, 354, 250, 250]
    assert [mail[2] for mail in caller.taken] == [whole]


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (b"MAIL FROM:<bob@example.org>\r\n", [503]),
        (HELLO + b"RCPT TO:<ada@example.org>\r\n", [250, 503]),
        (HELLO + b"MAIL FROM:<a@b>\r\nDATA\r\n", [250, 250, 503]),
        (HELLO + b"MAIL FROM:<a@b>\r\nMAIL FROM:<a@b>\r\n", [250, 250, 503]),
        (HELLO + b"MAIL FROM:a@b\r\n", [250, 501]),
        (HELLO + b"MAIL FROM:<a b>\r\n", [250, 501]),
        (HELLO + b"MAIL FROM:<a@b>\r\nRCPT TO:<>\r\n", [250, 250, 501]),
        (HELLO + b"MAIL FROM:<a@b> SIZE=%d\r\n" % (LARGEST + 1), [250, 552]),
        (b"EHLO\r\n", [501]),
        (b"HELO there\r\nNOOP\r\nVRFY ada\r\nRSET\r\n", [250, 250, 252, 250]),
        (HELLO + b"AUTH PLAIN AGFkYQBzZWNyZXQ=\r\nSTARTTLS\r\nDATAX\r\n", [250, 502, 502, 502]),
        (b"\xff\xfe\r\n", [502]),
    ],
)
def test_whoever_gets_it_wrong_is_told(caller: Caller, words: bytes, codes: list[int]) -> None:
    assert caller.say(words) == codes
    assert caller.taken == []


def test_a_web_page_cannot_leave_mail_here(caller: Caller) -> None:
    request = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + ENVELOPE + b"DATA\r\nx\r\n.\r\n"

    codes = caller.say(request)

    assert codes == [502]
    assert caller.line.over
    assert caller.taken == []


@pytest.mark.parametrize("words", [b"x" * 3_000, b"EHLO " + b"x" * 3_000 + b"\r\n"])
def test_a_line_without_end_ends_the_call(caller: Caller, words: bytes) -> None:
    assert caller.say(words) == [500]
    assert caller.line.over


def test_a_message_that_is_too_large_is_not_kept_in_memory_either(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogue, "LARGEST", 1_000)
    caller.say(ENVELOPE + b"DATA\r\n")

    for _ in range(100):
        assert caller.say(b"x" * 100) == []
    held = caller.line._coming
    assert held is not None
    assert len(held._came) < 100
    codes = caller.say(b"\r\n.\r\n" + ENVELOPE + b"DATA\r\n" + b"y" * 998 + b"\r\n.\r\n")

    assert codes == [552, 250, 250, 250, 354, 250]
    assert [len(mail[2]) for mail in caller.taken] == [1_000]


def test_there_is_an_end_to_recipients_and_to_mistakes(caller: Caller) -> None:
    caller.say(HELLO + b"MAIL FROM:<a@b>\r\n")

    codes = caller.say(b"RCPT TO:<c@d>\r\n" * (MOST_RECIPIENTS + MOST_ERRORS + 5))

    assert codes.count(250) == MOST_RECIPIENTS
    assert codes.count(452) == MOST_ERRORS
    assert codes[-1] == 421
    assert caller.line.over
