"""A worker inside a program lets go of what it held, whatever its handlers do."""

import pytest

from windlass import Context, Windlass


class Failing:
    """An executor that cannot let go of what it holds."""

    type = "failing"

    async def execute(self, payload: int, _ctx: Context) -> int:
        """Do nothing."""
        return payload

    async def close(self) -> None:
        """Fail."""
        raise OSError("broken pipe")


async def test_an_executor_that_cannot_let_go_leaves_no_connection_of_handlers_open(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[bool] = []
    async with Windlass(sqlite_url) as app:
        app.register(Failing())
        effects = app.storehouse.effects((await app.home()).store)  # type: ignore[arg-type]

        async def close() -> None:
            closed.append(True)

        monkeypatch.setattr(type(effects), "close", lambda _: close())
        with pytest.raises(OSError, match="broken pipe"):
            async with app.worker():
                pass

    assert closed == [True]
