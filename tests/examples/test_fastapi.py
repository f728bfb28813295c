"""The example for FastAPI does what it shows."""

from pathlib import Path

import httpx2

from tests.examples.programs import copied, serving
from tests.waiting import until

ORDER = {"item": "rope", "email": "ada@example.org"}


async def test_a_shop_answers_at_once_and_writes_the_receipt_later(tmp_path: Path) -> None:
    folder = copied("fastapi", tmp_path)

    async with (
        serving("uvicorn shop:api --port 0", folder) as url,
        httpx2.AsyncClient(base_url=url, timeout=30) as web,
    ):
        ordered = await web.post("/orders", params=ORDER)
        receipt = f"/receipts/{ordered.json()['receipt']}"

        async def written() -> bool:
            return bool((await web.get(receipt)).json()["status"] == "completed")

        await until(written)
        told = (await web.get(receipt)).json()
        unknown = await web.get("/receipts/none")

    assert ordered.status_code == 202
    assert told["receipt"] == "Thank you for the rope!"
    assert unknown.status_code == 404
    assert unknown.json()["type"] == "urn:windlass:problem:unknown-job"


async def test_the_receipts_can_be_written_elsewhere(tmp_path: Path) -> None:
    folder = copied("fastapi", tmp_path)

    async with (
        serving("uvicorn shop:api --port 0", folder, WORKER_HERE="no") as url,
        httpx2.AsyncClient(base_url=url, timeout=30) as web,
    ):
        ordered = await web.post("/orders", params=ORDER)
        before = (await web.get(f"/receipts/{ordered.json()['receipt']}")).json()

    assert before == {"status": "pending", "receipt": None}
