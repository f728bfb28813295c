"""Types of job for tests of pages: such as can be held, and such as fail as they are told."""

from pathlib import Path

from tests.waiting import until as until_true
from windlass import Context, Windlass
from windlass.core.errors import WindlassError

app = Windlass(builtins=True)

# The smallest picture there is.
DOT = bytes.fromhex("47494638396101000100800000ffffff0000002c00000000010001000002024401003b")


class Spilled(WindlassError):
    """What goes wrong on purpose."""


@app.job
async def greet(name: str) -> str:
    """Greet somebody."""
    return f"Ahoy, {name}!"


@app.job(max_attempts=1)
async def spill(what: str = "soup") -> str:
    """Fail at once and for good, unless it is tea."""
    if what == "tea":
        return "caught it"
    raise Spilled(f"spilled the {what}")


@app.job(max_attempts=1)
async def fetch(where: str, number: int) -> str:
    """Fail as long as a file is not there, each with words of its own."""
    if not Path(where).exists():
        raise Spilled(f"found nothing under number {number}")
    return "fetched"


@app.job(max_attempts=5)
async def stumble(times: int = 1) -> str:
    """Fail, and be tried again later."""
    raise Spilled(f"stumbled, {times} times to go")


@app.job(max_attempts=1, timeout=60)
async def hold(ctx: Context, until: str) -> str:
    """Run until a file of this name is there, telling how far it is."""
    ctx.log("holding the load")
    ctx.progress(0.5, "half way")
    await until_true(lambda: Path(until).exists(), at_most=55)
    ctx.log("letting go")
    return "let go"


@app.job(max_attempts=3)
async def waver(ctx: Context, failures: int = 1) -> dict[str, int]:
    """Fail so many times, and then do it."""
    ctx.log(f"attempt {ctx.attempt} begins")
    if ctx.attempt <= failures:
        raise Spilled("not this time")
    ctx.log("made up its mind", level="warning")
    return {"attempts": ctx.attempt}


@app.job
async def sketch(ctx: Context) -> dict[str, object]:
    """Keep a picture."""
    ctx.keep("dot.gif", DOT, "image/gif")
    return {"file": "dot.gif", "type": "image/gif", "width": 1, "height": 1}
