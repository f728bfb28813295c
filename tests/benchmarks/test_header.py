"""What a side says of itself in its first lines."""

from pathlib import Path

import pytest

from benchmarks.peers.header import headers, read

HEADER = '''"""A side."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["peer==1.2", "redis[hiredis]==8.1.0"]
#
# [tool.side]
# name = "Peer"
# store = "redis"
# durable = false
# setup = "as it comes"
# workers = 2
# worker = ["{bin}/peer"]
# drain = 1_000
# ///
'''


def test_every_side_can_be_read_and_ours_come_first() -> None:
    found = headers()

    ours = {"windlass_postgres", "windlass_redis", "windlass_sqlite"}
    assert {header.side for header in found[:3]} == ours
    assert len({header.name for header in found}) == len(found)
    assert all(header.workers > 0 and header.drain > 0 for header in found)


def test_every_peer_is_pinned_to_exact_versions() -> None:
    peers = [header for header in headers() if not header.ours]

    assert all(header.versions() for header in peers)


def test_a_header_says_what_the_side_needs(tmp_path: Path) -> None:
    file = tmp_path / "peer.py"
    file.write_text(HEADER)

    header = read(file)

    assert (header.side, header.ours, header.workers) == ("peer", False, 2)
    assert header.versions() == {"peer": "1.2", "redis[hiredis]": "8.1.0"}


def test_a_header_with_a_word_that_nobody_knows_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "peer.py"
    file.write_text(HEADER.replace("# drain", "# speed = 9\n# drain"))

    with pytest.raises(ValueError, match=r"the header of peer\.py .*speed"):
        read(file)


def test_a_file_without_a_header_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "peer.py"
    file.write_text('"""A side."""\n')

    with pytest.raises(ValueError, match="says nothing of itself"):
        read(file)
