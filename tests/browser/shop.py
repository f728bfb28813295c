"""A little shop, whose jobs the pictures of the dashboard show."""

import asyncio
import random

from windlass import Context, Windlass

app = Windlass()


class PaymentDeclined(Exception):
    """The bank said no."""


class CarrierTimeout(Exception):
    """Nobody came to the phone."""


@app.job(queue="mail", max_attempts=5)
async def welcome_mail(user: str) -> str:
    """Greet somebody who is new."""
    await asyncio.sleep(random.expovariate(8))
    return f"sent to {user}@example.org"


@app.job(queue="payments", max_attempts=2)
async def charge_card(ctx: Context, order: int, amount: float) -> dict[str, float]:
    """Take the money for an order."""
    ctx.log(f"charging {amount} EUR for order {order}")
    await asyncio.sleep(random.uniform(0.1, 0.6))
    if order % 61 == 0 or random.random() < 0.04:
        raise PaymentDeclined("card was declined: insufficient funds")
    return {"order": order, "captured": amount}


@app.job(queue="shipping", max_attempts=3)
async def book_parcel(order: int, carrier: str) -> str:
    """Have an order fetched."""
    await asyncio.sleep(random.uniform(0.1, 0.8))
    if order % 83 == 0 or random.random() < 0.08:
        raise CarrierTimeout(f"{carrier} did not answer within 10 s")
    return f"{carrier}-{order:08}"


@app.job(queue="reports", timeout=600)
async def monthly_report(ctx: Context, month: str) -> dict[str, object]:
    """Add up a month, page by page."""
    pages = 24
    for page in range(1, pages + 1):
        ctx.log(f"{month}: page {page} of {pages}")
        ctx.progress(page / pages, f"page {page} of {pages}")
        await asyncio.sleep(0.5)
    return {"month": month, "pages": pages}
