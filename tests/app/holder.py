"""A process that takes a lock again and again: `python -m tests.app.holder URL FILE TTL`.

While it believes to hold the lock it writes its token and the time into the file, line by line.
"""

import asyncio
import sys
import time
from pathlib import Path

from windlass import Windlass
from windlass.core.errors import LockLost


async def hold(url: str, path: Path, ttl: float) -> None:
    """Take the lock for a while, give it back, and take it again."""
    async with Windlass(url) as app:
        while True:
            try:
                async with app.lock("report", ttl=ttl) as lock:
                    for _ in range(20):
                        at = time.monotonic()  # it may freeze between any two steps
                        lock.check()
                        write(path, "holds", lock.token, at)
                        await asyncio.sleep(0.005)
            except LockLost as lost:
                write(path, "lost", lost.token, time.monotonic())


def write(path: Path, what: str, token: int, at: float) -> None:
    """Add a line in one piece."""
    with path.open("a") as file:
        file.write(f"{what} {token} {at}\n")


if __name__ == "__main__":
    asyncio.run(hold(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])))
