"""Wrong arguments are seen by the type checker, before anything runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
from typing import Any
from windlass import Context, Windlass

app = Windlass("sqlite://:memory:")

@app.job
async def welcome(user: str, times: int = 1) -> str:
    return user * times

@app.job(queue="mail", max_attempts=5, timeout=30)
def report(ctx: Context, number: int, *, title: str) -> None: ...

@app.job
def anything(**values: Any) -> None: ...

class Mailer:
    type = "email"
    async def execute(self, payload: dict[str, str], ctx: Context) -> int:
        return 1

email = app.register(Mailer())

async def fine() -> None:
    await welcome.enqueue("ada")
    await welcome.options(priority=5, delay=60, idempotency_key="a").enqueue(user="ada", times=2)
    await report.enqueue(1, title="a")
    await app.enqueue_many([welcome.job(user="ada"), report.job(number=1, title="b")])
    await anything.enqueue(a=1)
    await email.enqueue({"to": "ada"})
    text: str = await welcome("ada")
    done = await app.wait((await welcome.enqueue("ada")).id, timeout=10)
    print(done.state, done.result, text)
    print(app.blocking.enqueue(welcome.job("ada")).id, app.blocking.get(done.id).result)

async def wrong() -> None:
    await welcome.enqueue(usr="ada")  # call-arg
    await welcome.enqueue(5)  # arg-type
    await welcome.enqueue()  # call-arg
    welcome.job(user="ada", times="2")  # arg-type
    await report.enqueue(title="a")  # call-arg
    await report.enqueue(number="1", title="a")  # arg-type
    welcome.options(prio=5)  # call-arg
    welcome.options(priority="high")  # arg-type
    app.job(qeue="mail")  # call-overload
    await email.enqueue(5)  # arg-type
    await app.enqueue(welcome)  # arg-type
    await app.jobs(stat="failed")  # call-arg
    app.blocking.enqueue("ada")  # arg-type
    app.blocking.get(1)  # arg-type
    number: int = await welcome("ada")  # assignment
"""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """What mypy says about the program, by line."""
    folder = tmp_path_factory.mktemp("typed")
    program = folder / "program.py"
    program.write_text(PROGRAM)
    cache = Path(".mypy_cache").absolute()
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cache}", str(program)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert not checked.stderr, checked.stderr
    found = re.findall(r"program\.py:(\d+): error: .*\[([\w-]+)\]", checked.stdout)
    return {int(line): code for line, code in found}


@pytest.mark.timeout(180)
def test_every_wrong_line_is_an_error_and_no_right_one_is(complaints: dict[int, str]) -> None:
    expected = {
        number: line.rpartition("# ")[2]
        for number, line in enumerate(PROGRAM.splitlines(), 1)
        if "  # " in line
    }

    assert complaints == expected
