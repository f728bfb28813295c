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
        short="12 kills, 10,000 jobs of 5 to 50 ms, either store",
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
        short="5 % of commits, 200 jobs; 2 % of all requests, 600 jobs; 5 claims, 5 hand-overs",
        full="5 % of commits and 2 % of all requests, 5,000 jobs each; 50 claims, 50 hand-overs",
        tests=("tests/faults/test_ambiguity.py", "tests/acceptance/test_lines.py"),
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
        short="once with a synchronous standby, and once to a standby and back",
        full="5,000 jobs; also with an asynchronous standby, 0.3 s behind, and without a word",
        tests=(
            "tests/faults/test_failover.py",
            "tests/faults/test_loss_window.py",
            "tests/faults/test_vanished_server.py",
        ),
    ),
    Line(
        number="F08",
        fault="a node is cut off from PostgreSQL for three leases, its link down or half-open",
        mark="stale accepted 0; it stops by itself before its lease ends; back ≤ 5 s",
        short="once each, for 1.5 leases, and once held up by a proxy",
        full="ten times each",
        tests=("tests/faults/test_cut_off.py", "tests/acceptance/test_partition.py"),
    ),
    Line(
        number="F09",
        fault="lines with 200 ms of latency, 1 % resets and 64 KB/s; a LISTEN that is half-open",
        mark="p99 of start latency ≤ 1.2 s (all together 2 s), bells back ≤ 15 s, none stuck",
        short="100 jobs, and 20 while bells are half-open",
        full="1,000 jobs each and all at once, and 200 while bells are half-open",
        tests=("tests/faults/test_slow_lines.py",),
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
        short="3 nodes",
        full="300 nodes",
        tests=("tests/faults/test_sudden_ends.py",),
    ),
    Line(
        number="F12",
        fault="three jobs that kill their process, by exit, out of memory and a wild pointer",
        mark="exactly these fail, as crashes, after at most 3 alone; nobody else is charged;"
        " throughput ≥ 70 % of a run without them",
        short="among 3,000, either store",
        full="the same, and 3,000 without them to compare with",
        tests=("tests/acceptance/test_poison.py", "tests/faults/test_poison_cost.py"),
    ),
    Line(
        number="F13",
        fault="jobs that hang: busy loops, sleeps without end, C code that keeps the GIL for 10 s",
        mark="ended ≤ 2 s after their timeout; no neighbour is taken for dead",
        short="8 that hang among 100, one that keeps the GIL for two leases",
        full="200 that hang among 2,000, ten that keep the GIL for five leases",
        tests=("tests/faults/test_hangs.py",),
    ),
    Line(
        number="F14",
        fault="clocks of workers off by hours and a day, or twice as fast; the database's set back",
        mark="never early by the database's clock, no false rescue, no lease longer than two",
        short="80 jobs, half of them scheduled, ids of callers whose clocks are wrong too",
        full="1,000 jobs, half of them scheduled",
        tests=("tests/faults/test_clocks.py",),
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
        full="2,000 keys, five requests at once, all harms, also frozen for 10 s",
        tests=("tests/faults/test_keys_under_harm.py", "tests/acceptance/test_redis.py"),
    ),
)
