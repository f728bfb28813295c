"""What the shop remembers."""

from django.db import models


class Order(models.Model):
    """Something somebody wants."""

    to = models.EmailField()
    mailed = models.BooleanField(default=False)
    task = models.UUIDField(null=True)

    def __str__(self) -> str:
        return f"order {self.pk} for {self.to}"
