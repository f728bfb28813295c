"""`windlass worker --metrics`: what its processes did, for Prometheus to read."""

import http.client
import socket
import subprocess

from tests.cli.terminal import PATIENCE, WINDLASS, Terminal
from tests.cli.test_worker import ADA, running
from tests.waiting import until


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def scraped(port: int) -> dict[str, str]:
    """Every sample, by its name with its labels."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    pairs = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
    return {name.removeprefix("windlass_"): value for name, value in pairs}


async def test_what_worker_processes_did_is_shown_by_their_supervisor(windlass: Terminal) -> None:
    port = free_port()
    with running(
        windlass, "--app", "shop:app", "--metrics", f"127.0.0.1:{port}", "--slots", "7"
    ) as process:
        windlass("enqueue", "greet", ADA, "--app", "shop:app", "--wait")

        await until(lambda: scraped(port).get('attempts_settled_total{state="completed"}') == "1.0")
        told = scraped(port)
        process.terminate()
        ended = process.wait(timeout=PATIENCE)

    assert told['jobs_claimed_total{lane="open"}'] == "1.0"
    assert [value for name, value in told.items() if name.startswith("slots{")] == ["7.0"]
    assert float(told["lease_renewal_seconds_count"]) > 0
    assert ended == 0


def test_a_place_that_is_taken_is_a_sentence(windlass: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        done = subprocess.run(
            [WINDLASS, "worker", "--app", "shop:app", "--metrics", place],
            cwd=windlass.folder,
            env=windlass.env,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )

    assert done.returncode != 0
    assert f"metrics cannot be shown at {place}" in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
