"""Reference lists, their entries, and the lines of a report in which they are looked for."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from deepassay.reports.citations import BareUrl, Citation
from deepassay.reports.forms import RAISED, raised_numbers
from deepassay.reports.markdown import Block, TableBlock
from deepassay.reports.spans import LINE_END, Span


@dataclass(frozen=True)
class Reference:
    """One entry of a reference list.

    span: the whole entry, without the line end.
    key: its label as written (`"3"`, `"^1"` without the caret, `"smith2024"`), or None.
    title: its words without label and addresses; urls: addresses as written, or that of the
    DOI or arXiv number where an entry gives nothing else.
    omitted: an entry that says it holds nothing ("intentionally omitted", a dash).
    identified: the address is made of a DOI or an arXiv number.
    more: further labels of the same entry, as of `[3] [31] https://…`.
    """

    span: Span
    key: str | None
    title: str
    urls: tuple[str, ...]
    omitted: bool = False
    identified: bool = False
    more: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """All labels by which citations mean this entry: its own first, then the others."""
        return (*((self.key,) if self.key is not None else ()), *self.more)

    @property
    def number(self) -> int | None:
        """The key as a number, if it is one."""
        return int(self.key) if self.key and self.key.isascii() and self.key.isdigit() else None


@dataclass(frozen=True)
class ReferenceList:
    """A list of references: its heading (None when missing), the whole span, the entries."""

    span: Span
    heading: Span | None
    entries: tuple[Reference, ...]


class Unresolved(StrEnum):
    """Why a citation leads to no address."""

    NO_LIST = "no_list"
    NO_ENTRY = "no_entry"
    NO_URL = "no_url"
    AMBIGUOUS = "ambiguous"
    OMITTED = "omitted"


@dataclass(frozen=True)
class Resolved:
    """A citation with the entries and canonical addresses it leads to.

    missing: each key that leads to no address, and why.
    """

    citation: Citation
    references: tuple[Reference, ...]
    urls: tuple[str, ...]
    missing: tuple[tuple[str, Unresolved], ...] = ()


_PREFIX = r"[ \t>]{0,24}+(?:<a\s[^<>]{0,200}>(?:</a>)?\s?)?"
_AFTER_LABEL = r"(?=,[ \t]?\\?\[\d|[\s:.：—–\-<*\\“\"《\[【(]|$|[^\W\d]|https?:)"
_LABEL = re.compile(
    _PREFIX + r"(?P<bullet>[-*+•·–][ \t]{1,8}(?:\[[ xX]\]\s)?)?(?:\*\*|__|\*)?(?:"
    r"\\?\[(?P<nested>\\?\[)?(?P<linked>\d{1,3})(?:\\?[.):]|(?(nested)\\?\]|(?!)))[ \t]+"
    r"(?=[^\n]{1,1000}\]\()"
    r"|\\?\[\^?(?P<bracket>[^\]\[\n\\^]{1,60})\^?\\?\](?P<colon>:?)(?:\*\*)?"
    + _AFTER_LABEL
    + r"|[【［](?P<lenticular>\d{1,4})[】］]"
    r"|(?P<listed>\d{1,4})(?:\\?[.)]|[、．）:：])(?:\*\*)?(?:[ \t]|(?=[^\W\d]|\[|https?:))"
    r"|[(（](?P<round>\d{1,4})[)）]"
    rf"|(?P<raised>[{RAISED}]{{1,4}})"
    r"|<sup>\[?(?P<sup>\d{1,4})\]?</sup>"
    r"|)"
)
_FIRST_NUMBER = re.compile(r"[^\w\n]{1,8}0*(\d{1,4})(?!\d)")
_MORE_LABELS = re.compile(r"(?:[ \t,]{0,2}\\?\[\d{1,4}\\?\](?![(:]))+")
_DASH_ONLY = re.compile(r"[\s\-–—―_.…*]*\Z")
_OMITTED = re.compile(
    r"intentionally (?:omitted|left blank|blank|removed)|^\W*(?:omitted|removed|reserved|not used|"
    r"deleted|unused|n/?a|none|无|空|略|此条略|已删除|省略)\W*$",
    re.IGNORECASE,
)
_TRIM = " \t\r\n:：-–—,，;；.|*_<>[]"
_IDENTIFIER = re.compile(
    r"\bdoi[:.\s]\s?(?P<doi>10\.\d{4,9}/[^\s,;<>\"]{1,200})|\barXiv:\s?(?P<arxiv>\d{4}\.\d{4,5})",
    re.IGNORECASE,
)
_ITEM_TAG = re.compile(r"\s*</?(?:li|ol|ul|p|br)(?:\s[^<>]{0,200})?/?>\s*", re.IGNORECASE)
_QUOTES = frozenset('"“”')
_APA = re.compile(
    r"[^\W\d_][\w'’.\-]*+,? [^\n]{0,300}?[(（](?:(?:19|20)\d\d|n\.d\.)"
    r"|[^\W\d_][\w'’\-]*+, (?:[^\W\d_]\.|[^\W\d_]\w+)"
    r"|[^\n]{0,300}?[(（](?:19|20)\d\d[^()（）\n]{0,20}[)）]"
)
_NOTE = re.compile(
    r"\W{0,4}(?:all (?:sources|links|urls|references|websites|pages|data)|notes?\b|accessed|"
    r"(?:sources|links|urls) (?:were|are|last)|access dates?|retrieved|citations? |last accessed|"
    r"none\b|no (?:sources|references|external|links|urls|citations)|not applicable|"
    r"注[:：]|备注|说明|所有|以上|访问日期|无)",
    re.IGNORECASE,
)

_NO_ENTRY = re.compile(
    r"\W{0,4}(?:notes?[:：]|none (?:were|was|are|given|provided|available)|not applicable|"
    r"no (?:\w+ ){0,2}(?:sources|references|links|urls|citations)\b|"
    r"(?:注|备注|说明)[:：]|(?:没有|未|无)(?:提供|给出|引用|外部|任何|链接|来源|参考))",
    re.IGNORECASE,
)
_NUMBER_IN_LINK = re.compile(r"(?:\\?\[)?\d{1,4}\\?[.):\]]\s+")

KEYED = frozenset(("linked", "bracket", "lenticular", "listed", "round", "raised", "sup"))
"""Kinds of label that give an entry its key; the others are "bullet", "plain", "item" and
"row"."""

_CLOSED = re.compile(r"(?:  |\\|https?://\S+|[.。)）>])[ \t]*\Z")
# The class of first characters stands alone in front, which lets the engine skip to them.
_ADDRESS = re.compile(
    r"[hHwWdD](?i:(?<=h)ttps?://|(?<=w)ww\.|(?<=\bd)oi[:. ])",
)
_BLANK = " \t\r\n>"


@dataclass
class EntryDraft:
    """An entry in the making: where it stands, its label and where its words begin."""

    start: int
    end: int
    key: str | None
    body: int
    kind: str
    more: tuple[str, ...] = ()

    def indent(self, text: str) -> int:
        """Blanks between the beginning of the line and the label."""
        before = text[self.start : self.body]
        return len(before) - len(before.lstrip(_BLANK))

    def closed(self, text: str) -> bool:
        """Whether the entry so far ends like a whole one, so that the next line is another."""
        return _CLOSED.search(text[max(self.start, self.end - 200) : self.end]) is not None

    def trim(self, text: str) -> None:
        """Leave out blanks on either side."""
        while self.end > self.body and text[self.end - 1] in _BLANK[:-1]:
            self.end -= 1
        while self.start < self.body and text[self.start] in _BLANK:
            self.start += 1


class FoundList(NamedTuple):
    """A reference list with entries that are yet to be read. heading: None when missing."""

    span: Span
    heading: Span | None
    drafts: Sequence[EntryDraft]


def has_address(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` holds the address of a source."""
    return _ADDRESS.search(text, start, end) is not None


