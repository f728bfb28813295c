"""The errors that a program catches: each is a `WindlassError`, and says what to do.

Those of the HTTP client are in `windlass.client`.
"""

from windlass.core.errors import (
    AlreadyKept,
    BadInput,
    BadPayload,
    BadQuery,
    BadResult,
    BadStore,
    Busy,
    ClaimLost,
    KeyTaken,
    LockLost,
    LockTaken,
    NotFinished,
    NotMigrated,
    PayloadTooLarge,
    RolledBack,
    StoreAway,
    UnknownJob,
    UnknownType,
    UnknownWorker,
    WindlassError,
    WrongState,
)

__all__ = [
    "AlreadyKept",
    "BadInput",
    "BadPayload",
    "BadQuery",
    "BadResult",
    "BadStore",
    "Busy",
    "ClaimLost",
    "KeyTaken",
    "LockLost",
    "LockTaken",
    "NotFinished",
    "NotMigrated",
    "PayloadTooLarge",
    "RolledBack",
    "StoreAway",
    "UnknownJob",
    "UnknownType",
    "UnknownWorker",
    "WindlassError",
    "WrongState",
]
