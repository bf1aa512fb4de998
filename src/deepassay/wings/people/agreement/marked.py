"""How far raters mark the same words: agreement over spans of a text.

The continuum is the text, character by character, as in Krippendorff (2004, Measuring the
reliability of qualitative text analysis data) and in the field's tasks on spans (SemEval 2021,
task 5): a character that everybody marks is agreed on, however the spans are cut. A text that a
rater read and marked nothing in counts as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, permutations
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from deepassay.errors import BadInput, BadTasks
from deepassay.intake.rows import InputRow
from deepassay.results.joined import Joined
from deepassay.results.tables import unguarded
from deepassay.stats.ranks import Floats
from deepassay.stats.reliability import Alpha
from deepassay.stats.resampling import (
    FEWER_DRAWS,
    ResampledFigure,
    drawn_counts,
    resampled_figure,
)
from deepassay.tasks.rows import read_rows
from deepassay.wings.people.agreement.tables import AgreementSheet

NEEDED: Final = ("agent", "task", "rater", "question", "label", "start", "end", "length")
MADE_BY: Final = "Give what `deepassay annotate export --format spans` wrote."
LONGEST: Final = 100_000_000
NOTES: Final = (
    "Of characters: whether each is marked, and of several labels under which. F1: of two raters, "
    "over all texts. Met: the share of spans of which another rater marked a character.",
    f"Interval: {FEWER_DRAWS} draws of the texts with replacement, percentiles. A dash: undefined "
    "here, or no interval because all draws say the same.",
)


class ReadSpan(NamedTuple):
    """Characters of a text, and under which label they were marked."""

    start: int
    end: int
    label: str


@dataclass
class MarkedText:
    """A text that raters were given for one question. length: its characters.

    spans: by rater, empty where a rater marked nothing.
    """

    length: int
    digest: str
    spans: dict[str, list[ReadSpan]]


TextPlace = tuple[str, ...]
"""Whose answer to which task, where it is anybody's, and beside whose it was shown."""


@dataclass(frozen=True)
class MarkedTexts:
    """What raters marked for one question, text by text."""

    question: str
    texts: Mapping[TextPlace, MarkedText]

    @cached_property
    def compared(self) -> list[MarkedText]:
        """The texts that several raters were given."""
        return [text for text in self.texts.values() if len(text.spans) > 1]

    @property
    def labels(self) -> list[str]:
        """All labels that anybody used, in the order of the alphabet."""
        everything = [own for text in self.texts.values() for own in text.spans.values()]
        return sorted({span.label for own in everything for span in own})

    def figures(self, seed: int) -> Iterator[ResampledFigure]:
        """How far raters agree, on all labels and on each."""
        labels = self.labels
        yield from self._figures("", None, seed)
        for label in labels if len(labels) > 1 else ():
            yield from self._figures(f", {label}", label, seed)

    def _figures(self, name: str, label: str | None, seed: int) -> Iterator[ResampledFigure]:
        """label: the only one that counts; None for all."""
        texts = len(self.compared)
        counts = drawn_counts(texts, seed, FEWER_DRAWS)
        for kind, statistic in self._statistics(label).items():
            yield resampled_figure(f"{kind}{name}", statistic, counts, texts, "texts")

    def now(self) -> dict[str, float | None]:
        """The figures on all labels by their names, without intervals."""
        once = np.ones(len(self.compared))
        return {kind: statistic(once) for kind, statistic in self._statistics(None).items()}

    def _statistics(self, label: str | None) -> dict[str, Callable[[Floats], float | None]]:
        """Each figure, of how often each text counts."""
        texts = self.compared
        parts = [_text_parts(text, label) for text in texts]
        units = [unit for own in parts for unit in own.units]
        lengths = np.array([length for own in parts for length in own.lengths], dtype=float)
        of_text = np.repeat(np.arange(len(texts)), [len(own.units) for own in parts])
        alpha = Alpha(units, "nominal")
        both = np.array([_common(text, label) for text in texts], dtype=float).reshape(-1, 2)
        met = np.array([_met(text, label) for text in texts], dtype=float).reshape(-1, 2)
        return {
            "Krippendorff's alpha of characters": lambda n: alpha(n[of_text] * lengths),
            "F1 of characters": lambda n: _ratio(n @ both),
            "spans that another rater met": lambda n: _ratio(n @ met),
        }


class _TextParts(NamedTuple):
    """A text cut where spans begin and end. units: what each rater said of each part."""

    units: list[list[str]]
    lengths: list[int]


def _text_parts(text: MarkedText, label: str | None) -> _TextParts:
    spans = {rater: _of(own, label) for rater, own in text.spans.items()}
    bounds = {0, text.length, *(at for own in spans.values() for span in own for at in span[:2])}
    ordered = sorted(bounds)
    parts = [*pairwise(ordered)]
    columns = [_labels_of_parts(own, ordered, label) for own in spans.values()]
    units = [list(each) for each in zip(*columns, strict=True)] if parts else []
    return _TextParts(units, [end - start for start, end in parts])


def _labels_of_parts(
    spans: Sequence[ReadSpan], bounds: Sequence[int], label: str | None
) -> list[str]:
    """Under which labels a rater marked each part between two bounds."""
    number = {bound: place for place, bound in enumerate(bounds)}
    on: list[set[str]] = [set() for _ in bounds[1:]]
    for span in spans:
        for place in range(number[span.start], number[span.end]):
            on[place].add(label or span.label)
    return ["\0".join(sorted(each)) for each in on]


