"""What the shop does later."""

from django.core.mail import send_mail

from shop.models import Order
from windlass.contrib.django import task


@task(queue_name="mail", max_attempts=5, timeout=30)
def confirm(number: int) -> str:
    """Mail whoever gave an order that it was taken."""
    order = Order.objects.get(pk=number)
    send_mail("Your order", f"We have order {number}.", "shop@example.org", [order.to])
    order.mailed = True
    order.save()
    return f"mailed {order.to}"


@task
async def count() -> int:
    """Count the orders that are still to be mailed; a coroutine, since tasks may be."""
    return await Order.objects.filter(mailed=False).acount()
