"""The example of a client does what it shows."""

from pathlib import Path

from tests.examples.programs import copied, printed, serving

DOUBLED = "doubled: [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]"


async def test_a_program_has_its_work_done_by_a_service(tmp_path: Path) -> None:
    folder = copied("client", tmp_path)

    async with serving("windlass up --port 0", folder) as url:
        blocking = await printed(f"python report.py {url}", folder)
        awaiting = await printed(f"python report_async.py {url}", folder)

    assert blocking.splitlines() == ["2 + 3 = 5", DOUBLED, "so far: 11 sums"]
    assert awaiting.splitlines() == [DOUBLED]
