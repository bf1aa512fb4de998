"""The command line: parse, call, print. The work is done in the rooms below."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Final

from deepassay.errors import DeepAssayError, Notice

QUIET: Final = "--quiet"
"""The option of all commands that leaves results and problems alone to be printed."""


def main() -> None:
    """Run the command line; errors for people go to standard error, never a traceback."""
    received: list[int] = []

    def stopped(number: int, frame: FrameType | None) -> None:
        """End at a signal that comes before there is anything that could end in good order."""
        os.write(2, b"deepassay: stopped by a signal.\n")
        received.append(number)
        raise KeyboardInterrupt

    before = {each: signal.signal(each, stopped) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        _run()
    except (KeyboardInterrupt, SystemExit) as end:
        # The library of commands makes 130 of a KeyboardInterrupt, whichever signal came.
        if received or isinstance(end, KeyboardInterrupt):
            sys.exit(128 + (received or [signal.SIGINT])[0])
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _run() -> None:
    # No product of ours gains from a second thread of numpy's library, and one that waits for work
    # keeps a processor busy. The library looks when it is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imported here, so that `import deepassay.cli` costs nothing.
    from difflib import get_close_matches

    from deepassay.cli.app import app
    from deepassay.cli.terminal import be_quiet, complain

    be_quiet(QUIET in sys.argv)  # wherever it stands
    sys.argv[:] = [each for each in sys.argv if each != QUIET]
    # Parsers of commands do not know it, and would offer what is less like it.
    for each in get_close_matches(QUIET, sys.argv[1:], 1, cutoff=0.8):
        complain(f"deepassay: No such option: {each}. Did you mean {QUIET}?")
        sys.exit(2)
    # A run of many scores makes millions of objects, and hardly ever cycles among them.
    gc.set_threshold(100_000, 50, 1000)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a character
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _showing_notices(warnings.showwarning)
            warnings.simplefilter("always", Notice)
            try:
                app(prog_name="deepassay")
            finally:
                sys.stdout.flush()
    except DeepAssayError as error:
        complain(f"deepassay: {error}")
        sys.exit(error.exit_status)
    except BrokenPipeError:
        # The reader of our output went away, as `head` does: nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        complain(f"deepassay: {error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    finally:
        be_quiet(False)


def _showing_notices(otherwise: Callable[..., None]) -> Callable[..., None]:
    """How warnings are shown: a Notice as one line, and once; others as Python does."""
    from deepassay.cli.terminal import complain

    told: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *where: object) -> None:
        if issubclass(category, Notice):
            if str(message) not in told:  # of a file that is read several times
                complain(f"deepassay: {message}")
            told.add(str(message))
        else:
            otherwise(message, category, *where)

    return show
