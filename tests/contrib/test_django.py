"""Django's tasks, kept and run by Windlass, in a Django that is set up for real."""

import asyncio
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from asgiref.local import Local
from asgiref.sync import sync_to_async
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test.utils import override_settings

from tests.contrib.harbour import TASKS, tasks
from tests.contrib.harbour.elsewhere import stray
from tests.contrib.harbour.models import Order
from windlass import Job, State
from windlass.contrib.django import WindlassBackend
from windlass.contrib.django.address import store_url as address_of
from windlass.contrib.django.flavour import (
    AnyResult,
    InvalidTask,
    InvalidTaskBackend,
    TaskResultDoesNotExist,
    TaskResultStatus,
    task_backends,
    task_enqueued,
    task_finished,
    task_started,
)
from windlass.core.errors import NotMigrated
from windlass.testing import drain_blocking
from windlass.wiring import migrate


def database(url: str) -> dict[str, Any]:
    """A database of Django's by the URL of a store that is in it."""
    if url.startswith("sqlite:///"):
        options = {"transaction_mode": "IMMEDIATE"}
        name = url.removeprefix("sqlite:///")
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": name, "OPTIONS": options}
    parts = urlsplit(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.lstrip("/"),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": parts.port or "",
    }


def move_to(url: str) -> None:
    """Let Django work with the database there, in every thread."""
    connections.close_all()
    connections.settings = connections.configure_settings({"default": database(url)})
    vars(connections)["_connections"] = Local(thread_critical=connections.thread_critical)


@pytest.fixture
def backend(store_url: str) -> Iterator[WindlassBackend]:
    """The backend on either database, with all tables there."""
    asyncio.run(migrate(store_url))
    move_to(store_url)
    with connection.schema_editor() as editor:
        editor.create_model(Order)
    backend = task_backends["default"]
    assert isinstance(backend, WindlassBackend)
    yield backend
    backend.app.blocking.close()
    connections.close_all()


def run(backend: WindlassBackend) -> list[Job]:
    """Run what is due, as a worker would."""
    return drain_blocking(backend.staffed())


def test_a_task_is_kept_with_the_transaction_in_which_it_is_enqueued(
    backend: WindlassBackend,
) -> None:
    assert backend.app.blocking.jobs() == []

    with transaction.atomic():
        order = Order.objects.create(to="ada")
        result = tasks.confirm.enqueue(order.pk, loudly=True)
        assert backend.app.blocking.jobs() == []

    [job] = backend.app.blocking.jobs()
    assert (job.id, job.type, job.queue) == (
        result.id,
        "tests.contrib.harbour.tasks.confirm",
        "mail",
    )
    assert job.max_attempts == 5
    assert job.payload == {"args": [order.pk], "kwargs": {"loudly": True}}


def test_a_task_of_a_transaction_that_is_rolled_back_never_was(backend: WindlassBackend) -> None:
    with transaction.atomic():
        Order.objects.create(to="ada")
        tasks.confirm.enqueue(1)
        transaction.set_rollback(True)

    assert backend.app.blocking.jobs() == []


def test_a_task_can_be_rolled_back_by_itself(backend: WindlassBackend) -> None:
    with transaction.atomic():
        kept = tasks.confirm.enqueue(1)
        with transaction.atomic():
            tasks.confirm.enqueue(2)
            transaction.set_rollback(True)

    assert [job.id for job in backend.app.blocking.jobs()] == [kept.id]


def test_tasks_run_and_their_results_are_told(backend: WindlassBackend) -> None:
    order = Order.objects.create(to="ada")
    plain, coroutine = tasks.confirm.enqueue(order.pk), tasks.count.enqueue()
    assert plain.status == TaskResultStatus.READY

    run(backend)

    plain.refresh()
    coroutine.refresh()
    assert (plain.return_value, coroutine.return_value) == ("ada is on its way", 1)
    assert plain.attempts == 1
    assert plain.worker_ids[0]
    assert plain.enqueued_at and plain.started_at and plain.finished_at  # noqa: PT018
    assert plain.enqueued_at <= plain.started_at <= plain.finished_at


