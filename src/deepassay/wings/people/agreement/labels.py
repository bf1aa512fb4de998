"""A judge held against people's labels of items: every coefficient, by cuts, beside a floor.

Labels and verdicts are numbers, the better the higher: 1 supported, .5 partial, 0 unsupported. What
people say together is the median of their labels, where one of them said it. Intervals are those of
drawing units (pages, questions) with replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from statistics import median
from typing import Final

import numpy as np

from deepassay.glossary import meaning
from deepassay.results.tables import NONE, Table, decimals, several
from deepassay.score import Json
from deepassay.stats.classes import kappa_of_table
from deepassay.stats.correlation import Kendall, concordance, pearson, spearman
from deepassay.stats.ranks import Floats
from deepassay.stats.reliability import Alpha
from deepassay.stats.resampling import (
    FEWER_DRAWS,
    ResampledFigure,
    Statistic,
    drawn_counts,
    resampled_figure,
)

PEOPLE: Final = "people"
FEWEST: Final = 10
"""Items of a cut below which it has no row."""

ACCURACY: Final = "accuracy"
BALANCED: Final = "balanced accuracy"
AUC: Final = "AUC"
KAPPA: Final = "Cohen's kappa"

AUC_NOTE: Final = (
    f"AUC: {meaning('AUC')}; of verdicts alone it is made of their two or three values."
)
DIVIDED: Final = "Divided, and counted for people alone: {}."
PEOPLE_NOTE: Final = (
    "people: one rater held against another, on all items that several rated; a judge is held "
    "against what they say together."
)


TOLD: Final = {
    "floor AUC": "floor: the rule that asks nobody.",
    "floor accuracy": "floor: what asks nobody, the last column above.",
    "people": "people: their accuracy.",
}
"""What stands in columns of the cuts that not every set fills."""


@dataclass(frozen=True)
class LabelledItem:
    """One item. people: the label of each rater. unit: what it was asked with. cuts: by name.

    again: whether it was judged once more and stands there already, as people count it.
    """

    people: tuple[float, ...]
    unit: str
    cuts: Mapping[str, str]
    again: bool = False

    def together(self, classes: Sequence[float]) -> float | None:
        """What people say together; None where they are divided, or it is none of the classes."""
        middle = median(self.people)  # between two opposites lies a class that nobody gave
        return middle if middle in self.people and middle in classes else None


@dataclass(frozen=True)
class Saying:
    """What one judge, rule or model said of the items, in their order; None: nothing.

    grades: as fine as it goes; the verdicts where it says no more.
    """

    name: str
    verdicts: Sequence[float | None]
    grades: Sequence[float | None]


class _VerdictLines:
    """Pairs of a label and a verdict, each belonging to a unit, and what is counted of them."""

    def __init__(
        self,
        rows: Sequence[tuple[float, float, float, str]],
        seed: int,
        items: int,
        words: Mapping[float, str],
    ) -> None:
        """rows: label, verdict, grade and unit. items: that they are of. words: see `Measured`."""
        self.items, self._words = items, words
        places = {unit: at for at, unit in enumerate(dict.fromkeys(row[3] for row in rows))}
        self._unit = np.array([places[row[3]] for row in rows], dtype=int)
        self._label, self._verdict, self._grade = (
            np.array([row[n] for row in rows], dtype=float) for n in range(3)
        )
        self._classes = np.unique(np.concatenate([self._label, self._verdict]))
        down, across = (np.searchsorted(self._classes, e) for e in (self._label, self._verdict))
        self._cell = down * len(self._classes) + across
        self._seed, self._units = seed, len(places)

    def figures(self, *names: str) -> list[ResampledFigure]:
        """These figures, or all of them."""
        counts = drawn_counts(self._units, self._seed, FEWER_DRAWS)
        made = self._statistics()
        return [
            resampled_figure(
                name, made[name](), counts, self.items, "items", expanded=bool(self._words)
            )
            for name in names or made
        ]

    def _statistics(self) -> dict[str, Callable[[], Statistic]]:
        """What makes each of them, since some take longer to make than others to count."""

        def of_items(what: Callable[[Floats], float | None]) -> Callable[[], Statistic]:
            return lambda: lambda counts: what(counts[self._unit])

        label, verdict = self._label, self._verdict
        pairs = np.column_stack([label, verdict]).tolist()
        return {
            ACCURACY: of_items(
                lambda w: float(w @ (label == verdict) / w.sum()) if w.sum() else None
            ),
            BALANCED: of_items(lambda w: _balanced(self._table(w))),
            "macro-F1": of_items(lambda w: _macro_f1(self._table(w))),
            KAPPA: of_items(lambda w: kappa_of_table(self._table(w)) if np.ptp(label) else None),
            "Krippendorff's alpha, nominal": of_items(Alpha(pairs, "nominal")),
            "Krippendorff's alpha, ordinal": of_items(Alpha(pairs, "ordinal")),
            "Pearson (phi)": of_items(lambda w: pearson(verdict, label, w)),
            "Spearman": of_items(lambda w: spearman(self._grade, label, w)),
            "Kendall's tau-b": lambda: Kendall(verdict, label, self._unit).tau_b,
            AUC: of_items(concordance(self._grade, label)),
            **{
                f"F1 of {word}": of_items(lambda w, value=value: self._f1(value, w))  # type: ignore[misc]
                for value, word in self._words.items()
            },
        }

    def _f1(self, value: float, weights: Floats) -> float | None:
        """Of one class; None where neither side gave it."""
        table, there = self._table(weights), np.flatnonzero(self._classes == value)
        return _class_f1(table)[there[0]] if len(there) else None

    def _table(self, weights: Floats) -> Floats:
        """How often each class of people met each class of the other side."""
        size = len(self._classes)
        cells = np.bincount(self._cell, weights, size * size)
        return np.asarray(cells, dtype=float).reshape(size, size)


def _balanced(table: Floats) -> float | None:
    """The mean share of each class of people's that the other side gave too.

    table: how often each class of people (down) met each of the other side (across).
    """
    own = table.sum(axis=1)
    there = own > 0
    return float((np.diag(table)[there] / own[there]).mean()) if there.any() else None


def _macro_f1(table: Floats) -> float | None:
    known = [each for each in _class_f1(table) if each is not None]
    return float(np.mean(known)) if known else None


def _class_f1(table: Floats) -> list[float | None]:
    """F1 of each class of a table as that of `_balanced`; None for one that neither side gave."""
    both = table.sum(axis=0) + table.sum(axis=1)
    shared = zip(np.diag(table).tolist(), both.tolist(), strict=True)
    return [2 * each / of if of else None for each, of in shared]


@dataclass(frozen=True)
class CutFigures:
    """One cut. own: of the judge, by their names; floor, people: None where they said nothing."""

    cut: str
    items: int
    own: Mapping[str, ResampledFigure]
    floor: ResampledFigure | None
    people: ResampledFigure | None


@dataclass(frozen=True)
class Measured:
    """Some judges on one set of labels.

    what: the set. items, classes: of its labels. sayings: the judge first, then what stands beside
    it. notes: what must be known of the figures. units: what is drawn for intervals. words: what
    classes are called, where F1 of each is wanted; cuts then have balanced accuracy and no AUC.
    more: figures of some of the sayings that were counted elsewhere, with the names of these.
    """

    what: str
    items: Sequence[LabelledItem]
    classes: Sequence[float]
    sayings: Sequence[Saying]
    notes: tuple[str, ...] = ()
    seed: int = 0
    units: str = "pages or questions"
    words: Mapping[float, str] = field(default_factory=dict)
    more: Sequence[tuple[str, ResampledFigure]] = ()

    @property
    def divided(self) -> int:
        """Items on which people say nothing together: they count for people alone."""
        once = (each for each in self.items if not each.again)
        return sum(each.together(self.classes) is None for each in once)

    def _lines(self, saying: Saying, chosen: Sequence[int]) -> _VerdictLines | None:
        rows = []
        for at in chosen:
            label = self.items[at].together(self.classes)
            verdict, grade = saying.verdicts[at], saying.grades[at]
            if label is not None and verdict is not None and grade is not None:
                rows.append((label, verdict, grade, self.items[at].unit))
        return _VerdictLines(rows, self.seed, len(rows), self.words) if rows else None

    def _people(self, chosen: Sequence[int]) -> _VerdictLines | None:
        once = (self.items[at] for at in chosen if not self.items[at].again)
        several = [each for each in once if len(each.people) > 1]
        rows = [
            (one, other, other, each.unit)
            for each in several
            for one, other in permutations(each.people, 2)
        ]
        return _VerdictLines(rows, self.seed, len(several), self.words) if rows else None

    @cached_property
    def figures(self) -> list[tuple[str, ResampledFigure]]:
        """Every figure of everyone, with the name of whose it is."""
        return [*self._figures()]

    def _figures(self) -> Iterator[tuple[str, ResampledFigure]]:
        everything = range(len(self.items))
        for each in self.sayings:
            if lines := self._lines(each, everything):
                yield from ((each.name, figure) for figure in lines.figures())
            yield from (own for own in self.more if own[0] == each.name)
        if lines := self._people(everything):
            yield from ((PEOPLE, figure) for figure in lines.figures())

    @cached_property
    def by_cut(self) -> list[CutFigures]:
        """Figures of the judge by every cut."""
        return [*self._by_cut()]

    def tables(self) -> tuple[Table, ...]:
        """All figures, everyone in a column; then the judge by every cut."""
        found = self.figures
        names = list(dict.fromkeys(name for name, _ in found))
        figures = {(name, figure.name): figure for name, figure in found}
        rows = [
            (kind, *(figure_with_interval(figures.get((name, kind))) for name in names))
            for kind in dict.fromkeys(figure.name for _, figure in found)
        ]
        counts = [next(f.n for n, f in found if n == name) for name in names]
        rows.append(("items", *map(str, counts)))
        title = f"{names[0]} on {self.what}" if names else f"{self.what}: nobody said anything"
        whole = Table.listed(title, ("figure", *names), rows, (*self.notes, *self._notes()))
        cuts = self._cuts()
        return (whole, cuts) if cuts.rows else (whole,)

    def _notes(self) -> Iterator[str]:
        if self.divided:
            yield DIVIDED.format(several(self.divided, "item"))
        yield (
            f"In brackets: 95 % intervals, percentiles of {FEWER_DRAWS} draws of {self.units}"
            + (", further out where these are few" if self.words else "")
            + ". A dash: undefined here, or nobody gave it."
        )
        yield AUC_NOTE
        if not self.words or any(len(each.people) > 1 for each in self.items):
            yield PEOPLE_NOTE

    def _by_cut(self) -> Iterator[CutFigures]:
        """The judge by source, language and length, with the floor and people beside it."""
        judge, *others = self.sayings or (None,)
        floor = others[-1] if others else None
        kinds = dict.fromkeys(name for each in self.items for name in each.cuts)
        for kind in kinds:
            values = sorted({each.cuts.get(kind, "") for each in self.items} - {""})
            for value in values if len(values) > 1 else ():
                chosen = [n for n, each in enumerate(self.items) if each.cuts.get(kind) == value]
                lines = self._lines(judge, chosen) if judge else self._people(chosen)
                if lines is None or lines.items < FEWEST:
                    continue
                own = {each.name: each for each in lines.figures(ACCURACY, self._second, KAPPA)}
                same = [n for n in chosen if judge is None or judge.verdicts[n] is not None]
                beside = self._lines(floor, same) if floor else None
                people = self._people(chosen)
                yield CutFigures(
                    f"{kind} {value}",
                    lines.items,
                    own,
                    beside.figures(self._of_floor)[0] if beside else None,
                    people.figures(ACCURACY)[0] if people else None,
                )

    @property
    def _second(self) -> str:
        return BALANCED if self.words else AUC

    @property
    def _of_floor(self) -> str:
        return ACCURACY if self.words else AUC

    def _cuts(self) -> Table:
        name = self.sayings[0].name if self.sayings else PEOPLE
        rows = [
            (
                each.cut,
                str(each.items),
                *(figure_with_interval(each.own[name]) for name in (ACCURACY, self._second)),
                figure_with_interval(each.own[KAPPA], interval=False),
                figure_with_interval(each.floor, interval=False),
                figure_with_interval(each.people, interval=False),
            )
            for each in self.by_cut
        ]
        head = (
            *("cut", "items", ACCURACY, self._second, "kappa"),
            *(f"floor {self._of_floor}", "people"),
        )
        said = [n for n in range(len(head)) if any(row[n] != NONE for row in rows)]
        notes = [f"Cuts of fewer than {FEWEST} items have no row."]
        shown = {head[n] for n in said}
        notes += [word for column, word in TOLD.items() if column in shown]
        shown_rows = [[row[n] for n in said] for row in rows]
        title = f"{name} on {self.what}, by cuts"
        return Table.listed(title, [head[n] for n in said], shown_rows, [" ".join(notes)])

    def flat(self) -> list[dict[str, Json]]:
        """Every figure on all items as a line, unrounded."""
        return [self._flat(name, each) for name, each in self.figures]

    def flat_cuts(self) -> list[dict[str, Json]]:
        """Those of the cuts, likewise, and of the floor and of people.

        The floor is counted on what the judge decided on, so `beside` says whose it is.
        """
        judge = self.sayings[0].name if self.sayings else PEOPLE
        lines = []
        for each in self.by_cut:
            found = [(judge, figure, "") for figure in each.own.values()]
            if each.floor:
                found.append((self.sayings[-1].name, each.floor, judge))
            if each.people and self.sayings:
                found.append((PEOPLE, each.people, ""))
            lines += [
                self._flat(name, figure) | {"cut": each.cut, "beside": beside}
                for name, figure, beside in found
            ]
        return lines

    def _flat(self, name: str, each: ResampledFigure) -> dict[str, Json]:
        low, high = each.interval or (None, None)
        return {
            "set": self.what,
            "by": name,
            "figure": each.name,
            "value": each.value,
            "low": low,
            "high": high,
            "n": each.n,
        }


def figure_with_interval(figure: ResampledFigure | None, *, interval: bool = True) -> str:
    """A value, with the ends of its interval where it has one."""
    if figure is None or figure.value is None:
        return NONE
    if figure.interval is None or not interval:
        return decimals(figure.value, 2)
    low, high = figure.interval
    return f"{decimals(figure.value, 2)} ({decimals(low, 2)} to {decimals(high, 2)})"
