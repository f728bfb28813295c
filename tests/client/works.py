"""Jobs for a service that clients are tried on."""

import time
from pathlib import Path

from windlass import Context, Windlass

app = Windlass(builtins=True)


@app.job
def hold(ctx: Context, gate: str) -> str:
    """Run until the gate is there, or nobody wants it any more."""
    ctx.progress(0.5, "holding")
    while not Path(gate).exists():
        ctx.check()
        time.sleep(0.01)
    return "let go"


@app.job(max_attempts=1)
def stumble(word: str) -> None:
    """Fail with a word."""
    raise RuntimeError(word)


@app.job
def report(ctx: Context, title: str) -> str:
    """Leave everything behind that a job can leave."""
    ctx.log(f"writing {title}")
    ctx.keep("report.txt", title.encode(), "text/plain")
    return "x" * 20_000  # more than events carry