def label_of(text: str, start: int, end: int) -> EntryDraft | None:
    """The beginning of an entry in the line `text[start:end]`, bullets included, or None."""
    found = _LABEL.match(text, start, end)
    if found is None or (found.end() >= end and not found.lastgroup):
        return None
    kind = "bracket" if found.lastgroup == "colon" else found.lastgroup or ""
    if kind == "bracket" and text[found.end() : found.end() + 1] == "(":
        kind = "" if not found["bracket"].isdecimal() else "bracket"
    if kind == "bracket" and not _is_key(found["bracket"], bool(found["colon"])):
        kind = ""
    if kind not in KEYED:
        if not found["bullet"]:
            return None
        return EntryDraft(start, end, None, found.end("bullet"), "bullet")
    key = found[kind]
    if kind == "raised":
        key = str((raised_numbers(key) or [0])[0])
    body = found.end()
    if kind == "linked" or (kind == "bracket" and text[body : body + 1] == "("):
        body = text.rindex("[", 0, found.start("nested" if found["nested"] else kind))
    several = _MORE_LABELS.match(text, body, end) if kind == "bracket" and key.isdecimal() else None
    more = tuple(re.findall(r"\d+", several[0])) if several else ()
    body = several.end() if several else body
    return EntryDraft(start, end, key.lstrip("0") or key, body, kind, more)


