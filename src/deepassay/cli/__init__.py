"""The command line: parse, call, print. The work is done in the rooms below."""

from __future__ import annotations

import io
import os
import sys

from deepassay.errors import DeepAssayError


def main() -> None:
    """Run the command line; errors for people go to standard error, never a traceback."""
    try:
        _run()
    except KeyboardInterrupt:  # before anything was begun that could end in good order
        sys.exit(130)


def _run() -> None:
    # Imported here, so that `import deepassay.cli` costs nothing.
    from deepassay.cli.app import app
    from deepassay.cli.terminal import note

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a character
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except DeepAssayError as error:
        note(f"deepassay: {error}")
        sys.exit(error.exit_status)
    except BrokenPipeError:
        # The reader of our output went away, as `head` does: nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        note(f"deepassay: {error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
