"""Lines F01 to F18: processes, PostgreSQL, the network, hangs, clocks, cron and Redis."""

from tests.faults.line import Line

FREEZES = "tests/faults/test_freezes.py"
CRON = "comes with cron, which does not exist yet"

FIRST = (
    Line(
        number="F01",
        fault="a random worker of six, or its whole node, is killed (SIGKILL) every 500 ms",
        mark="lost 0, stale 0, effects exactly once, false dead letters 0; repeated starts at most"
        " kills times (slots + a batch); all over 30 s after the last kill",
        short="20 kills, 10,000 jobs of 5 to 50 ms, either store",
        full="120 kills, 10,000 jobs of 5 ms to 2 s, either store",
        tests=("tests/acceptance/test_kill.py",),
    ),
    Line(
        number="F02",
        fault="nodes are frozen (SIGSTOP) for three leases, and come back as zombies",
        mark="stale settlements seen ≥ 40, accepted 0; a zombie acts no longer than one renewal",
        short="8 nodes with 20 to 24 jobs each, either store, and 4 nodes for 1.5 leases",
        full="the same, and 40 zombies with jobs that act all the time",
        tests=(
            f"{FREEZES}::test_nothing_that_zombies_bring_back_counts_and_they_act_no_more",
            "tests/acceptance/test_freeze.py",
        ),
    ),
    Line(
        number="F03",
        fault="nodes are frozen for half a lease",
        mark="no job is taken from any of them",
        short="2 nodes, 2 times each",
        full="4 nodes, 50 times each, 2,000 jobs",
        tests=(f"{FREEZES}::test_nothing_is_taken_from_nodes_that_are_frozen_for_half_a_lease",),
    ),
    Line(
        number="F04",
        fault="PostgreSQL crashes (immediate stop) every 5 to 15 s, away for 0 to 2 s",
        mark="lost 0, doubled 0, no failure charged; every worker at work ≤ 3 s after it is back,"
        " without a restart",
        short="4 crashes",
        full="5 min, 50 jobs a second",
        tests=("tests/acceptance/test_outage.py",),
    ),
    Line(
        number="F05",
        fault="the answers to commits are lost, whether they were applied or not",
        mark="doubled 0, lost 0; claims whose answer was lost run again within 1 s",
        short="2 % of requests cut, 600 jobs",
        full="2 % of requests cut, 5,000 jobs",
        tests=("tests/acceptance/test_lines.py",),
    ),
    Line(
        number="F06",
        fault="sessions of workers are ended by pg_terminate_backend, ten a second",
        mark="lost 0, stale 0, no failure charged",
        short="3 s",
        full="60 s, 5,000 jobs",
        tests=("tests/faults/test_sessions.py",),
    ),
    Line(
        number="F07",
        fault="PostgreSQL fails over to a streaming standby under load",
        mark="synchronous: lost 0; asynchronous: what was lost is counted; no worker works on a"
        " server in recovery",
        reason="being written",
    ),
    Line(
        number="F08",
        fault="a node is cut off from PostgreSQL for three leases, its link down or half-open",
        mark="stale accepted 0; it stops by itself before its lease ends; back ≤ 5 s",
        short="one cut",
        full="one cut",
        tests=("tests/acceptance/test_partition.py",),
    ),
    Line(
        number="F09",
        fault="lines with 200 ms of latency, 1 % resets and 64 KB/s; a LISTEN that is half-open",
        mark="p99 of start latency ≤ 1.2 s, bells heard again ≤ 15 s, none stuck",
        reason="being written",
    ),
    Line(
        number="F10",
        fault="rolling restarts of all nodes (SIGTERM) under load",
        mark="no job starts twice, nothing is owned after the end, no failure is charged",
        short="3 nodes, 3 times, jobs of 20 to 300 ms, either store",
        full="6 nodes, 5 times, jobs of 20 ms to 3 s, either store",
        tests=("tests/acceptance/test_rolling.py",),
    ),
    Line(
        number="F11",
        fault="SIGTERM, and SIGKILL 0 to 200 ms later",
        mark="lost 0; what was claimed runs again within the lease + 1 s; repeated starts per kill"
        " at most slots + a batch",
        short="6 nodes",
        full="300 nodes",
        tests=("tests/faults/test_sudden_ends.py",),
    ),
    Line(
        number="F12",
        fault="three jobs that kill their process, by exit, out of memory and a wild pointer",
        mark="exactly these fail, as crashes, after at most 3 alone; nobody else is charged;"
        " throughput ≥ 70 % of a run without them",
        short="among 3,000, either store",
        full="the same",
        tests=("tests/acceptance/test_poison.py",),
    ),
    Line(
        number="F13",
        fault="jobs that hang: busy loops, sleeps without end, C code that keeps the GIL for 10 s",
        mark="ended ≤ 2 s after their timeout; no neighbour is taken for dead",
        reason="being written",
    ),
    Line(
        number="F14",
        fault="clocks of workers off by hours and a day, or twice as fast; the database's set back",
        mark="never early by the database's clock, no false rescue, no lease longer than two",
        reason="being written",
    ),
    Line(
        number="F15",
        fault="three schedulers, the leader frozen or killed every 2 s",
        mark="20 schedules of 1 s for 60 s make exactly 1,200 jobs",
        reason=CRON,
    ),
    Line(
        number="F16",
        fault="changes of daylight saving time in five zones, 2024 to 2030",
        mark="fixed times once a local day, intervals by absolute time, as an oracle says",
        reason=CRON,
    ),
    Line(
        number="F17",
        fault="cron expressions that never come true, or have 10,000 characters",
        mark="refused within 50 ms",
        reason=CRON,
    ),
    Line(
        number="F18",
        fault="Redis is killed, emptied, frozen, starved, while each key is sent five times",
        mark="one job for each key, no 5xx, at most 60 ms of added latency",
        short="one harm at a time for 4 s, and 1,000 keys while it is emptied all the time",
        full="the same",
        tests=(
            "tests/acceptance/test_redis.py",
            "tests/acceptance/test_keys.py",
        ),
    ),
)
