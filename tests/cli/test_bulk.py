"""Many jobs at once, from the command line."""

import pytest

from tests.cli.terminal import Terminal
from tests.cli.test_worker import running


def test_a_bulk_action_is_a_job_to_look_at(windlass: Terminal) -> None:
    asked = windlass("bulk", "cancel", "type:greet")
    [job] = windlass("jobs", "--json").json

    assert asked.code == 0
    assert asked.out.strip() == job["id"]
    assert f"windlass job {job['id']}" in asked.err
    assert (job["type"], job["name"]) == ("windlass.bulk", "cancel type:greet")


def test_a_bulk_action_is_waited_for(windlass: Terminal) -> None:
    for _ in range(3):
        windlass.enqueued("greet", "--delay", "1h")

    with running(windlass, "--app", "shop:app"):
        done = windlass("bulk", "cancel", "type:greet", "--rate", "1000", "--wait", "--json")

    assert done.code == 0
    assert done.json["result"] == {"matched": 3, "changed": 3}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["burn", "status:failed"], "no bulk action 'burn'; actions: retry, cancel, delete"),
        (["retry", ""], "say which jobs to retry"),
        (["retry", "status:running"], "retry is for jobs that are failed or cancelled"),
        (["retry", "colour:red"], "no field 'colour'"),
        (["retry", "status:failed", "--rate", "0"], "rate must be jobs a second"),
    ],
)
def test_an_action_that_cannot_be_is_refused(
    windlass: Terminal, words: list[str], told: str
) -> None:
    refused = windlass("bulk", *words)

    assert refused.code == 2
    assert told in refused.err
    assert windlass("jobs", "--json").json == []
