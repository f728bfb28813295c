"""Asks the service, and waits for what becomes of a job."""

import asyncio
from typing import Any

import aiohttp
import msgspec
from multidict import CIMultiDictProxy

PATIENCE = 30.0


async def ask(
    client: aiohttp.ClientSession,
    method: str,
    path: str,
    body: object = None,
    **headers: str,
) -> tuple[int, CIMultiDictProxy[str], Any]:
    """Send a request; the answer as status, headers, and its JSON or text."""
    said = {name.replace("_", "-"): value for name, value in headers.items()}
    async with client.request(method, path, json=body, headers=said) as answer:
        whole = await answer.read()
    if "json" in answer.headers.get("Content-Type", ""):
        return answer.status, answer.headers, msgspec.json.decode(whole)
    return answer.status, answer.headers, whole.decode()


async def finished(client: aiohttp.ClientSession, job_id: str) -> dict[str, Any]:
    """The job once it is over."""
    async with asyncio.timeout(PATIENCE):
        while True:
            _, _, job = await ask(client, "GET", f"/jobs/{job_id}")
            if job["completed_at"]:
                return dict(job)
            await asyncio.sleep(0.02)
