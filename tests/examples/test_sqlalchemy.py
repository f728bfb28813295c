"""The example for SQLAlchemy does what it shows."""

import signal
from pathlib import Path

from tests.examples.programs import copied, printed, start


async def test_users_and_their_jobs_are_kept_together_or_not_at_all(
    store_url: str, tmp_path: Path
) -> None:
    folder = copied("sqlalchemy", tmp_path)
    env = {"ENGINE_URL": store_url.replace("postgresql://", "postgresql+psycopg://")}
    first = await printed("python signup.py ada bob", folder, **env)
    worker = await start("windlass worker --app signup:app", folder, **env)

    async def welcomed() -> bool:
        return "waits" not in await printed("python signup.py", folder, **env)

    await until(welcomed, at_most=60)
    again = await start("python signup.py eve ada", folder, **env)
    said, _ = await again.communicate()
    after = await printed("python signup.py", folder, **env)
    worker.send_signal(signal.SIGTERM)
    await worker.communicate()

    assert first == "ada waits\nbob waits\n"
    assert said.decode() == "somebody has signed up before, so nobody does now\n"
    assert after == "ada is welcome\nbob is welcome\n"
    assert (again.returncode, worker.returncode) == (1, 0)
