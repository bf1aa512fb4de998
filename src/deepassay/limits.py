"""Limits that a worker process sets itself before it reads what is not trusted.

Where the system has none (Windows), or refuses one, the clock of the parent still ends the
process; memory and processor time are then not limited.
"""

from __future__ import annotations

import importlib.util
from contextlib import suppress
from typing import Final

MEMORY: Final = 1 << 30
"""Bytes of address space."""


def available() -> bool:
    """Whether the system can limit a process at all."""
    return importlib.util.find_spec("resource") is not None


def limit_process(*, open_files: int | None = None) -> None:
    """Limit memory, and forbid dumps and files that grow; on `open_files` only if it is given."""
    if not available():
        return
    import resource

    _limit(resource.RLIMIT_AS, MEMORY)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    if open_files is not None:
        _limit(resource.RLIMIT_NOFILE, open_files)


def limit_processor_time(seconds: int) -> None:
    """So much from now on: the system counts the whole life of a process."""
    if not available():
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + 1 + seconds)


def _limit(which: int, most: int) -> None:
    import resource

    hard = resource.getrlimit(which)[1]
    with suppress(ValueError, OSError):  # known, and refused all the same
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (soft, hard))
