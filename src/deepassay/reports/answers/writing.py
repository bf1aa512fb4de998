"""An answer with annotations as one Markdown report: markers in the text, sources in a list."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Final, Literal, NamedTuple

from deepassay.reports.answers.shapes import Annotation, AnswerPart, ProviderAnswer
from deepassay.reports.citations import numbers_of
from deepassay.reports.listing import (
    Source,
    address_in_list,
    page_of,
    reference_list,
    title_in_list,
)
from deepassay.reports.removal import CITE_START
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span, apply
from deepassay.text import is_letter

REVISION: Final = 3
"""Raised when the same JSON is written as another text."""

Unit = Literal["characters", "utf16", "utf8"]
UNITS: Final[tuple[Unit, ...]] = ("characters", "utf16", "utf8")
"""What offsets may count; of equals the first is taken, of Gemini's the last."""

_STOPS = ".。!！?？;；,，:：、"
_ENDS = ")）]】\ue201。！？"
_BEGINS = "(（[【\ue200。！？"
_IN_BYTES = ("gemini", "interactions")
_FITTING = 2  # of 4 points for each stretch, on average
_MARKER = re.compile(
    r"\s?(?:【[^【】\n]{1,80}】|\[\[?\^?(?:\d{1,4}|doc\d{1,3}|ref_\d{1,4})\^?\]?\]"
    r"|\ue200[^\ue200\ue201\n]{0,300}\ue201|\^\d{1,3}\^)"
)
_UNREADABLE = re.compile(r"[ \t]?\ue200[^\ue200\ue201\n]{0,300}\ue201")
_CITE = re.compile(r"\[cite:\s*(\d{1,4}(?:\s*,\s*\d{1,4})*)\s*\]")
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)
_FENCED = re.compile(r"\A\s*```(?:markdown|md)?[ \t]*\n(.*)\n```\s*\Z", re.DOTALL)
_WHOLE = re.compile(
    r"!?\[(?:[^\[\]\n]|\[[^\[\]\n]*\]){0,500}\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)"
    r"|`[^`\n]+`|https?://[^\s<>)\]]+"
)
_ADDRESS = re.compile(r"https?://(?:[^\s<>()\]]|\([^\s()]*\))+")
_BEHIND = re.compile(
    r"[\s(\[]{0,3}(?:\[[^\[\]\n]{0,300}\]\(|(?=https?://))[^\s()]*(?:\([^\s()]*\)[^\s()]*)*"
)
_CODE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.DOTALL | re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|[。！？]|\n(?=[^\S\n]*\n)")


class RenderedAnswer(NamedTuple):
    """A report. steps: what was done to the text of the answer, in order; empty if nothing was."""

    text: str
    steps: tuple[str, ...]

    @property
    def by(self) -> str:
        """The steps in one word each, under the version of their code."""
        return " ".join((f"answer-{REVISION}", *self.steps))


def answer_as_markdown(answer: ProviderAnswer) -> RenderedAnswer:
    """The answer as Markdown, with its sources where readers of reports find them.

    Where a link to the source stands in the text already, nothing is added. Else its number is
    set before the mark that ends the stretch, and a list of sources at the end; in a text with
    numbers or a list of its own the source is set as a link. What offsets count (characters,
    UTF-16 or bytes of UTF-8) is found from where they fall. Where they fall nowhere in
    particular no marker is set, and the sources are listed only.
    """
    unit, sure = unit_of(answer)
    book = _Book(list(answer.sources), own=_cites_by_number(answer))
    texts: list[str] = []
    for part in answer.parts:
        edits: dict[Span, list[Source]] = {}
        places = _Places(part.text)
        for note, span in zip(part.annotations, _spans(part, unit), strict=True):
            spot = _spot(places, span) if span and (sure or note.quote) else None
            for source in note.sources:
                if spot is None or span is None:
                    book.unplaced.append(source)
                elif not places.leads_to(span, source):
                    edits.setdefault(spot, []).append(source)
        texts.append(_marked(part.text, edits, book))
    steps: dict[str, None] = {}
    if any(part.annotations for part in answer.parts):
        steps[f"offsets:{unit}" if sure else "offsets:unknown"] = None
    text = "".join(texts)
    for name, pattern, rest in (
        ("think", _THOUGHT, ""),
        ("fence", _FENCED, r"\1\n"),
        ("markers", _UNREADABLE, ""),
        ("markers", CITE_START, ""),
        ("markers", _CITE, r"[\1]"),
    ):
        text, times = pattern.subn(rest, text)
        if times:
            steps[name] = None
    listed = book.listed(text)
    if listed:
        steps["list"] = None
        text = f"{text.rstrip()}\n\n{listed}"
    return RenderedAnswer(text, tuple(steps))


