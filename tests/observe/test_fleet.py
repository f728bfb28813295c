"""The fleet's figures are told as Prometheus reads them."""

from prometheus_client import generate_latest

from windlass.core.census import MOST_NAMES, OTHER, RETRIED, REVIVED, Census, Line, Total
from windlass.core.job import State
from windlass.observe.fleet import Figures, FleetMetrics


def told(figures: Figures | None) -> dict[str, float]:
    """Every sample, by its name with its labels."""
    lines = generate_latest(FleetMetrics(figures)).decode().splitlines()
    pairs = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
    return {name.removeprefix("windlass_"): float(value) for name, value in pairs}


def of_mail(name: str) -> str:
    return f'{name}{{queue="default",type="mail"}}'


def test_totals_are_told_by_queue_and_type() -> None:
    totals = [
        Total("default", "mail", State.COMPLETED, 70, waited_us=5_000_000, ran_us=9_500_000),
        Total("default", "mail", State.FAILED, 4, ran_us=500_000),
        Total("default", "mail", State.CANCELLED, 3),
        Total("default", "mail", RETRIED, 20),
        Total("default", "mail", REVIVED, 1),
    ]
    census = Census(counted_us=10_000_000, lines=[Line("default", "mail", submitted=100)])

    samples = told(Figures(totals=totals, census=census))

    counters = {
        "jobs_submitted": 100,
        "jobs_completed": 70,
        "jobs_retried": 20,
        "jobs_failed": 24,
        "jobs_dead": 4,
        "jobs_cancelled": 3,
        "jobs_revived": 1,
        "job_wait_seconds": 5,
        "job_run_seconds": 10,
    }
    assert {name: samples[of_mail(f"{name}_total")] for name in counters} == counters
    assert samples["store_up"] == 1
    assert samples["census_timestamp_seconds"] == 10


def test_what_is_live_is_told_by_queue() -> None:
    lines = [
        Line("slow", "mail", 9, scheduled=1, pending=2, running=3, oldest_us=4_000_000),
        Line("slow", "report", 9, scheduled=0, pending=5, running=0, oldest_us=1_000_000),
        Line("quick", "mail", 9),
    ]
    census = Census(counted_us=11_000_000, lines=lines)

    samples = told(Figures(totals=[], census=census, nodes=1, workers=2, slots=200))

    assert samples['queue_depth{queue="slow"}'] == 7
    assert samples['queue_depth{queue="quick"}'] == 0
    assert samples['jobs_in_flight{queue="slow"}'] == 3
    assert samples['jobs_scheduled{queue="slow"}'] == 1
    assert samples['queue_oldest_seconds{queue="slow"}'] == 10
    assert 'queue_oldest_seconds{queue="quick"}' not in samples
    assert [samples[name] for name in ("nodes_active", "workers_active", "worker_slots")] == [
        1,
        2,
        200,
    ]


def test_a_counter_begins_at_nought() -> None:
    census = Census(counted_us=0, lines=[Line("default", "mail", submitted=1)])

    samples = told(Figures(totals=[], census=census))

    assert samples[of_mail("jobs_completed_total")] == 0


def test_names_are_bounded() -> None:
    totals = [Total(f"q{n:05}", "mail", State.COMPLETED, 1) for n in range(MOST_NAMES + 50)]
    census = Census(counted_us=0)

    samples = told(Figures(totals=totals, census=census))

    completed = [name for name in samples if name.startswith("jobs_completed_total")]
    assert len(completed) == MOST_NAMES + 1
    assert samples[f'jobs_completed_total{{queue="{OTHER}",type="{OTHER}"}}'] == 50


def test_a_store_that_does_not_answer_is_told_of() -> None:
    assert told(None) == {"store_up": 0}
