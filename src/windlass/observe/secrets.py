"""What must not be told."""

from windlass.core.secrets import without_password

__all__ = ["without_password"]