def next_of(text: str, start: int, end: int, last: EntryDraft, step: int = 1) -> EntryDraft | None:
    """The entry in a line that has no label as others have it, but the number that comes next.

    step: -1 where the line stands before `last`.
    """
    found = _FIRST_NUMBER.match(text, start, end)
    if found is None or not (last.key or "").isdecimal() or not has_address(text, start, end):
        return None
    if int(found[1]) != int(last.key or 0) + step:
        return None
    return EntryDraft(start, end, found[1], found.end(), last.kind)


def _is_key(label: str, colon: bool) -> bool:
    return (
        label.isdecimal() or colon or bool(re.fullmatch(r"[A-Za-z]{1,8}[-_ ]?\d{1,4}[a-z]?", label))
    )


def is_below_entries(line: str) -> bool:
    """A remark below the entries, such as when the pages were read."""
    return _NOTE.match(line.lstrip(" \t>")) is not None


def says_nothing(text: str, draft: EntryDraft) -> bool:
    """Whether an item below a heading of references only remarks that there are none."""
    if has_address(text, draft.body, draft.end) or looks_cited(text, draft.body, draft.end):
        return False
    return _NO_ENTRY.match(text, draft.body, draft.end) is not None


def indented(line: str) -> bool:
    """Whether a line is set in, as the lines of an entry after its first are."""
    return line[:2].strip(" \t>") == ""


def looks_cited(text: str, start: int, end: int) -> bool:
    """Whether a line without a label reads like an entry: an author and a year."""
    return _APA.match(text, start, end) is not None


def finish(
    text: str, drafts: Iterable[EntryDraft], citations: Sequence[Citation]
) -> Iterator[Reference]:
    """Entries with their addresses and titles. `citations`: those in the list, in order."""
    waiting = iter(citations)
    nearest = next(waiting, None)
    for draft in drafts:
        inside: list[Citation] = []
        while nearest is not None and nearest.span.start < draft.end:
            if nearest.span.start >= draft.start and nearest.url:
                inside.append(nearest)
            nearest = next(waiting, None)
        yield _reference(text, draft, inside)


def _reference(text: str, draft: EntryDraft, inside: Sequence[Citation]) -> Reference:
    written = tuple(dict.fromkeys(each.url for each in inside if each.url))
    urls = written or _identified(text, draft)
    words = []
    at = draft.body
    for each in inside:
        words.append(text[at : max(at, each.span.start)])
        if not isinstance(each, BareUrl) and each.label and not is_address(each.label):
            words.append(each.label)
        at = max(at, each.span.end)
    words.append(text[at : draft.end])
    title = " ".join(" ".join(words).split())
    if "<" in title:
        title = _ITEM_TAG.sub(" ", title)
    title = bare_title(title)
    if draft.kind == "linked":
        title = _NUMBER_IN_LINK.sub("", title, count=1)
    omitted = not urls and bool(_DASH_ONLY.match(title) or _OMITTED.search(title))
    identified = urls != written
    span = Span(draft.start, draft.end)
    return Reference(span, draft.key, title, urls, omitted, identified, draft.more)


