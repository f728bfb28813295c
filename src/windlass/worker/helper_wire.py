"""How objects travel between a worker and its helpers: pickled, arrays beside the pickle.

Both ends are the same program on the same machine, over a socket that nobody else can open.
"""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any, NamedTuple, TypeAlias

Parcel: TypeAlias = list[bytearray | memoryview]  # the pickle, then the arrays in it

COUNT = struct.Struct("!I")
LENGTH = struct.Struct("!Q")


class Failure(NamedTuple):
    """What a chunk raised, and where."""

    error: Exception
    trace: str


class Success(NamedTuple):
    """What a chunk came to."""

    value: Any


def packed(value: object) -> Parcel:
    """The value as a parcel; nobody has to copy the arrays in it."""
    arrays: list[pickle.PickleBuffer] = []
    text = pickle.dumps(value, protocol=5, buffer_callback=arrays.append)
    return [memoryview(text), *(array.raw() for array in arrays)]


def packed_result(value: object) -> Parcel:
    """What a chunk came to as a parcel; refuses what cannot travel."""
    try:
        return packed(Success(value))
    except Exception as error:  # noqa: BLE001 — whatever a result makes of being pickled
        raise TypeError(f"a chunk's result cannot be sent back: {error}") from None


def opened(parcel: Parcel) -> Any:
    """The value in a parcel."""
    return pickle.loads(parcel[0], buffers=parcel[1:])  # noqa: S301 — from our own program


def send(end: socket.socket, parcel: Parcel) -> None:
    """Send it whole."""
    end.sendall(COUNT.pack(len(parcel)) + b"".join(LENGTH.pack(len(part)) for part in parcel))
    for part in parcel:
        end.sendall(part)


def receive(end: socket.socket) -> Parcel:
    """The next parcel; raises EOFError when the other end is gone."""
    [count] = COUNT.unpack(_read(end, COUNT.size))
    sizes = [LENGTH.unpack(_read(end, LENGTH.size))[0] for _ in range(count)]
    return [_read(end, size) for size in sizes]


def _read(end: socket.socket, size: int) -> bytearray:
    part = bytearray(size)
    left = memoryview(part)
    while left:
        try:
            count = end.recv_into(left)
        except ConnectionError:
            count = 0
        if not count:
            raise EOFError
        left = left[count:]
    return part