def test_a_task_that_fails_is_tried_again_and_tells_every_error(backend: WindlassBackend) -> None:
    result = tasks.fail.enqueue("no wind")

    run(backend)
    result.refresh()
    assert (result.status, result.attempts) == (TaskResultStatus.READY, 1)
    backend.app.blocking.run_now(result.id)
    run(backend)

    result.refresh()
    assert result.status == TaskResultStatus.FAILED
    assert [error.exception_class for error in result.errors] == [ValueError, ValueError]
    assert "no wind" in result.errors[0].traceback
    assert result.attempts == 2


def test_a_key_that_is_held_answers_with_its_task(backend: WindlassBackend) -> None:
    once = tasks.count.using(idempotency_key="today")

    first, second = once.enqueue(), once.enqueue()

    assert first.id == second.id


def test_the_statements_are_part_of_a_connection_that_async_code_uses(
    backend: WindlassBackend,
) -> None:
    async def ask() -> AnyResult:
        try:
            return await tasks.count.aenqueue()
        finally:
            await sync_to_async(connections.close_all)()

    result = asyncio.run(ask())

    assert backend.app.blocking.get(result.id).state is State.PENDING


@pytest.fixture
def on_sqlite(sqlite_url: str) -> Iterator[WindlassBackend]:
    """The backend on SQLite, for what has nothing to do with the database."""
    asyncio.run(migrate(sqlite_url))
    move_to(sqlite_url)
    backend = task_backends["default"]
    assert isinstance(backend, WindlassBackend)
    yield backend
    backend.app.blocking.close()
    connections.close_all()


def test_a_task_with_context_knows_itself(on_sqlite: WindlassBackend) -> None:
    result = tasks.told.enqueue()

    run(on_sqlite)

    result.refresh()
    assert result.return_value == [result.id, 1, []]


def test_a_task_that_gives_up_has_failed_at_once(on_sqlite: WindlassBackend) -> None:
    result = tasks.give_up.enqueue()

    run(on_sqlite)

    result.refresh()
    assert result.status == TaskResultStatus.FAILED
    assert [error.exception_class.__name__ for error in result.errors] == ["Discard"]


def test_a_task_where_no_worker_looks_runs_all_the_same(on_sqlite: WindlassBackend) -> None:
    result = stray.enqueue("ahoy")

    [job] = run(on_sqlite)

    result.refresh()
    assert result.return_value == "ahoy"
    assert (job.type, job.name) == ("django.task", "tests.contrib.harbour.elsewhere.stray")


def test_time_and_priority_are_the_jobs_own(on_sqlite: WindlassBackend) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)

    result = tasks.count.using(run_after=later, priority=7).enqueue()

    job = on_sqlite.app.blocking.get(result.id)
    assert (job.state, job.priority, job.run_at) == (State.SCHEDULED, 7, later)


def test_signals_tell_of_the_ends_that_are_final(on_sqlite: WindlassBackend) -> None:
    heard: list[tuple[str, str]] = []
    signals = {"enqueued": task_enqueued, "started": task_started, "finished": task_finished}

    def listen(name: str) -> Any:
        def hear(task_result: AnyResult, **_: object) -> None:
            heard.append((name, task_result.status))

        return hear

    listeners = {name: listen(name) for name in signals}
    for name, signal in signals.items():
        signal.connect(listeners[name])

    result = tasks.fail.enqueue("no wind")
    run(on_sqlite)
    on_sqlite.app.blocking.run_now(result.id)
    run(on_sqlite)

    for name, signal in signals.items():
        signal.disconnect(listeners[name])
    assert heard == [
        ("enqueued", "READY"),
        ("started", "RUNNING"),
        ("started", "RUNNING"),
        ("finished", "FAILED"),
    ]


@pytest.mark.parametrize("result_id", ["01a1de87-37f0-7131-a522-54bc7d31ba09", "no id at all"])
def test_a_result_that_is_not_there_is_told_in_django_s_words(
    on_sqlite: WindlassBackend, result_id: str
) -> None:
    with pytest.raises(TaskResultDoesNotExist):
        on_sqlite.get_result(result_id)


