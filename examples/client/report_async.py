"""The same as report.py, in a program with an event loop: every verb is awaited.

With the service of report.py beside it:

    python report_async.py http://127.0.0.1:8080
"""

import asyncio
import sys

from windlass.client import AsyncClient


async def main(url: str) -> None:
    """Have sums made side by side, and tell what came of them."""
    async with AsyncClient(url) as client:

        async def double(number: int) -> int:
            accepted = await client.submit("add_numbers", {"x": number, "y": number})
            job = await client.wait(accepted.id, timeout=30)
            return int(job.result["sum"])

        print("doubled:", await asyncio.gather(*map(double, range(10))))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
