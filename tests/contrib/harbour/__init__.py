"""A Django app with tasks, in a Django that is set up when this is first imported."""

import django
from django.conf import settings

BACKEND = "windlass.contrib.django.WindlassBackend"
TASKS = {"default": {"BACKEND": BACKEND, "QUEUES": ["default", "mail"]}}

if not settings.configured:
    settings.configure(
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        INSTALLED_APPS=["windlass.contrib.django", "tests.contrib.harbour"],
        TASKS=TASKS,
        USE_TZ=True,
    )
    django.setup()
