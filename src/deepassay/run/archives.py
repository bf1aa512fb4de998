"""Pages go into a web archive, and come from files: archives, tables, JSON Lines, texts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deepassay.errors import BadSnapshots
from deepassay.files import replacing
from deepassay.runfile import Capture, RunFile
from deepassay.sources.extract import Extractor
from deepassay.sources.folders import address_below, files_below, refuse_outside
from deepassay.sources.importing import Aside, read_pages, redirected
from deepassay.sources.snapshots import state_of_capture
from deepassay.sources.warc_writing import write_captures

TOLD: Final = 5
"""Problems of imported files that are named."""


def write_archive(snapshots: Path, output: Path) -> int:
    """Write every capture into a web archive, whole or not at all. Gives how many there are.

    Raises BadSnapshots for a file that is there and is no web archive: it may be a run.
    """
    _refuse_to_overwrite(output)
    with RunFile.read(snapshots) as run:
        try:
            with replacing(output) as fresh, fresh.open("wb") as file:
                return write_captures(run.captures.all(), file)
        except OSError as error:
            raise BadSnapshots(
                f"{output}: it cannot be written ({error.strerror}).",
                "Choose a folder that you may write to.",
            ) from error


def _refuse_to_overwrite(output: Path) -> None:
    if not output.name.lower().endswith((".warc", ".warc.gz")):
        raise BadSnapshots(
            f"{output}: a web archive is not named so.", "Give a name that ends in .warc.gz."
        )
    if output.is_dir():
        raise BadSnapshots(f"{output} is a folder.", "Give the name of a file.")
    if output.exists():
        with output.open("rb") as file:
            start = file.read(5)
        if start and not start.startswith((b"\x1f\x8b", b"WARC/")):
            raise BadSnapshots(
                f"{output} is there, and it is no web archive. It was not touched.",
                "Give another name, or remove it yourself.",
            )


@dataclass(frozen=True)
class ImportedCaptures:
    """How many captures came to which state, and what the files hold besides pages."""

    states: Counter[str] = field(default_factory=Counter)
    aside: Aside = field(default_factory=Aside)

    def lines(self) -> Iterator[str]:
        """The summary for a person."""
        counts = ", ".join(f"{count} {state}" for state, count in sorted(self.states.items()))
        yield f"Imported {self.states.total()} captures" + (f": {counts}" if counts else "")
        for reason, count in self.aside.skipped.most_common():
            yield f"  left out: {count} ({reason})"
        if bad := self.aside.bad:
            yield f"  could not be read: {len(bad)}"
            yield from (f"    {each}" for each in bad[:TOLD])
            if len(bad) > TOLD:
                yield f"    and {len(bad) - TOLD} more"


def import_pages(files: Sequence[Path], snapshots: Path, url: str | None) -> ImportedCaptures:
    """Keep the pages of files; what cannot be read in them is named, and the rest kept.

    A folder is read as a corpus is: pages in it that name no address have that of the way to them.
    Run files there, as the one that is written, are left out.
    url: the address of the one page that is there.

    Raises BadSnapshots for a file that is refused; then nothing is kept, of no file.
    """
    with RunFile.in_memory() as read:
        aside, names = asyncio.run(_read(files, read, url))
        with RunFile.share(snapshots) as run:
            return asyncio.run(_import(read, names, run, aside))


async def _read(files: Sequence[Path], read: RunFile, url: str | None) -> tuple[Aside, list[str]]:
    """Keep the pages of files in a file that nobody keeps, and give their names in order."""
    aside, names = Aside(), []
    async with Extractor() as extractor:
        for file, unnamed in _with_addresses(files, url):
            async for page in read_pages(file, url, extractor, aside, unnamed=unnamed):
                await read.captures.keep(page)
                names.append(page.id)
    return aside, names


def _with_addresses(given: Sequence[Path], url: str | None) -> Iterator[tuple[Path, str | None]]:
    """The files, those of folders among them, and the address of a page that names none."""
    for path in given:
        if not path.is_dir():
            yield path, None
            continue
        if url is not None:
            raise BadSnapshots(
                f"{path}: --url is for a file that is one page; this is a folder.",
                "Import it without --url.",
            )
        for file in files_below(path):
            refuse_outside(file, path)
            yield file, address_below(file, path)


async def _import(
    read: RunFile, names: Sequence[str], run: RunFile, aside: Aside
) -> ImportedCaptures:
    imported = ImportedCaptures(aside=aside)

    async def keep(page: Capture) -> None:
        await run.captures.keep(page)
        imported.states[state_of_capture(page)] += 1

    for name in names:
        if (page := read.captures.get(name)) is not None:
            await keep(page)
    for page in redirected(aside.moved, run.captures.best):
        await keep(page)
    return imported
