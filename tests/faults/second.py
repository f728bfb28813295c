"""Lines F19 to F36: keys, SQL, disks, herds, payloads, placement, soak, simulation and upgrades."""

from tests.faults.line import Line

SQLITE = "tests/store/test_sqlite_processes.py"
THREADS = "tests/acceptance/test_threads.py"

SECOND = (
    Line(
        number="F19",
        fault="the API is killed at each step of an enqueue with a key: before the look at Redis,"
        " before the commit, inside the transaction, after the commit, before the answer",
        mark="one job for each key, none lost, whoever asks again",
        short="once at each step, at least 1,000 keys five times each, either store",
        full="200 times at each step, at least 1,000 keys five times each, either store",
        tests=("tests/acceptance/test_keys.py",),
    ),
    Line(
        number="F20",
        fault="a transaction stays open for ten minutes and holds back vacuum, 200 jobs a second",
        mark="p99 of claims ≤ 3 times that of calm, and 5 ms; a doctor says so after a minute",
        short="3 s, medians instead of p99",
        full="10 min, 132,000 jobs",
        tests=("tests/faults/test_long_transaction.py",),
        alone=True,
    ),
    Line(
        number="F21",
        fault="workers, reclaim, cancel, retry and pauses change the same 500 rows in any order",
        mark="PostgreSQL finds no deadlock, and nobody hears of one",
        short="3 s",
        full="60 s",
        tests=("tests/faults/test_deadlocks.py",),
    ),
    Line(
        number="F22",
        fault="PostgreSQL refuses 5 % of statements and commits (40001, serialization failure)",
        mark="no caller hears of it, no attempt is charged, nothing lost or doubled",
        short="300 jobs",
        full="2,000 jobs",
        tests=("tests/faults/test_serialization.py",),
    ),
    Line(
        number="F23",
        fault="the disk of the database is full, and then it is not",
        mark="503 and nothing half-written, readers are answered; work again ≤ 5 s after there is"
        " room; lost 0; SQLite's integrity_check says ok",
        short="once for a second, SQLite on 16 MiB",
        full="three times for 10 s, SQLite on 64 MiB and PostgreSQL on 128 MiB",
        tests=("tests/faults/test_disk.py",),
    ),
    Line(
        number="F24",
        fault="four processes write to one SQLite file while somebody reads it for 30 s",
        mark="nobody hears of a lock, lost 0, stale 0; a log of at most 64 MiB once nobody reads",
        short="4 s",
        full="60 s",
        tests=(f"{SQLITE}::test_four_processes_share_a_file_and_nobody_hears_of_a_lock",),
    ),
    Line(
        number="F25",
        fault="power cuts under SQLite: all processes killed, file and log copied as they are, with"
        " half a frame more or with the last frame cut off",
        mark="integrity_check says ok; nothing that was promised is lost",
        short="8 cuts",
        full="200 cuts",
        tests=(f"{SQLITE}::test_a_power_cut_loses_nothing_that_was_promised",),
    ),
    Line(
        number="F26",
        fault="PostgreSQL is away for 30 s under 50 workers, and comes back to all of them at once;"
        " or a stranger takes every connection there is",
        mark="connections ≤ 1.5 times those before, made over 2 s and more; all at their old pace"
        " ≤ 10 s after; without connections nothing is lost, and work goes on ≤ 5 s after",
        short="6 workers, away for 1 s; no connections for 1.5 s",
        full="50 workers in one process, each with connections of its own, away for 30 s; no"
        " connections for 10 s, five times",
        tests=("tests/faults/test_herd.py", "tests/faults/test_exhaustion.py"),
    ),
    Line(
        number="F27",
        fault="a host answers every webhook with 503 while others are well",
        mark="jobs for others are delivered as ever (p99 ≤ 2 times that of calm); the host is asked"
        " at most ten times a second and a tenth of what is delivered; Retry-After is obeyed",
        short="160 jobs for it and 40 for another host, 2 s",
        full="4,800 jobs for it and 1,200 for another host, 60 s",
        tests=("tests/faults/test_retry_storm.py",),
    ),
    Line(
        number="F28",
        fault="payloads that are too large, too deep or no good JSON: NUL, lone surrogates, NaN,"
        " 1e400, 5,000 digits, keys twice",
        mark="each is refused with 4xx or kept as it is; no 5xx, no row of a refused one",
        short="all of them",
        full="the same",
        tests=("tests/attacks/test_bodies.py",),
    ),
    Line(
        number="F29",
        fault="fences, attempts and ranks at 2^15, 2^31, 2^53 and 2^62, options beyond any column,"
        " a job with thousands of failures",
        mark="they run, or are refused; the claims and ends of all others are untouched",
        short="10,000 failures, either store",
        full="100,000 failures, either store",
        tests=("tests/faults/test_edges.py",),
    ),
    Line(
        number="F30",
        fault="a PgBouncer in transaction mode stands before PostgreSQL",
        mark="all is well without bells; that they are deaf is noticed ≤ 3 s after the start",
        short="300 jobs",
        full="2,000 jobs",
        tests=("tests/faults/test_pooler.py", "tests/store/test_pgbouncer.py"),
    ),
    Line(
        number="F31",
        fault="40 long jobs for four workers of two slots, one of which comes late",
        mark="done within 1.15 times the shortest time there is; no job is held for 100 ms before"
        " its start",
        short="jobs of 0.5 s, held for 500 ms",
        full="jobs of 5 s",
        tests=("tests/faults/test_hoarding.py",),
    ),
    Line(
        number="F32",
        fault="jobs of 1 to 16 threads on workers of 4 to 16, which are killed",
        mark="no worker ever grants more threads than it has, and none is lost to the dead",
        short="160 jobs, 5 kills, workers of 4 and 8, either store",
        full="5,000 jobs, 60 kills, workers of 4, 8 and 16, either store",
        tests=(
            f"{THREADS}::test_no_worker_ever_grants_more_threads_than_it_has_though_workers_are_killed",
        ),
    ),
    Line(
        number="F33",
        fault="a line of urgent jobs that never ends, and now and then one that is not urgent",
        mark="these wait no longer than aging says and the line before them takes; nobody is"
        " overtaken otherwise",
        short="4 s",
        full="5 min",
        tests=("tests/faults/test_aging.py",),
    ),
    Line(
        number="F34",
        fault="all of it together, at random, for hours",
        mark="every promise holds; memory, files, threads and connections do not grow",
        full="5 min, or as long as FAULTS_SOAK says: kills, freezes, rolling restarts, crashes of"
        " PostgreSQL, sessions ended, a Redis that is harmed all the time",
        tests=("tests/faults/test_soak.py",),
        reason="minutes instead of hours; FAULTS_SOAK=4h script/faults F34 is the release's dose",
    ),
    Line(
        number="F35",
        fault="simulated worlds: everything above that can be simulated, by the thousand",
        mark="500 worlds and more without a violation; every mutant caught",
        short="540 worlds, and every mutant in the world that caught it first",
        full="the same; script/soak --seeds 200000 goes on from there",
        tests=("tests/simulation/test_simulation.py", "tests/simulation/test_mutants.py"),
    ),
    Line(
        number="F36",
        fault="an upgrade under load: migration, old workers beside a new API, and back",
        mark="lost 0; nobody waits for a migration longer than 1 s",
        full="the version before the newest migration, taken from the history; 2,100 jobs and more,"
        " either store",
        tests=("tests/faults/test_upgrade.py",),
    ),
    Line(
        number="F37",
        fault="jobs have ended and nobody can commit that, when their worker or all of its node is"
        " killed (SIGKILL); and all are killed at random moments",
        mark="what had ended is not begun again; of those that end when the kill comes at most two"
        " a kill are done twice",
        short="20 jobs, and 4 kills, either store",
        full="100 jobs, and 60 kills, either store",
        tests=("tests/acceptance/test_wills.py",),
    ),
)
