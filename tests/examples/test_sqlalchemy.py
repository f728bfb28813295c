"""The example for SQLAlchemy does what it shows."""

import signal
from pathlib import Path

from tests.examples.programs import copied, printed, start
from windlass import Windlass


async def test_users_and_their_jobs_are_kept_together_or_not_at_all(tmp_path: Path) -> None:
    folder = copied("sqlalchemy", tmp_path)
    first = await printed("python signup.py ada bob", folder)
    worker = await start("windlass worker --app signup:app", folder)

    async with Windlass(f"sqlite:///{folder / 'signup.db'}") as app:
        for job in await app.jobs():
            await app.wait(job.id, timeout=45)
    again = await start("python signup.py eve ada", folder)
    said, _ = await again.communicate()
    after = await printed("python signup.py", folder)
    worker.send_signal(signal.SIGTERM)
    await worker.communicate()

    assert first == "ada waits\nbob waits\n"
    assert said.decode() == "somebody has signed up before, so nobody does now\n"
    assert after == "ada is welcome\nbob is welcome\n"
    assert (again.returncode, worker.returncode) == (1, 0)