def test_jobs_in_another_store_are_enqueued_after_the_commit(
    on_sqlite: WindlassBackend, tmp_path: Path
) -> None:
    elsewhere = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    chosen = {"default": {**TASKS["default"], "OPTIONS": {"STORE": elsewhere}}}

    with override_settings(TASKS=chosen):
        backend = task_backends["default"]
        assert isinstance(backend, WindlassBackend)
        with transaction.atomic():
            kept = tasks.count.enqueue()
            assert backend.app.blocking.jobs() == []
            with pytest.raises(InvalidTask, match="leave out the option STORE"):
                tasks.count.using(idempotency_key="today").enqueue()
        with transaction.atomic():
            tasks.count.enqueue()
            transaction.set_rollback(True)
        ids = [job.id for job in backend.app.blocking.jobs()]
        backend.app.blocking.close()

    assert ids == [kept.id]
    assert on_sqlite.app.blocking.jobs() == []


def test_tables_that_are_not_there_are_asked_for(sqlite_url: str) -> None:
    move_to(sqlite_url)

    with pytest.raises(NotMigrated, match=r"manage.py migrate"):
        tasks.count.enqueue()

    connections.close_all()


def test_what_one_call_says_is_not_said_of_the_type(on_sqlite: WindlassBackend) -> None:
    first = tasks.confirm.using(max_attempts=9, priority=3).enqueue(1)
    second = tasks.confirm.enqueue(2)

    jobs = [on_sqlite.app.blocking.get(result.id) for result in (first, second)]
    assert [(job.max_attempts, job.priority) for job in jobs] == [(9, 3), (5, 0)]
    declared = on_sqlite.staffed().registry.get(tasks.confirm.module_path)
    assert (declared.queue, declared.max_attempts, declared.timeout) == ("mail", 5, 30)
    assert declared.description == "Say that an order was taken."


def test_every_thread_has_a_backend_and_all_of_them_share_an_app(
    on_sqlite: WindlassBackend,
) -> None:
    seen: list[WindlassBackend] = []

    def look() -> None:
        backend = task_backends["default"]
        assert isinstance(backend, WindlassBackend)
        seen.append(backend)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()

    assert seen[0] is not on_sqlite
    assert seen[0].app is on_sqlite.app


def test_an_option_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(InvalidTaskBackend, match="no option 'STORES'; it has DATABASE, "):
        WindlassBackend("default", {"OPTIONS": {"STORES": "x"}})


def postgres_with(**said: Any) -> BaseDatabaseWrapper:
    """A PostgreSQL as DATABASES has it, which nobody opens."""
    chosen = {"ENGINE": "django.db.backends.postgresql", "NAME": "shop", **said}
    handler = type(connections)({"default": chosen})
    made: BaseDatabaseWrapper = handler["default"]
    return made


@pytest.mark.parametrize(
    ("said", "url"),
    [
        ({}, "postgresql:///shop"),
        (
            {"USER": "ada", "PASSWORD": "p@ss/word", "HOST": "db", "PORT": 5433},
            "postgresql://ada:p%40ss%2Fword@db:5433/shop",
        ),
        (
            {"USER": "ada", "HOST": "/run/postgresql", "PORT": "5433"},
            "postgresql://ada@/shop?host=%2Frun%2Fpostgresql&port=5433",
        ),
        (
            {"HOST": "db", "OPTIONS": {"sslmode": "require", "pool": True}},
            "postgresql://db/shop?sslmode=require",
        ),
    ],
)
def test_the_store_is_where_django_has_its_database(said: dict[str, Any], url: str) -> None:
    assert address_of(postgres_with(**said)) == url


def test_a_service_file_is_refused_in_words() -> None:
    with pytest.raises(ImproperlyConfigured, match="'STORE'"):
        address_of(postgres_with(OPTIONS={"service": "shop"}))


def test_a_check_advises_transactions_that_take_their_lock_at_once(sqlite_url: str) -> None:
    move_to(sqlite_url)
    backend = task_backends["default"]

    assert backend.check() == []
    connections["default"].settings_dict["OPTIONS"] = {}
    [advice] = backend.check()

    assert advice.id == "windlass.W001"
    assert "transaction_mode" in advice.hint


def test_migrate_brings_the_tables_along(sqlite_url: str) -> None:
    move_to(sqlite_url)
    config = apps.get_app_config("windlass")

    from django.core.management.sql import emit_post_migrate_signal  # noqa: PLC0415

    emit_post_migrate_signal(verbosity=0, interactive=False, db="default")

    assert config.verbose_name == "Windlass"
    assert tasks.count.enqueue().id
    connections.close_all()
