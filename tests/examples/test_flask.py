"""The example for Flask does what it shows."""

import signal
from pathlib import Path

import httpx2

from tests.examples.programs import copied, serving, start
from tests.waiting import until


async def test_a_shop_answers_at_once_and_a_worker_writes_the_receipt(tmp_path: Path) -> None:
    folder = copied("flask", tmp_path)

    async with (
        serving("flask --app shop run --port 0", folder) as url,
        httpx2.AsyncClient(base_url=url, timeout=30) as web,
    ):
        ordered = await web.post("/orders", params={"item": "rope", "email": "ada@example.org"})
        receipt = f"/receipts/{ordered.json()['receipt']}"
        before = (await web.get(receipt)).json()
        worker = await start("windlass worker --app shop:jobs", folder)

        async def written() -> bool:
            return bool((await web.get(receipt)).json()["status"] == "completed")

        await until(written)
        after = (await web.get(receipt)).json()
        unknown = await web.get("/receipts/none")
        worker.send_signal(signal.SIGTERM)
        await worker.communicate()

    assert (ordered.status_code, before["status"]) == (202, "pending")
    assert after["receipt"] == "Dear ada@example.org, thank you for the rope! Yours, The Ropery"
    assert unknown.status_code == 404
    assert worker.returncode == 0
