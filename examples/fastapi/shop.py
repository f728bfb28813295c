"""A shop that answers at once and sends the receipt later.

Run it, with a worker inside, and buy something:

    pip install ../.. fastapi
    uvicorn shop:api &
    curl -X POST 'http://127.0.0.1:8000/orders?item=rope&email=ada@example.org'
    curl http://127.0.0.1:8000/receipts/THE-ID-IT-ANSWERED

To run the jobs elsewhere, set WORKER_HERE=no, and start as many of these as you like:

    windlass worker --app shop:jobs
"""

import os
from typing import Annotated, Any

from fastapi import Depends, FastAPI

from windlass import Context, Windlass, WindlassError
from windlass.contrib.starlette import lifespan, problem, windlass_of

jobs = Windlass()  # ./.windlass/windlass.db, or WINDLASS_STORE


@jobs.job(queue="mail", max_attempts=5, timeout=30)
async def send_receipt(ctx: Context, email: str, item: str) -> str:
    """Write the receipt; a real shop would send it, with ctx.id as its Message-ID."""
    ctx.log(f"receipt {ctx.id} to {email}")
    return f"Thank you for the {item}!"


worker_here = os.environ.get("WORKER_HERE") != "no"
api = FastAPI(lifespan=lifespan(jobs, worker=worker_here))
api.add_exception_handler(WindlassError, problem)  # an unknown job is a 404

Jobs = Annotated[Windlass, Depends(windlass_of)]


@api.post("/orders", status_code=202)
async def order(item: str, email: str) -> dict[str, str]:
    """Take an order; it is answered once the receipt cannot be lost any more."""
    kept = await send_receipt.enqueue(email=email, item=item)
    return {"receipt": kept.id}


@api.get("/receipts/{job_id}")
async def receipt(job_id: str, jobs: Jobs) -> dict[str, Any]:
    """Tell what became of a receipt."""
    job = await jobs.get(job_id)
    return {"status": job.state, "receipt": job.result}