def _of(spans: Sequence[ReadSpan], label: str | None) -> list[ReadSpan]:
    return [each for each in spans if label in (None, each.label)]


def _covered(spans: Sequence[ReadSpan]) -> list[tuple[int, int]]:
    """The characters of spans, as spans that do not overlap."""
    found: list[tuple[int, int]] = []
    for start, end, _ in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _common(text: MarkedText, label: str | None) -> tuple[float, float]:
    """Of all pairs of raters: twice the characters that both marked, and those of each.

    Under all labels, a character is common where it has the same one.
    """
    own = [*text.spans.values()]
    labels = {span.label for spans in own for span in spans} if label is None else {label}
    common = either = 0
    for one in labels:
        covered = [_covered(_of(spans, one)) for spans in own]
        for first, second in permutations(covered, 2):
            common += sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in first for b in second)
            either += sum(end - start for start, end in first)
    return float(common), float(either)


def _met(text: MarkedText, label: str | None) -> tuple[float, float]:
    """Of all pairs of raters: the spans of one that share a character with one of the other."""
    met = count = 0
    for one, other in permutations([_of(own, label) for own in text.spans.values()], 2):
        count += len(one)
        met += sum(
            any(a.start < b.end and b.start < a.end and a.label == b.label for b in other)
            for a in one
        )
    return float(met), float(count)


def _ratio(pair: Floats) -> float | None:
    return float(pair[0] / pair[1]) if pair[1] else None


# ------------------------------------------------------------------ the file


class MarkedFile(NamedTuple):
    """The questions of a file, and what became of its rows."""

    questions: tuple[MarkedTexts, ...]
    joined: Joined

    def sheets(self, seed: int) -> list[AgreementSheet]:
        """The figures of each question on which several raters were asked about a text."""
        return [
            AgreementSheet(each.question, "", "spans of raters", (*each.figures(seed),), NOTES)
            for each in self.questions
            if each.compared
        ]


def read_marked(path: Path) -> MarkedFile:
    """What `annotate export --format spans` wrote. Raises BadTasks, and BadInput for no pair.

    Rows that cannot be used, and texts that one rater alone was given, are told of.
    """
    rows = read_rows(path)
    if not rows or (lacking := [name for name in NEEDED if name not in rows[0].fields]):
        why = f"has no column {', '.join(lacking)}" if rows else "holds nothing"
        raise BadTasks(f"{path} {why}.", MADE_BY)
    found: defaultdict[str, dict[TextPlace, MarkedText]] = defaultdict(dict)
    strays: list[str] = []
    used: list[tuple[InputRow, MarkedText]] = []
    for row in rows:
        cells = {name: unguarded(cell) for name, cell in row.cells.items()}
        problem = _problem(cells) or _taken(cells, found[cells.get("question", "")])
        if problem:
            strays.append(f"{row.place}: {problem}")
        else:
            used.append((row, found[cells["question"]][_place(cells)]))
    alone = [
        f"{row.place}: no other rater was given this text."
        for row, text in used
        if len(text.spans) < 2
    ]
    if len(alone) == len(used):
        raise BadInput(
            f"{path}: no text was given to two raters. {' '.join(strays[:1])}".rstrip(),
            "Serve the study with --per-item 2 or more.",
        )
    questions = tuple(MarkedTexts(name, texts) for name, texts in found.items() if texts)
    return MarkedFile(questions, Joined("rows", "raters", len(rows), strays, (), alone))


def _place(cells: Mapping[str, str]) -> TextPlace:
    names = ("agent", "task", "sample", "beside", "beside_sample")
    return tuple(cells.get(name, "") for name in names)


def _problem(cells: Mapping[str, str]) -> str:
    """Why a row cannot be used; nothing where it can."""
    if lacking := [name for name in ("task", "rater", "question") if not cells.get(name)]:
        return f"{', '.join(lacking)} missing."
    numbers = {name: cells.get(name, "") for name in ("start", "end", "length")}
    marked = bool(cells.get("label"))
    for name, cell in numbers.items():
        is_number = cell.isascii() and cell.isdigit() and int(cell[:12]) <= LONGEST
        if not is_number and (marked or name == "length"):
            return f"{name} {cell!r} is no number of characters."
    if marked and not int(numbers["start"]) <= int(numbers["end"]) <= int(numbers["length"]):
        return f"{numbers['start']} to {numbers['end']} is no span of the text."
    return ""


def _taken(cells: Mapping[str, str], texts: dict[TextPlace, MarkedText]) -> str:
    """Take a row; why it does not go with those before, if it does not."""
    length, digest = int(cells["length"]), cells.get("text_digest", "")
    text = texts.setdefault(_place(cells), MarkedText(length, digest, {}))
    if (text.length, text.digest) != (length, digest):
        return "it is of another text than the rows before."
    own = text.spans.setdefault(cells["rater"], [])
    if cells.get("label"):
        span = ReadSpan(int(cells["start"]), int(cells["end"]), cells["label"])
        if span.start == span.end:
            return "what it marks was added when citations were put in one form."
        own.append(span)
    return ""
