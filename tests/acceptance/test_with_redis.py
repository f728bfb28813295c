"""Some of the suite, always run with a Redis that is harmed all the time."""

import pytest

from tests.acceptance.test_control import (
    test_a_cancel_reaches_a_running_job_in_another_process,
    test_a_job_that_was_cancelled_before_its_time_never_starts,
)
from tests.acceptance.test_delivery import test_a_webhook_is_called_again_with_the_same_ids
from tests.acceptance.test_supervisor import (
    test_another_node_takes_over_when_a_supervisor_is_killed,
)

__all__ = [
    "test_a_cancel_reaches_a_running_job_in_another_process",
    "test_a_job_that_was_cancelled_before_its_time_never_starts",
    "test_a_webhook_is_called_again_with_the_same_ids",
    "test_another_node_takes_over_when_a_supervisor_is_killed",
]


@pytest.fixture
def redis_mode() -> str:
    """There is Redis, whatever the environment says."""
    return "harmed"
