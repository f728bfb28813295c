"""What the app remembers."""

from __future__ import annotations

from django.db import models


class Order(models.Model):
    """Something somebody wants."""

    to: models.TextField[str, str] = models.TextField()

    class Meta:
        """Named without the folders it is in."""

        app_label = "harbour"

    def __str__(self) -> str:
        return self.to
