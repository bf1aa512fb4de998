"""A report: what an agent wrote for a task, and everything that can be read off its text."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache, wraps
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import Any, Final, Protocol, TypeVar

import zstandard

from deepassay.errors import BadReports
from deepassay.reports.citations import Citation
from deepassay.reports.lexer import find_citations
from deepassay.reports.links_in_sentences import placed_citations
from deepassay.reports.lists import find_reference_lists, read_reference_lists
from deepassay.reports.markdown import Block, read_blocks
from deepassay.reports.references import FoundList, Reference, ReferenceList, Resolved
from deepassay.reports.resolution import resolve_citations
from deepassay.reports.spans import Lines, Span
from deepassay.reports.statements import Statement, find_statements
from deepassay.runfile import AgentRun
from deepassay.runfile.rows import to_bytes, to_text
from deepassay.score import digest
from deepassay.text import brief


class _KeptText:
    """The text of a report; where it is kept elsewhere, it is read whenever it is asked for."""

    def __get__(self, report: Report | None, owner: type) -> str:
        if report is None:
            raise AttributeError("text")  # there is no default
        held: str | Callable[[], str] = vars(report)["text"]
        return held if isinstance(held, str) else held()

    def __set__(self, report: Report, text: str | Callable[[], str]) -> None:
        if not (isinstance(text, str) or callable(text)):
            raise BadReports(
                f"The text of a report is a str, not {brief(text)}.",
                "Where there is no answer, leave the report out, or give an empty text.",
            )
        vars(report)["text"] = text


T = TypeVar("T")
SHARED: Final = 30_000
"""Characters of a text up to which other reports that have it need not read it again."""


@lru_cache(maxsize=32)  # a report comes back with every protocol, and as a page shows it
def _read_off(text: str) -> dict[Callable[[Report], Any], Any]:
    """What was read off a text so far, by what read it."""
    return {}


def _off_the_text(read: Callable[[Report], T]) -> cached_property[T]:
    """What depends on the text of a report and on nothing else."""

    @wraps(read)
    def kept(report: Report) -> T:
        return report.once(read)

    return cached_property(kept)


@dataclass(frozen=True)
class Report:
    """A report in Markdown.

    text: or what reads it, see `TextStore`. agent, task: who wrote it, for which task (its
    identifier). sample: which of several answers of the agent to the task, from 1. path: the file
    it came from, for messages.
    converter: what made the Markdown of another format, with its version, or "". run: what the
    agent did to come by it, where that was seen.

    What is read off the text is computed once, on first use, and not again for a copy soon after,
    in the order of the pipeline:
    blocks -> citations -> reference lists -> resolution -> statements.
    """

    text: str = _KeptText()  # type: ignore[assignment]
    agent: str = ""
    task: str = ""
    sample: int = 1
    path: str | None = None
    prompt: str | None = None
    converter: str = ""
    run: AgentRun | None = field(default=None, compare=False, repr=False)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text, in hexadecimal."""
        return digest(self.text)

    @cached_property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return not self.text.strip()

    @cached_property
    def length(self) -> int:
        """How many characters the text has, without reading it where that is known."""
        return len(self.text)

    def but(self, **changes: Any) -> Report:  # noqa: ANN401 - of the fields
        """A copy of the report with other fields; its text stays where it is kept.

        Only digest, emptiness and length are taken over; all else is read off the text again when
        asked for.
        """
        other = replace(self, **{"text": vars(self)["text"], **changes})
        for known in {"digest", "is_empty", "length"} & {*vars(self)}:
            vars(other)[known] = vars(self)[known]
        return other

    def __getstate__(self) -> dict[str, Any]:
        """What a copy and another process get: the text itself, wherever it is kept."""
        kept = {name: value for name, value in vars(self).items() if name != "_once"}
        return {**kept, "text": self.text}

    def anew(self) -> Report:
        """A copy that keeps its text in memory from when it is first asked for."""
        held = vars(self)["text"]
        return self.but(text=held if isinstance(held, str) else cache(held))

    @property
    def cites_ids(self) -> bool:
        """Whether more than its text decides on what it cites: see `ReportCitingIds`."""
        return False

    def once(self, read: Callable[[Report], T]) -> T:
        """What a function reads off the text: on first use, and not again for a copy soon after."""
        own: dict[Callable[[Report], Any], Any] = vars(self).setdefault("_once", {})
        if read not in own:
            alone = self.cites_ids or self.length > SHARED
            known = own if alone else _read_off(self.text)
            if read not in known:
                known[read] = read(self)
            own[read] = known[read]
        found: T = own[read]
        return found

    @cached_property
    def lines(self) -> Lines:
        """The lines of the text, to turn an offset into line and column."""
        return Lines(self.text)

    @_off_the_text
    def blocks(self) -> tuple[Block, ...]:
        """Leaf blocks of the Markdown in reading order."""
        return read_blocks(self.text)

    @_off_the_text
    def _marked(self) -> tuple[Citation, ...]:
        return find_citations(self.text, self.blocks)

    @_off_the_text
    def _found_lists(self) -> tuple[FoundList, ...]:
        return find_reference_lists(self.text, self.blocks, self._marked)

    @cached_property
    def body(self) -> tuple[Block, ...]:
        """Blocks outside reference lists and their headings, in reading order."""
        return tuple(parts_outside(self.list_spans, self.blocks))

    @property
    def list_spans(self) -> tuple[Span, ...]:
        """Where the reference lists stand, in reading order; their entries need not be read."""
        return tuple(each.span for each in self._found_lists)

    @_off_the_text
    def reference_lists(self) -> tuple[ReferenceList, ...]:
        """Reference lists in reading order."""
        return tuple(read_reference_lists(self.text, self._found_lists, self._marked))

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Entries of all reference lists, in reading order."""
        return tuple(entry for each in self.reference_lists for entry in each.entries)

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        """Citations of the body (none inside a reference list), in reading order."""
        return tuple(each.citation for each in self.resolved)

    @_off_the_text
    def resolved(self) -> tuple[Resolved, ...]:
        """The citations of the body with what they lead to."""
        marked = list(parts_outside(self.list_spans, self._marked))
        return resolve_citations(
            list(placed_citations(self.text, self.blocks, marked)), self.reference_lists
        )

    @_off_the_text
    def statements(self) -> tuple[Statement, ...]:
        """Sentences and table cells of the body with the citations that support them."""
        return find_statements(self.text, self.blocks, self.resolved, self.list_spans)


class Placed(Protocol):
    """What has a place in a report."""

    @property
    def span(self) -> Span:
        """Where it stands in the text of the report."""


_Part = TypeVar("_Part", bound=Placed)


def parts_outside(spans: Iterable[Span], parts: Iterable[_Part]) -> Iterator[_Part]:
    """The parts that do not touch any of the spans; both in reading order."""
    following = iter(spans)
    nearest = next(following, None)
    for part in parts:
        while nearest is not None and nearest.end <= part.span.start:
            nearest = next(following, None)
        if nearest is None or part.span.end <= nearest.start:
            yield part


# ------------------------------------------------------------------ many reports

IN_MEMORY: Final = 32_000_000
"""Bytes of texts, compressed, from which on they stand in a file."""


class TextStore:
    """Texts of reports in a temporary file, which goes with the last report of it."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - open as long as it is used
        self._turn = Lock()
        self._pack, self._unpack = zstandard.ZstdCompressor(), zstandard.ZstdDecompressor()
        weakref.finalize(self, self._file.close)

    def put(self, report: Report) -> Report:
        """A copy of a report whose text stands on this shelf. Raises BadReports for no room."""
        with self._turn:
            packed = self._pack.compress(to_bytes(report.text))
            try:
                start = self._file.seek(0, os.SEEK_END)
                self._file.write(packed)
                self._file.flush()  # where no room is left, that is told here, not at reading
            except OSError as error:
                raise BadReports(
                    f"The texts of the reports cannot be put aside ({error.strerror}).",
                    "Make room, or name a folder that has room in the variable TMPDIR.",
                ) from error
        light = report.but(text=_ShelfPlace(self, start, len(packed)))
        # Now, so that nobody reads the text again for them.
        known = {"digest": report.digest, "is_empty": report.is_empty, "length": report.length}
        vars(light).update(known)
        return light

    def get(self, start: int, size: int) -> str:
        """The text that stands there."""
        with self._turn:
            self._file.seek(start)
            return to_text(self._unpack.decompress(self._file.read(size)))


@dataclass(frozen=True, slots=True)
class _ShelfPlace:
    """Where a text stands on a shelf; called, it reads it."""

    shelf: TextStore
    start: int
    size: int

    def __call__(self) -> str:
        return self.shelf.get(self.start, self.size)
