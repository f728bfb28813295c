"""Where settings come from, and what is said about a wrong one."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from windlass.config import DEFAULT_STORE, Settings, load
from windlass.core.errors import BadInput, BadStore


def set_to(settings: Settings) -> Settings:
    """What they are set to, wherever that is from."""
    return replace(settings, sources={})


def test_without_anything_there_are_defaults(tmp_path: Path) -> None:
    settings = load({}, tmp_path)

    assert set_to(settings) == Settings()
    assert settings.store == DEFAULT_STORE == "sqlite:///./.windlass/windlass.db"
    assert set(settings.sources.values()) == {"default"}


def test_the_environment_sets_everything(tmp_path: Path) -> None:
    environ = {
        "WINDLASS_STORE": "postgresql://h/d",
        "WINDLASS_SCHEMA": "jobs",
        "WINDLASS_REDIS": "redis://cache/1",
        "WINDLASS_APP": "shop.jobs:app",
        "WINDLASS_SLOTS": "7",
        "WINDLASS_THREADS": "3",
        "WINDLASS_PROCESSES": "2",
        "WINDLASS_POOL_THREADS": "4",
        "WINDLASS_QUEUES": "mail, reports,",
        "WINDLASS_POLL": "500ms",
        "WINDLASS_DRAIN": "2m",
        "WINDLASS_LEASE": "30",
        "WINDLASS_RETENTION": "30d",
        "WINDLASS_LOG": "debug",
        "WINDLASS_PGBOUNCER": "1",
        "WINDLASS_UNSAFE": "true",
        "WINDLASS_HOST": "0.0.0.0",  # noqa: S104 - nothing listens
        "WINDLASS_PORT": "80",
        "WINDLASS_SECRET": "s" * 32,
        "WINDLASS_JWKS": "https://id.example.org/keys",
        "WINDLASS_ISSUER": "https://id.example.org",
        "WINDLASS_AUDIENCE": "jobs",
        "WINDLASS_OPEN": "1",
        "WINDLASS_ORIGINS": "https://a.example.org, http://localhost:5173",
        "WINDLASS_HOSTS": "jobs.example.org",
        "WINDLASS_PROXIES": "127.0.0.1,10.0.0.0/8",
        "WINDLASS_RATE": "100",
        "WINDLASS_BODY_LIMIT": "2048",
        "WINDLASS_BATCH_LIMIT": "4096",
        "WINDLASS_REQUEST_TIMEOUT": "5s",
        "WINDLASS_METRICS": "127.0.0.1:9090",
        "WINDLASS_SMTP_URL": "smtps://mail.example.org",
        "WINDLASS_MAIL_FROM": "Jobs <jobs@example.org>",
        "WINDLASS_WEBHOOK_ALLOW": "10.0.0.0/8, *.corp.example",
        "WINDLASS_WEBHOOK_SECRETS": "whsec_a, hooks.example.org=whsec_b",
    }

    settings = load(environ, tmp_path)

    assert set_to(settings) == Settings(
        store="postgresql://h/d",
        schema="jobs",
        redis="redis://cache/1",
        app="shop.jobs:app",
        slots=7,
        threads=3,
        processes=2,
        pool_threads=4,
        queues=("mail", "reports"),
        poll=timedelta(seconds=0.5),
        drain=timedelta(minutes=2),
        lease=timedelta(seconds=30),
        retention=timedelta(days=30),
        log="debug",
        pgbouncer=True,
        unsafe=True,
        host="0.0.0.0",  # noqa: S104 - nothing listens
        port=80,
        secret="s" * 32,
        jwks="https://id.example.org/keys",
        issuer="https://id.example.org",
        audience="jobs",
        open=True,
        origins=("https://a.example.org", "http://localhost:5173"),
        hosts=("jobs.example.org",),
        proxies=("127.0.0.1", "10.0.0.0/8"),
        rate=100.0,
        body_limit=2048,
        batch_limit=4096,
        request_timeout=timedelta(seconds=5),
        metrics="127.0.0.1:9090",
        smtp_url="smtps://mail.example.org",
        mail_from="Jobs <jobs@example.org>",
        webhook_allow=("10.0.0.0/8", "*.corp.example"),
        webhook_secrets=("whsec_a", "hooks.example.org=whsec_b"),
    )
    assert settings.sources["slots"] == "WINDLASS_SLOTS"


def test_each_source_gives_way_to_the_one_that_is_nearer(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.windlass]\nslots = 1\ndrain = "1s"\nlog = "error"\nqueues = ["a"]\n'
    )
    (tmp_path / "windlass.toml").write_text("slots = 2\ndrain = 2\n")
    environ = {"WINDLASS_SLOTS": "3", "DATABASE_URL": "postgres://one/d"}

    settings = load(environ, tmp_path, {"slots": 4, "schema": None})

    assert (settings.slots, settings.drain, settings.log) == (4, timedelta(seconds=2), "error")
    assert (settings.queues, settings.store) == (("a",), "postgres://one/d")
    sources = settings.sources
    assert (sources["slots"], sources["drain"]) == ("the program", "windlass.toml")
    assert (sources["log"], sources["store"]) == ("pyproject.toml", "DATABASE_URL")
    assert sources["schema"] == "default"


def test_our_own_variable_wins_over_the_one_that_platforms_set(tmp_path: Path) -> None:
    environ = {"DATABASE_URL": "postgres://one/d", "WINDLASS_STORE": "postgres://two/d"}

    assert load(environ, tmp_path).store == "postgres://two/d"
    assert load({"REDIS_URL": "redis://one"}, tmp_path).redis == "redis://one"
    assert load({"API_PORT": "9000"}, tmp_path).port == 9000
    assert load({"API_PORT": "9000", "WINDLASS_PORT": "9001"}, tmp_path).port == 9001


PIECES = {
    "POSTGRES_HOST": "db",
    "POSTGRES_USER": "ada",
    "POSTGRES_PASSWORD": "p@ss/word:",
    "POSTGRES_DB": "jobs",
    "POSTGRES_SSL_MODE": "disable",
    "REDIS_HOST": "cache",
    "REDIS_PASSWORD": "s3:cret",
}


def test_a_database_may_stand_in_several_variables(tmp_path: Path) -> None:
    settings = load(PIECES, tmp_path)

    assert settings.store == "postgresql://ada:p%40ss%2Fword%3A@db:5432/jobs?sslmode=disable"
    assert settings.redis == "redis://:s3%3Acret@cache:6379/0"
    assert settings.sources["store"] == "POSTGRES_HOST"


def test_of_which_only_the_host_is_needed(tmp_path: Path) -> None:
    settings = load({"POSTGRES_HOST": "::1", "REDIS_HOST": "cache"}, tmp_path)

    assert settings.store == "postgresql://postgres@[::1]:5432/postgres"
    assert settings.redis == "redis://cache:6379/0"


def test_whole_addresses_win_over_pieces(tmp_path: Path) -> None:
    whole = {"DATABASE_URL": "postgres://one/d", "REDIS_URL": "redis://one"}

    settings = load(PIECES | whole, tmp_path)

    assert (settings.store, settings.redis) == ("postgres://one/d", "redis://one")


def test_what_kubernetes_says_of_its_services_is_not_meant_for_us(tmp_path: Path) -> None:
    address = "tcp://10.0.0.1:6380"

    settings = load({"API_PORT": address, "WINDLASS_PORT": address}, tmp_path)
    named = load({"REDIS_HOST": "redis", "REDIS_PORT": address}, tmp_path)

    assert set_to(settings) == Settings()
    assert named.redis == "redis://redis:6380/0"


def test_an_empty_variable_says_nothing(tmp_path: Path) -> None:
    assert set_to(load({"WINDLASS_SLOTS": "", "DATABASE_URL": ""}, tmp_path)) == Settings()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("WINDLASS_SLOTS", "many", "WINDLASS_SLOTS must be a whole number from 1 .* not 'many'"),
        ("WINDLASS_SLOTS", "0", "WINDLASS_SLOTS must be"),
        ("WINDLASS_THREADS", "-1", "WINDLASS_THREADS must be"),
        ("WINDLASS_DRAIN", "soon", "WINDLASS_DRAIN must be a duration such as 500ms"),
        ("WINDLASS_LOG", "loud", "WINDLASS_LOG must be debug, info, warning or error"),
        ("WINDLASS_UNSAFE", "maybe", "WINDLASS_UNSAFE must be 1 or 0"),
        ("WINDLASS_SCHEMA", "Jobs!", "WINDLASS_SCHEMA must be a plain lower-case SQL name"),
        ("WINDLASS_APP", "app.py", "WINDLASS_APP must be an app, as module:name"),
        ("WINDLASS_QUEUES", ",", "WINDLASS_QUEUES must be queues, as in mail,reports"),
        ("WINDLASS_POLL", "0", "poll must be more than 0 s"),
        ("WINDLASS_LEASE", "1s", "lease at least 2 s"),
        ("WINDLASS_PORT", "65536", "WINDLASS_PORT must be a port from 0"),
        ("API_PORT", "http", "API_PORT must be a port from 0"),
        ("WINDLASS_ORIGINS", "*", "WINDLASS_ORIGINS must be origins with scheme and without path"),
        ("WINDLASS_ORIGINS", "https://a.b/c", "WINDLASS_ORIGINS must be"),
        ("WINDLASS_HOSTS", "http://a.b", "WINDLASS_HOSTS must be names without scheme"),
        ("WINDLASS_PROXIES", "nginx", "WINDLASS_PROXIES must be addresses or networks"),
        ("WINDLASS_RATE", "0", "WINDLASS_RATE must be requests in a second"),
        ("WINDLASS_BODY_LIMIT", "1", "WINDLASS_BODY_LIMIT must be a number of bytes"),
        ("WINDLASS_REQUEST_TIMEOUT", "0", "request_timeout must be more than 0 s"),
        ("WINDLASS_METRICS", "9090", "WINDLASS_METRICS must be an address"),
        ("REDIS_URL", "http://cache", "'http://cache' is no Redis; write redis://host:6379/0"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_accepted(
    name: str, value: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=said):
        load({name: value}, tmp_path)


def test_a_wrong_value_of_the_program_is_named_by_its_setting(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^queues must be queues, as in mail,reports"):
        load({}, tmp_path, {"queues": ","})


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("windlass.toml", "slot = 5", "windlass.toml: no setting 'slot'; did you mean 'slots'?"),
        ("windlass.toml", "zzz = 5", "no setting 'zzz'; there are store, schema"),
        ("windlass.toml", "slots = ", "windlass.toml cannot be read"),
        ("windlass.toml", "slots = 0", "slots in windlass.toml must be a whole number from 1"),
        ("windlass.toml", "store = 5", "windlass.toml must be some text, not 5"),
        ("pyproject.toml", "[tool.windlass]\nslots = 'x'", "pyproject.toml must be a whole"),
    ],
)
def test_a_wrong_file_is_named(file: str, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(text)

    with pytest.raises(BadInput, match=said):
        load({}, tmp_path)


def test_what_the_program_gives_is_checked_too(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the program: no setting 'url'"):
        load({}, tmp_path, {"url": "x"})


def test_a_store_that_cannot_be_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadStore, match="is no store"):
        load({"WINDLASS_STORE": "mysql://h/d"}, tmp_path)


def test_no_password_is_shown(tmp_path: Path) -> None:
    environ = {"WINDLASS_STORE": "postgresql://u:s3cret@h/d", "REDIS_URL": "redis://:s3cret@h/0"}
    settings = load(environ, tmp_path)

    assert "s3cret" not in repr(settings)
    assert "postgresql://u:***@h/d" in repr(settings)


def test_no_secret_is_shown(tmp_path: Path) -> None:
    (tmp_path / "windlass.toml").write_text('secret = ["hush-hush"]')
    settings = Settings(secret="hush-hush" * 4, webhook_secrets=("whsec_hush",))

    with pytest.raises(BadInput) as refused:
        load({}, tmp_path)

    assert "hush" not in repr(settings)
    assert "hush" not in str(refused.value)
