"""What this project is made of."""

import os
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

BASE_DIR = Path(__file__).parent.parent

# Before Django 6, tasks come with a package of their own.
TASKS_OF_ITS_OWN = find_spec("django.tasks") is not None
INSTALLED_APPS = [
    "windlass.contrib.django",
    *([] if TASKS_OF_ITS_OWN else ["django_tasks"]),
    "shop",
]

TASKS = {
    "default": {
        "BACKEND": "windlass.contrib.django.WindlassBackend",
        "QUEUES": ["default", "mail"],
    }
}


def database(url: str) -> dict[str, object]:
    """A database of Django's by its URL."""
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": BASE_DIR / "db.sqlite3",
            # So that a transaction that reads first can still write after a worker wrote.
            "OPTIONS": {"transaction_mode": "IMMEDIATE"},
        }
    parts = urlsplit(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.lstrip("/"),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": parts.port or "",
    }


DATABASES = {"default": database(os.environ.get("DATABASE_URL", ""))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ROOT_URLCONF = "harbour.urls"
SECRET_KEY = "of no use outside of this example"  # noqa: S105
DEBUG = True
USE_TZ = True
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
