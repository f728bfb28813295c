"""Takes orders, and shows them."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from shop.models import Order
from shop.tasks import confirm


@csrf_exempt
@require_POST
@transaction.atomic
def take(request: HttpRequest) -> HttpResponse:
    """Keep the order and the task that mails about it: both, or neither."""
    order = Order.objects.create(to=request.POST["to"])
    order.task = confirm.enqueue(order.pk).id
    order.save()
    return JsonResponse(told(order), status=201)


@require_GET
def show(_request: HttpRequest, number: int) -> HttpResponse:
    """Show the order, and how far its task has come."""
    order = Order.objects.get(pk=number)
    result = confirm.get_result(str(order.task))
    return JsonResponse({**told(order), "status": result.status})


def told(order: Order) -> dict[str, object]:
    """The order, as it is told."""
    return {"id": order.pk, "mailed": order.mailed, "task": str(order.task)}
