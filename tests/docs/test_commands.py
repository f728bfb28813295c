"""Commands that are shown only to be read are such as there are."""

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile

import pytest

from tests.docs.page import blocks, pages
from windlass.cli.root import load

WINDLASS = re.compile(r"^(?:\w+=\S+ )*windlass (\w.*)$", re.MULTILINE)
SHELL = {"&", "|", ">", "&&"}


def shown() -> Iterator[str]:
    """Every line for windlass in a block that no test runs."""
    for page in pages():
        for block in blocks(page.read_text("utf-8")):
            if block.language == "sh" or block.excuse:
                yield from WINDLASS.findall(block.text.replace("$ windlass", "windlass"))


@pytest.mark.parametrize("line", sorted(set(shown())))
def test_a_command_that_is_shown_can_be_read(line: str) -> None:
    name, *words = takewhile(lambda word: word not in SHELL, shlex.split(line, comments=True))

    context = load(name).make_context(name, words)

    assert context.params.keys() >= {"store", "json"}
