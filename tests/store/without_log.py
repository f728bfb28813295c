"""What a database's file says by itself, whatever its log has to add."""

import sqlite3
from contextlib import closing
from pathlib import Path


def paused_in_the_file(path: Path) -> list[str]:
    """The paused queues that are in the file; none while it is being written."""
    # Whoever calls a file immutable never looks at its log.
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as database:
        try:
            found = database.execute("select name from windlass_queues order by name").fetchall()
        except sqlite3.DatabaseError:
            return []
    return [name for (name,) in found]
