"""Runs as files: the views of the reading room in one page, or in an index and a folder beside it.

Every file is made of the templates that the server fills. Nothing in it is loaded from elsewhere,
and it can be read without script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from deepassay.errors import BadInput, BadSetting
from deepassay.results.evidence import panel_then_judges
from deepassay.results.judge_evidence import OnJudge, with_evidence
from deepassay.results.outlines import Extent
from deepassay.results.ranking import rank
from deepassay.run.showing.output import check_output, fresh_output
from deepassay.run.showing.reading import RunRecords
from deepassay.run.showing.revisions import with_other_text
from deepassay.wings.view.besides import EarlierRun
from deepassay.wings.view.file_pages import FilePages
from deepassay.wings.view.filling import filled_room
from deepassay.wings.view.front import Front
from deepassay.wings.view.notes import Notebook
from deepassay.wings.view.numbered import NumberedReports
from deepassay.wings.view.reports_found import StandingReports
from deepassay.wings.view.room import Room
from deepassay.wings.view.side import SideFile
from deepassay.wings.view.texts import SearchedText, TextScripts, texts_of

LIMIT: Final = 20_000_000
"""Bytes of a file, unless the reader asks for others."""

FINDING: Final = 700
"""Bytes of a finding, more or less: a page that would be larger is not begun."""


class WrittenPage(NamedTuple):
    """What was written. size: bytes of all files. files: how many stand in `folder`, if any do."""

    size: int
    files: int = 0
    folder: Path | None = None


def write_page(
    paths: Sequence[Path],
    output: Path,
    *,
    title: str = "",
    note: str = "",
    force: bool = False,
    allow_mixed: bool = False,
    limit: int = LIMIT,
    on_judge: OnJudge = MappingProxyType({}),
    since: Path | None = None,
    notes: bool = False,
    worst: int = 0,
    on_index: Callable[[Path], None] = lambda folder: None,
) -> WrittenPage:
    """Write several run files as a page. Nothing is fetched or asked.

    title, note: what stands on top. limit: bytes of a file; what would be larger is an index, which
    is there first, and a folder beside it with a file for each report. on_judge: files that say
    something of the judge. since: an earlier run, of which it is said what changed. notes: whether
    those are shown that stand beside the runs. worst: so many reports of each agent have a page, 0
    for all. on_index: called with the folder once the index is there.

    Raises BadSetting if `output` is there (unless `force`) or cannot be written, or a file that is
    none of ours has the name of one in the folder, BadRunFile for a run that cannot be read,
    BadInput if runs have different reports of one agent for one task.
    """
    check_output(output, paths, force=force)
    folder = output.with_name(f"{output.stem}-pages")
    refuse_foreign(folder)
    records = RunRecords(paths)
    boards = with_evidence(rank(records, allow_mixed=allow_mixed), records, on_judge)
    with closing(Room(paths)) as room:
        if key := with_other_text([run.file for run in room]):
            raise BadInput(
                f"The runs hold different reports of {key[0]} for {key[1]}.",
                "Make a page of each run; of a later one with --since, and the earlier run.",
            )
        numbered = NumberedReports(room)
        front = Front(boards, records.everything(), room, numbered.by_key)
        with ExitStack() as open_:
            earlier = None if since is None else open_.enter_context(_earlier(since, paths))
            books = {run.number: Notebook(run.path) for run in room} if notes else {}
            pages = FilePages(room, front, numbered, title, note, earlier, books)
            reader = open_.enter_context(closing(_RoomOnDemand(room, worst)))
            if worst:
                numbered.keep({*reader.standing.written})
            if size := _in_one_file(pages, reader, output, limit):
                if force and folder.is_dir():  # what an earlier page led to
                    clear_folder(folder, force=force)
                return WrittenPage(size)
            return _Folder(reader, pages, output, folder, limit).write(on_index, force=force)


@contextmanager
def _earlier(since: Path, paths: Sequence[Path]) -> Iterator[EarlierRun]:
    with closing(EarlierRun(since, paths)) as earlier:
        yield earlier


class _RoomOnDemand:
    """The runs of a room, which are read once that is asked for. worst: see `write_page`."""

    def __init__(self, room: Room, worst: int) -> None:
        self.room = room
        self.worst = worst

    @cached_property
    def _side(self) -> SideFile:
        return filled_room(self.room)

    @cached_property
    def standing(self) -> StandingReports:
        """The reports by how they stand."""
        return StandingReports(self._side, self.worst)

    def close(self) -> None:
        """Let go of what was read."""
        if "_side" in vars(self):
            self._side.close()


def _is_above(room: Room, limit: int) -> bool:
    """Whether texts and findings alone take more bytes."""
    size = 0
    for run in room:
        for report in run.file.reports():
            size += len(report.text.encode("utf-8", "replace"))
            if size > limit:
                return True
        for record in run.judgements.every(Extent.FIGURES):
            items = (each.evidence.item_count for _, each in panel_then_judges(record))
            size += FINDING * sum(items)
            if size > limit:
                return True
    return False


class _PageTooLarge(Exception):
    """The page is larger than a file may be."""


def _in_one_file(pages: FilePages, reading: _RoomOnDemand, output: Path, limit: int) -> int:
    """Write one page, and say how large it is; 0, and nothing is written, if it would be larger."""
    if not reading.worst and _is_above(reading.room, limit):
        return 0
    size = 0
    with suppress(_PageTooLarge), fresh_output(output) as fresh:
        with fresh.open("w", encoding="utf-8", errors="replace", newline="") as file:
            for piece in pages.whole(reading.standing):
                file.write(piece)
                if file.tell() > limit:
                    raise _PageTooLarge
        size = fresh.stat().st_size
    return size


class _Folder:
    """An index, and the folder that it leads to."""

    def __init__(
        self, reading: _RoomOnDemand, pages: FilePages, output: Path, folder: Path, limit: int
    ) -> None:
        self._reading = reading
        self._pages = pages
        self._output = output
        self._folder = folder
        self._limit = limit
        self._texts = TextScripts()
        self._files = 0
        self._size = 0

    def write(self, on_index: Callable[[Path], None], *, force: bool) -> WrittenPage:
        """Write the index, then all that it leads to, file by file, then the index as it stays."""
        pages = self._pages.beside(self._folder.name, self._output.name)
        clear_folder(self._folder, force=force)
        self._write(self._output, pages.index(None))
        on_index(self._folder)
        for name, asset in pages.assets():
            self._keep(name, [asset])
        standing = self._reading.standing
        for name, html, report in pages.reports(standing):
            self._keep(name, [html])
            self._searched(texts_of(report, name))
        for name, html, page in pages.snapshots():
            self._keep(name, [html])
            self._searched([page])
        for name, script in self._texts.rest():
            self._keep(name, [script])
        for name, pieces in pages.tables(standing, self._limit):
            self._keep(name, pieces)
        index = self._write(self._output, pages.index(standing))
        return WrittenPage(self._size + index, self._files, self._folder)

    def _searched(self, texts: Iterable[SearchedText]) -> None:
        for text in texts:
            for name, script in self._texts.add(text):
                self._keep(name, [script])

    def _keep(self, name: str, pieces: Iterable[str]) -> None:
        self._size += self._write(self._folder / name, pieces)
        self._files += 1

    def _write(self, path: Path, pieces: Iterable[str]) -> int:
        with fresh_output(path) as fresh:
            with fresh.open("w", encoding="utf-8", errors="replace", newline="") as file:
                file.writelines(pieces)
            return fresh.stat().st_size


MADE_BY: Final = "<footer>Made by DeepAssay "
"""What stands at the end of every page."""

_TAIL: Final = 400
"""In how many of its last bytes."""

_PAGE: Final = re.compile(r"(report|page|agent|reports|tables|failures)-\d{4,}\.html")
_BESIDE: Final = re.compile(r"style\.css|files\.js|texts(-\d{4,})?\.js")


def refuse_foreign(folder: Path) -> None:
    """Raise BadSetting for a file that only has the name of one of ours: it is somebody's work."""
    for file in _pages(folder):
        if not _is_ours(file):
            raise BadSetting(
                f"{file} was not written by `deepassay html`; nothing was touched.",
                "Move it away, or give the page another name with -o.",
            )


def clear_folder(folder: Path, *, force: bool) -> None:
    """Remove the files of an earlier page. Raises BadSetting where they may not be overwritten."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadSetting(
            f"{folder} is no folder, and the files of the page belong into one of that name.",
            "Move it away, or give the page another name with -o.",
        )
    if not force:
        raise BadSetting(f"{folder} is there already.", "Overwrite it with --force.")
    pages = _pages(folder)
    beside = [file for file in folder.iterdir() if _BESIDE.fullmatch(file.name)] if pages else []
    for file in (*pages, *beside):
        file.unlink()
    with suppress(OSError):  # something else stands in it
        folder.rmdir()


def _pages(folder: Path) -> list[Path]:
    """What is named there as pages are."""
    return [file for file in folder.glob("*.html") if _PAGE.fullmatch(file.name)]


def _is_ours(file: Path) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _TAIL))
        return MADE_BY.encode() in opened.read()
