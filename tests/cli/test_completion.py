"""Completion in bash: words that it has broken are completed as they were typed."""

import os
import pty
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from select import select

import pytest

from tests.cli.terminal import PATIENCE, WINDLASS, Terminal
from windlass.core.job import State

TEACH = 'eval "$(_WINDLASS_COMPLETE=source_bash windlass)"'


@pytest.fixture
def bash_env(windlass: Terminal) -> dict[str, str]:
    """Where a shell finds the command."""
    return {**windlass.env, "PATH": f"{WINDLASS.parent}:{windlass.env['PATH']}"}


def test_completion_knows_the_commands_and_their_options(windlass: Terminal) -> None:
    assert offered(windlass, "j") == ["jobs", "job"]
    assert offered(windlass, "jobs", "--q") == ["--queue"]


# The words are those that bash makes of a line.
@pytest.mark.parametrize(
    ("words", "offers"),
    [
        (["token", "--scope", "jobs", ":", "r"], ["read"]),
        (["token", "--scope", "jobs", ":"], ["read", "write"]),
        (["token", "--scope", "=", "jobs", ":", "w"], ["write"]),
        (["token", "--scope", "jobs", ":", "read", "--scope", "jobs", ":", "w"], ["write"]),
        (["token", "--scope", "jobs:r"], ["jobs:read"]),
        (["jobs", "--status", "=", "comp"], ["completed"]),
        (["jobs", "--status", "="], list(State)),
        (["jobs", "--queue", "mail", ":", "urgent", "--status", "comp"], ["completed"]),
        (["jobs", "--queue", "mail", ":", "urgent", ""], []),
        (["--store", "sqlite", ":", "///a.db", "jobs", "--q"], ["--queue"]),
        (["--store", "postgresql", ":", "//me", "@", "db/a", "jobs", "--q"], ["--queue"]),
        (["enqueue", "greet", "@", "a.json", "--q"], ["--queue"]),
    ],
)
def test_a_word_with_a_break_is_completed(
    windlass: Terminal, words: list[str], offers: list[str]
) -> None:
    assert offered(windlass, *words) == offers


def offered(windlass: Terminal, *words: str) -> list[str]:
    """What bash is told when it asks about the last of these words."""
    said = {"COMP_WORDS": "\n".join(["windlass", *words]), "COMP_CWORD": str(len(words))}
    answer = windlass(_WINDLASS_COMPLETE="complete_bash", **said)
    assert answer.code == 0
    return answer.out.split()


def test_bash_completes_what_an_option_takes(windlass: Terminal, bash_env: dict[str, str]) -> None:
    typed = f"""
        {TEACH}
        COMP_WORDS=(windlass jobs --status '') COMP_CWORD=3
        _windlass_completion windlass
        echo "${{COMPREPLY[@]}}"
    """

    done = subprocess.run(
        ["/bin/bash", "-c", typed],
        env=bash_env,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )

    assert done.stdout.split() == list(State)


def test_a_person_completes_a_word_after_its_colon(
    windlass: Terminal, bash_env: dict[str, str]
) -> None:
    (windlass.folder / "rc").write_text(f"{TEACH}\nPS1='ready> '\n")

    with bash_at_hand(windlass, bash_env) as screen:
        read_until(screen, "ready> ")
        os.write(screen, b"windlass token --scope jobs:r\t")
        shown = read_until(screen, "jobs:read ")

    assert "windlass token --scope jobs:read " in shown


@contextmanager
def bash_at_hand(windlass: Terminal, env: dict[str, str]) -> Iterator[int]:
    """A shell at which somebody types."""
    ours, theirs = pty.openpty()
    words = ["/bin/bash", "--noprofile", "--rcfile", str(windlass.folder / "rc"), "-i"]
    with subprocess.Popen(
        words, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as shell:
        os.close(theirs)
        try:
            yield ours
        finally:
            shell.kill()
            os.close(ours)


def read_until(screen: int, wanted: str) -> str:
    """What is shown, up to the words that are waited for."""
    shown = b""
    while wanted.encode() not in shown:
        assert select([screen], [], [], PATIENCE)[0], shown
        shown += os.read(screen, 4096)
    return shown.decode()