def bare_title(words: str) -> str:
    """A title without the marks and quotes around it."""
    title = words.replace("()", "").replace("<>", "").strip(_TRIM)
    return title[1:-1] if title[:1] in _QUOTES and title[-1:] in _QUOTES else title


def _identified(text: str, draft: EntryDraft) -> tuple[str, ...]:
    """The address of an entry that gives only a DOI or an arXiv number."""
    found = _IDENTIFIER.search(text, draft.body, draft.end)
    if found is None:
        return ()
    if found["arxiv"]:
        return (f"https://arxiv.org/abs/{found['arxiv']}",)
    return (f"https://doi.org/{found['doi'].rstrip('.)')}",)


def is_address(label: str) -> bool:
    """Whether a text begins like the address of a page."""
    return label.startswith(("http://", "https://", "www."))


# Items of HTML stand on one line as often as not; the character before one counts to its line.
_ITEM_OR_LINE_END = re.compile(r"\r\n|[\r\n]|(?P<item>[^\r\n](?=<li[\s>]))", re.IGNORECASE)


class ReportLine(NamedTuple):
    """A line of a block. gap: nothing of the block stands above it. row: its cells, in a table."""

    start: int
    end: int
    block: Block
    gap: bool
    row: tuple[Span, ...] = ()

    def of(self, text: str) -> str:
        """The characters of the line."""
        return text[self.start : self.end]


@dataclass(frozen=True)
class ReportLines:
    """Text, blocks and citations, looked up by place in logarithmic time."""

    text: str
    blocks: Sequence[Block]
    citations: Sequence[Citation]

    @cached_property
    def _block_starts(self) -> list[int]:
        return [each.span.start for each in self.blocks]

    @cached_property
    def _citation_starts(self) -> list[int]:
        return [each.span.start for each in self.citations]

    def lines(self, start: int, end: int) -> Iterator[ReportLine]:
        """Lines from `start`, where one begins or ends, to `end`; for a table, its rows."""
        index = max(0, bisect_right(self._block_starts, start) - 1)
        while index < len(self.blocks) and self.blocks[index].span.start < end:
            block = self.blocks[index]
            index += 1
            if isinstance(block, TableBlock):
                for row in block.rows:
                    if row[0].start >= start:
                        yield ReportLine(row[0].start, row[-1].end, block, True, row)
            elif block.kind != "code" and block.span.end > start:
                yield from self.lines_of(block, max(block.span.start, start), end)

    def lines_of(self, block: Block, at: int, end: int) -> Iterator[ReportLine]:
        """Lines of a block that is no table, from `at`, where one begins or ends, to `end`."""
        ends = _ITEM_OR_LINE_END if block.kind == "html" else LINE_END
        while True:
            line_end = ends.search(self.text, at, block.span.end)
            stop = line_end.start() if line_end else block.span.end
            if line_end and line_end.lastgroup:
                stop = line_end.end()
            if stop > end:
                return
            yield ReportLine(at, stop, block, at == block.span.start)
            if line_end is None:
                return
            at = line_end.end()

    def inside(self, span: Span) -> Sequence[Citation]:
        """Citations that begin in `span`."""
        first = bisect_left(self._citation_starts, span.start)
        return self.citations[first : bisect_left(self._citation_starts, span.end)]

    def block_at(self, offset: int) -> Block | None:
        """The block that holds a character, if one does."""
        index = bisect_right(self._block_starts, offset) - 1
        if index < 0 or self.blocks[index].span.end < offset:
            return None
        return self.blocks[index]