@dataclass
class _Book:
    """The numbers of sources. own: the text cites by numbers of its own, so that links are set."""

    sources: list[Source]
    own: bool
    unplaced: list[Source] = field(default_factory=list)
    used: bool = False

    def __post_init__(self) -> None:
        self._numbers: dict[str, int] = {}
        for at, each in enumerate(self.sources, start=1):
            if each.url:
                self._numbers.setdefault(page_of(each.url), at)

    def number(self, source: Source) -> int:
        page = page_of(source.url)
        if page not in self._numbers:
            self.sources.append(source)
            self._numbers[page] = len(self.sources)
        return self._numbers[page]

    def marker(self, several: Iterable[Source]) -> str:
        """How sources are set in the text, each once."""
        if self.own:
            once = {page_of(each.url): each for each in several}.values()
            named = [each for each in once if each.url]
            return " ".join(f"([{title_in_list(x)}]({address_in_list(x.url)}))" for x in named)
        self.used = True
        numbers = dict.fromkeys(self.number(each) for each in several)
        return "".join(f"[{number}]" for number in sorted(numbers))

    def listed(self, text: str) -> str:
        """The list of sources, as far as the text does not lead to them already.

        A text with a list of its own gets no second one: by which of the two its numbers are read
        could not be told.
        """
        if self.own or not (self.sources or self.unplaced):
            return ""
        report = Report(text)
        if not self.used:
            if report.references:
                return ""
            known = {page_of(c.url) for c in report.citations if c.url}
            if any(page_of(each.url) in known for each in self.sources):
                return ""
        for each in self.unplaced:
            self.number(each)
        return reference_list(self.sources, text) if self.sources else ""


def _cites_by_number(answer: ProviderAnswer) -> bool:
    """Whether numbers or a list of the text's own would be taken for ours."""
    if answer.sources or not any(part.annotations for part in answer.parts):
        return False
    spans = {note.quote for part in answer.parts for note in part.annotations if note.quote}
    report = Report(answer.text)
    return bool(report.references) or any(
        numbers_of(citation) and not citation.url and "【" not in citation.raw
        for citation in report.citations
        if citation.raw not in spans
    )


def unit_of(answer: ProviderAnswer) -> tuple[Unit, bool]:
    """What the offsets of an answer count, and whether that can be told.

    Of each unit it is counted how often a stretch begins and ends where words, sentences or
    markers do, or is the text that the annotation quotes.
    """
    points = dict.fromkeys(UNITS, 0)
    for unit in UNITS:
        for part in answer.parts:
            for note, span in zip(part.annotations, _given(part, unit), strict=True):
                points[unit] += _fits(part.text, span, note) if span else 0
    likely = UNITS[::-1] if answer.shape in _IN_BYTES else UNITS
    best = max(likely, key=lambda unit: points[unit])
    placed = [
        note
        for part in answer.parts
        for note in part.annotations
        if note.end is not None or note.start is not None
    ]
    return best, points[best] >= _FITTING * len(placed)


def _given(part: AnswerPart, unit: Unit) -> list[Span | None]:
    """The stretches that annotations give, in characters; None for what is no stretch.

    One that only begins ends with its sentence, or is the place behind one.
    """
    index, places = _index(part.text, unit), _Places(part.text)
    found: list[Span | None] = []
    for note in part.annotations:
        end = index(note.end) if note.end is not None else None
        start = index(note.start) if note.start is not None else end
        if note.end is None and start is not None:
            end = places.end_after(start) if _begins(part.text, start) == 2 else start
        found.append(
            Span(start, end) if start is not None and end is not None and start <= end else None
        )
    return found


def _index(text: str, unit: Unit) -> Callable[[int], int | None]:
    """From an offset to the place in the text; None inside a character and outside the text."""
    if unit == "characters" or text.isascii():
        return lambda at: at if 0 <= at <= len(text) else None
    if unit == "utf16":
        sizes = (2 if character > "\uffff" else 1 for character in text)
    else:
        sizes = (len(character.encode("utf-8", "surrogatepass")) for character in text)
    begins = list(accumulate(sizes, initial=0))

    def place(at: int) -> int | None:
        found = bisect_left(begins, at)
        return found if found < len(begins) and begins[found] == at else None

    return place


def _fits(text: str, span: Span, note: Annotation) -> int:
    """0 to 4: how well a stretch falls."""
    if note.quote:
        return 4 if span.of(text) == note.quote else 0
    if span.start == span.end:
        return 2 * _ends(text, span.end)
    return _begins(text, span.start) + _ends(text, span.end)


def _begins(text: str, at: int) -> int:
    """2 where words after a blank or a mark, or a bracket, begin; 1 at another edge of a word."""
    before, after = text[at - 1 : at], text[at : at + 1]
    if not after or after.isspace():
        return 0
    if not before or before.isspace() or before in _ENDS or after in _BEGINS:
        return 2
    return _edge_of_word(before, after)


