"""Whatever befalls a fleet, what is promised holds: hundreds of worlds, each from one number."""

import pytest

from tests.simulation.trial import trial

SHARDS = 6
SEEDS = 16


@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_promise_holds_in_every_world(shard: int) -> None:
    verdicts = [trial(seed) for seed in range(shard * SEEDS, (shard + 1) * SEEDS)]

    broken = [verdict.told() for verdict in verdicts if verdict.violation]
    assert not broken, "\n\n".join(broken)


def test_the_same_seed_tells_the_same_story() -> None:
    first, again = trial(3), trial(3)

    assert first.digest == again.digest
