"""The inside of a helper: a process that works on chunks of an attempt, one after the other.

Started as `python -m windlass.worker.helper FD PARENT`. It imports nothing but what the work needs.
"""

from __future__ import annotations

import pickle
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from windlass.worker.helper_wire import (
    Failure,
    Parcel,
    opened,
    packed,
    packed_result,
    receive,
    send,
)
from windlass.worker.parent import die_with

# A helper that nobody needs for so long ends. Its worker forgets it sooner.
IDLE = 60.0
# Numbers that Python makes anew each time, and half a pool of them.
LARGE = 10**9
PLACES = 256


def work_on(parcel: Parcel) -> Parcel:
    """Do the work on one chunk; whatever it raises is for the worker to raise again."""
    try:
        work, chunk = opened(parcel)
        with room():
            return packed_result(work(chunk))
    except Exception as error:  # noqa: BLE001 — as a runner takes whatever a handler raises
        return packed(Failure(_sendable(error), traceback.format_exc()))


@contextmanager
def room() -> Iterator[None]:
    """Leave places free among those that numbers are made in.

    After the imports of a fresh process these are full to the last, so that each number that comes
    and goes would open another pool and close it again, a sixth of a loop's time.
    """
    taken = [LARGE + place for place in range(PLACES)]
    del taken[::2]
    yield
    taken.clear()


def main() -> None:
    """Work until nobody needs it, or the worker is gone."""
    end, parent = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])
    die_with(parent)
    # An interrupt from the keyboard is for the worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # As in the job's own process the work is done by a thread: on its stack, which begins where a
    # page does, some of Python runs a tenth faster than on that of the process.
    thread = threading.Thread(target=serve, args=(end,))
    thread.start()
    thread.join()


def serve(end: socket.socket) -> None:
    """Work on what comes."""
    while select.select([end], [], [], IDLE)[0]:
        try:
            send(end, work_on(receive(end)))
        except (EOFError, ConnectionError):
            return


def _sendable(error: Exception) -> Exception:
    """The error, if it survives the way; else one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 — made here
    except Exception:  # noqa: BLE001 — whatever an error makes of being pickled
        return RuntimeError("".join(traceback.format_exception_only(error)).strip())
    return error


if __name__ == "__main__":
    main()
