"""A program that has work done by a service elsewhere.

Start a service, which knows a few types of job without any code, and this beside it:

    pip install '../..[client]'
    windlass up &
    python report.py http://127.0.0.1:8080
"""

import sys

from windlass.client import Client, State, new_job


def main(url: str) -> None:
    """Have sums made, one by one and many at once, and tell what came of them."""
    with Client(url) as client:
        # With a key the request can be sent again, and is: it makes one job all the same.
        accepted = client.submit("add_numbers", {"x": 2, "y": 3}, idempotency_key="report-1")
        print("2 + 3 =", client.wait(accepted.id, timeout=30).result["sum"])

        batch = client.submit_many(
            [new_job("add_numbers", {"x": n, "y": n}, priority=n) for n in range(10)]
        )
        told = client.watch([verdict.id for verdict in batch.jobs if verdict.id])
        sums = [job.result["sum"] for job in told if job.status is State.COMPLETED]
        print("doubled:", sorted(sums))

        print("so far:", sum(1 for _ in client.jobs(q="type:add_numbers")), "sums")


if __name__ == "__main__":
    main(*sys.argv[1:])
