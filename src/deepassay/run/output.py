"""Files that findings are written to: nothing is overwritten unasked, nothing is left in halves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from deepassay import files
from deepassay.errors import BadSetting
from deepassay.runfile.schema import is_database

HINT = "Name another file with -o."


def check_output(output: Path, runs: Sequence[Path], *, force: bool) -> None:
    """Raise BadSetting if `output` is a run file, a folder, or there already (unless `force`).

    That holds for every run file, not only for those in `runs`: what judges said was paid for.
    """
    if any(output.resolve() == path.resolve() for path in runs) or is_database(output):
        raise BadSetting(f"{output} is a run file.", HINT)
    if output.is_dir():
        raise BadSetting(f"{output} is a folder.", HINT)
    if output.exists() and not force:
        raise BadSetting(f"{output} is there already.", "Overwrite it with --force.")


@contextmanager
def replacing(output: Path) -> Iterator[Path]:
    """A fresh file to write to, which takes the place of `output` if nothing goes wrong.

    Folders that are missing are made, and are gone again if nothing came into them. Raises
    BadSetting if it cannot be written.
    """
    missing = [each for each in output.parents if not each.exists()]
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with files.replacing(output) as fresh:
            yield fresh
    except OSError as error:
        raise BadSetting(f"{output} cannot be written ({error.strerror}).", HINT) from error
    finally:
        with suppress(OSError):
            for folder in missing:
                folder.rmdir()


def write_file(output: Path, text: str, runs: Sequence[Path], *, force: bool) -> None:
    """Write a text, whole or not at all. Raises BadSetting as `check_output` and `replacing`."""
    check_output(output, runs, force=force)
    with replacing(output) as fresh:
        fresh.write_bytes(text.encode("utf-8", "surrogatepass"))
