"""Less looking for garbage while much is held: else it takes a fifth of the processor's time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting_less() -> Iterator[None]:
    """Leave what is loaded by now alone, and look at what is new more rarely.

    What libraries have loaded stays anyway; and what a case or a report leaves behind has few
    cycles.
    """
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
