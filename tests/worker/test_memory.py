"""What a worker process does with memory that it no longer needs; in processes of their own."""

import os
import platform
import subprocess
import sys

import pytest

# A block that is freed teaches glibc to keep the next one; those it does not keep are mapped.
PROGRAM = """
import ctypes
from windlass.worker.birth import give_back_memory

class Blocks(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "free", "fast", "mapped")]

class Mallinfo(ctypes.Structure):
    _fields_ = [("blocks", Blocks), ("rest", ctypes.c_size_t * 6)]

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.mallinfo2.restype = Mallinfo
give_back_memory()
for _ in range(2):
    before = libc.mallinfo2().blocks.mapped
    block = libc.malloc(2_000_000)
    mapped = libc.mallinfo2().blocks.mapped - before
    libc.free(ctypes.c_void_p(block))
print(mapped)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is glibc that learns")
@pytest.mark.parametrize(
    ("tuned", "mapped"), [({}, 1), ({"MALLOC_ARENA_MAX": "2"}, 0)], ids=["as it is", "tuned"]
)
def test_large_blocks_go_back_to_the_system_unless_somebody_tuned_it(
    tuned: dict[str, str], mapped: int
) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}

    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**environ, **tuned},
        capture_output=True,
        check=True,
        text=True,
    )

    assert ran.stdout == f"{mapped}\n"