def _ends(text: str, at: int) -> int:
    """2 behind a mark or a bracket and at the end of a line, 1 at another edge of a word."""
    before, after = text[at - 1 : at], text[at : at + 1]
    if not before or before.isspace():
        return 0
    if not after or after == "\n" or before in _ENDS or before in _STOPS:
        return 2
    return _edge_of_word(before, after)


def _edge_of_word(before: str, after: str) -> int:
    """0 between two characters of one word, else 1."""
    return 0 if (before + after).isalnum() else 1


def _spans(part: AnswerPart, unit: Unit) -> list[Span | None]:
    """The stretches of annotations; one that is not what it quotes is looked for nearby."""
    return [
        _nearest(part.text, note, span)
        if note.quote and (span is None or span.of(part.text) != note.quote)
        else span
        for note, span in zip(part.annotations, _given(part, unit), strict=True)
    ]


def _nearest(text: str, note: Annotation, given: Span | None) -> Span | None:
    near = given.start if given else note.start or 0
    before = text.rfind(note.quote, 0, max(0, near + len(note.quote) - 1))
    starts = [at for at in (before, text.find(note.quote, near)) if at >= 0]
    start = min(starts, key=lambda at: abs(at - near), default=None)
    return None if start is None else Span(start, start + len(note.quote))


@dataclass
class _Places:
    """What a text holds that decides where markers may stand, each kind looked for once."""

    text: str

    @cached_property
    def _ends(self) -> list[int]:
        return [each.end() for each in _SENTENCE_END.finditer(self.text)]

    @cached_property
    def _code(self) -> list[tuple[int, int]]:
        return [each.span() for each in _CODE.finditer(self.text)]

    @cached_property
    def _wholes(self) -> list[tuple[int, int]]:
        return [each.span() for each in _WHOLE.finditer(self.text)]

    @cached_property
    def _addresses(self) -> dict[str, list[tuple[int, int]]]:
        found: dict[str, list[tuple[int, int]]] = {}
        for each in _ADDRESS.finditer(self.text):
            found.setdefault(page_of(each[0]), []).append(each.span())
        return found

    def end_before(self, at: int) -> int | None:
        """Where the nearest sentence ends, at the latest at `at`."""
        if self.text[max(0, at - 1) : at] in tuple(".!?"):
            return at
        index = bisect_left(self._ends, at + 1)
        return self._ends[index - 1] if index else None

    def end_after(self, at: int) -> int:
        """Where the sentence that begins at `at` ends."""
        index = bisect_left(self._ends, at + 1)
        return self._ends[index] if index < len(self._ends) else len(self.text)

    def in_code(self, at: int) -> bool:
        """Whether a place is inside a block of code."""
        return _around(self._code, at) is not None

    def outside(self, at: int) -> int:
        """The place, or behind the link, the code or the address that it is in."""
        return _around(self._wholes, at) or at

    def leads_to(self, span: Span, source: Source) -> bool:
        """Whether the stretch, or a link right behind it, names the address already."""
        behind = _BEHIND.match(self.text, span.end)
        known = self._addresses.get(page_of(source.url), [])
        index = bisect_left(known, (span.start, 0))
        return index < len(known) and known[index][1] <= (behind.end() if behind else span.end)


def _around(spans: list[tuple[int, int]], at: int) -> int | None:
    """The end of the one of several stretches, in order, that a place is inside of."""
    index = bisect_left(spans, (at, 0)) - 1
    return spans[index][1] if index >= 0 and at < spans[index][1] else None


def _spot(places: _Places, span: Span) -> Span | None:
    """What a marker takes the place of: another marker, or nothing before the mark at the end.

    Never inside a link or a word; None in code and where no sentence ends before.
    """
    text = places.text
    if _MARKER.fullmatch(text, *span):
        words = span.of(text)
        return Span(span.start + len(words) - len(words.lstrip()), span.end)
    at = span.end
    if span.start == span.end:
        end = places.end_before(at)
        if end is None:
            return None
        at = end
    while at > span.start and text[at - 1].isspace():
        at -= 1
    if at and text[at - 1] in _STOPS:
        at -= 1
    while 0 < at < len(text) and is_letter(text[at - 1]) and is_letter(text[at]):
        at += 1
    if places.in_code(at):
        return None
    at = places.outside(at)
    return Span(at, at)


def _marked(text: str, edits: dict[Span, list[Source]], book: _Book) -> str:
    """The text with its markers; sources are numbered as they come."""
    made = []
    for spot in sorted(edits):
        marker = book.marker(edits[spot])
        before = text[spot.start - 1 : spot.start]
        blank = before and not before.isspace() and before.isascii() and before not in "([|"
        made.append(Edit(spot, f" {marker}" if blank else marker))
    return apply(text, made)
