"""A task where no worker looks."""

from windlass.contrib.django.task import task


@task
def stray(word: str) -> str:
    """Come back with a word."""
    return word
