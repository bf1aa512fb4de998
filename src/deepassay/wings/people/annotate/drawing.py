"""Which verdicts people should give next, so that a comparison of two agents becomes sure.

The arithmetic is that of `stats.active` and `stats.spread`. What was drawn, and by which chance, is
a file of its own: `annotate draw` writes it, `annotate serve --drawn` asks what it says, and
`calibrate --drawn` counts each label by the inverse of its chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import ClassVar, Final, Literal, TypeVar

import numpy as np

from deepassay.errors import BadInput, BadSetting
from deepassay.results.records import Judged, without_references
from deepassay.results.saved_file import SavedFile, SavedPart
from deepassay.run.showing.boards import only_judged_by, scores_of
from deepassay.score import digest
from deepassay.stats.active import DrawnLabels, TwoAgents, raised
from deepassay.stats.powered_ranks import PoweredGap
from deepassay.stats.spread import SpreadDraw
from deepassay.wings.people.agreement.decisions import Decisions, is_on, number_of
from deepassay.wings.people.agreement.people_files import read_decisions
from deepassay.wings.people.agreement.sampling import candidates
from deepassay.wings.people.calibration.labelled import (
    ItemPlace,
    item_place,
    labels_of_items,
    of_all,
)

VERSION: Final = 2
FEWEST: Final = 20
"""Tasks with labels of each agent before an interval is told, as in `calibrate`."""


class DrawnItem(SavedPart):
    """A verdict that people may be asked for. chances: of being drawn, by the end of each round.
    round: in which it was, 0 if it was not.
    """

    task: str
    agent: str
    sample: int
    item: str
    chances: tuple[float, ...]
    round: int

    @property
    def chance(self) -> float:
        """How likely it was to be drawn by now, 0 to 1."""
        return self.chances[-1] if self.chances else 0.0

    @property
    def place(self) -> ItemPlace:
        """By which it is known in all runs."""
        return self.task, self.agent, self.sample, self.item


class DrawFile(SavedFile):
    """What was drawn of a run so far. recipe: digest of that of the judge. within: the wanted half
    width of the interval of the difference, of which the file is for.
    """

    what: ClassVar[str] = "draw"
    again: ClassVar[str] = "Begin again: deepassay annotate draw RUN --questions PROTOCOL -o FILE."

    draw: Literal[2] = VERSION
    protocol: str
    recipe: str
    between: tuple[str, str]
    within: float
    seed: int
    rounds: int
    items: tuple[DrawnItem, ...]

    def chances(self) -> dict[str, dict[ItemPlace, float]]:
        """By the digest of the recipe, the chance of each item that was drawn."""
        return {self.recipe: {each.place: each.chance for each in self.items if each.round}}

    def drawn_in(self, round: int) -> frozenset[ItemPlace]:
        """What was drawn in a round, from 1."""
        return frozenset(each.place for each in self.items if each.round == round)


@dataclass(frozen=True)
class DrawTerms:
    """What is asked of a draw. protocol, between, within: None, or as those of the file that is
    there. labels: of one round.
    """

    protocol: str | None
    between: tuple[str, str] | None
    labels: int
    within: float | None
    seed: int | None


@dataclass(frozen=True)
class NextDraw:
    """What came of it. file: with a further round, or as it was where it is done.

    gap: the difference by people so far; None before there are labels on enough tasks. drawn: in
    this round. open: drawn before and without a label yet. strays: labels on what was not drawn.
    lost: verdicts that not all judges gave, which are not drawn from. notes: on files of labels.
    """

    file: DrawFile
    gap: PoweredGap | None
    labels: int
    drawn: int
    open: int
    strays: int
    lost: int = 0
    notes: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether the interval is as narrow as was wanted."""
        half = _half(self.gap)
        return half is not None and half <= self.file.within

    def lines(self) -> list[str]:
        """How sure the comparison is, how many labels are missing, and what stands in the way."""
        one, other = self.file.between
        told = [
            f"{self.labels} labels so far; {len(self.file.items)} verdicts of {one} and {other}."
        ]
        if self.open:
            told.append(f"{self.open} that were drawn before have no label yet.")
        if self.lost:
            told.append(f"{self.lost} verdicts are left out: not all judges gave one.")
        if self.strays:
            told.append(f"{self.strays} labels are on what was not drawn, and do not count.")
        told += self.notes
        half = _half(self.gap)
        if self.gap is None or half is None:
            told.append(f"No interval yet: it takes labels on {FEWEST} tasks of each agent.")
        else:
            low, high = self.gap.value - half, self.gap.value + half
            told.append(
                f"{one} less {other}, by people: {self.gap.value:.3f} ({low:.3f} to {high:.3f}); "
                f"±{half:.3f}, and ±{self.file.within:.3f} is wanted."
            )
        if self.done:
            told.append("That is narrow enough: stop here. Nothing is drawn.")
        elif half is not None:
            more = ceil(self.labels * ((half / self.file.within) ** 2 - 1))
            told.append(f"About {more} more labels would do, if tasks are not what is missing.")
        return told


def _half(gap: PoweredGap | None) -> float | None:
    if gap is None or gap.interval is None:
        return None
    return (gap.interval.high - gap.interval.low) / 2


def _drawable(
    records: Sequence[Judged], between: tuple[str, str]
) -> tuple[list[ItemPlace], TwoAgents, int]:
    """The verdicts of two agents, where each stands, and how many not all judges gave."""
    said = [each for each in candidates(records) if each.item and not (each.judge or each.marked)]
    judges = {judge for each in said for judge in each.verdicts}
    numbered: dict[ItemPlace, float] = {}
    lost = 0
    for each in said:
        numbers = {judge: number_of(word) for judge, word in each.verdicts.items()}
        together = of_all(judges, numbers)
        if each.agent in between and together is not None:
            numbered[item_place(each)] = together
        lost += each.agent in between and together is None
    places = sorted(numbered)
    if {agent for _, agent, *_ in places} != set(between):
        raise BadInput(
            f"There are no verdicts of {' and of '.join(between)} to draw from.",
            "Take a protocol that decides on items, such as rubrics, coverage or fact.",
        )
    tasks = {task: at for at, task in enumerate(sorted({place[0] for place in places}))}
    of = TwoAgents(
        np.array([numbered[place] for place in places]),
        np.array([between.index(agent) for _, agent, *_ in places]),
        np.array([tasks[place[0]] for place in places]),
    )
    return places, of, lost


def draw_next(
    run: Path, human: Sequence[Path], before: DrawFile | None, terms: DrawTerms
) -> NextDraw:
    """A further round of a draw, or the first. human: files of what people said so far.

    Raises BadInput for a run of another judge than that of the file, BadSetting for terms that the
    file has otherwise, or for agents that the run does not have.
    """
    protocol = _same("--questions", terms.protocol, before.protocol if before else None)
    if protocol is None:
        raise BadSetting("No question is named.", "Name a protocol: --questions rubrics.")
    every = without_references(only_judged_by([protocol], scores_of([run])))
    recipes = sorted({each.signature.digest for each in every})
    if len(recipes) > 1 or (before and [before.recipe] != recipes):
        by = "several recipes" if len(recipes) > 1 else "another judge or recipe"
        raise BadInput(
            f"{run} holds {protocol} by {by}.",
            "Draw from a run of one judge, and go on with that of the first round.",
        )
    asked = _same("--between", terms.between, before.between if before else None)
    between = asked or _ahead(every)
    if unknown := [each for each in between if each not in {record.agent for record in every}]:
        raise BadSetting(f"The run has no agent {unknown[0]!r}.", "Name two of those it has.")
    places, of, lost = _drawable(every, between)
    seed = (before.seed if before else terms.seed) or 0
    file = before or DrawFile(
        protocol=protocol,
        recipe=recipes[0],
        between=between,
        within=0.05 if terms.within is None else terms.within,
        seed=seed,
        rounds=0,
        items=tuple(_item(place, (), 0) for place in places),
    )
    if terms.within is not None:
        file = file.model_copy(update={"within": terms.within})
    said = read_decisions(*human) if human else Decisions()
    given = labels_of_items(each for each in said.usable if is_on(each, every[0].protocol))
    return replace(_further(places, of, file, given, terms), lost=lost, notes=said.remarks)


T = TypeVar("T")


def _same(name: str, asked: T | None, there: T | None) -> T | None:
    if asked is not None and there is not None and asked != there:
        raise BadSetting(
            f"{name}: the draw that is there is for {there}, not for {asked}.",
            "Leave the option out, or begin another file.",
        )
    return asked if there is None else there


def _item(place: ItemPlace, chances: tuple[float, ...], round: int) -> DrawnItem:
    task, agent, sample, item = place
    return DrawnItem(task=task, agent=agent, sample=sample, item=item, chances=chances, round=round)


def _ahead(records: Sequence[Judged]) -> tuple[str, str]:
    """The two agents of which most verdicts are yes, the first before the second."""
    said: defaultdict[str, list[float]] = defaultdict(list)
    for each in candidates(records):
        numbers = [n for word in each.verdicts.values() if (n := number_of(word)) is not None]
        said[each.agent] += numbers
    ranked = sorted(
        (name for name, own in said.items() if own), key=lambda name: -fmean(said[name])
    )
    if len(ranked) < 2:
        raise BadInput("There are no verdicts of two agents to compare.", "Take another run.")
    return ranked[0], ranked[1]


def _further(
    places: Sequence[ItemPlace],
    of: TwoAgents,
    file: DrawFile,
    given: Mapping[ItemPlace, float],
    terms: DrawTerms,
) -> NextDraw:
    known = {each.place: each for each in file.items}
    there = [known.get(place) or _item(place, (0.0,) * file.rounds, 0) for place in places]
    chances = np.array([each.chance for each in there])
    drawn = np.array([each.round > 0 for each in there])
    theirs = np.array([given.get(place, np.nan) for place in places])
    strays = int(np.count_nonzero(~np.isnan(theirs) & ~drawn))
    labels = DrawnLabels(np.where(drawn, theirs, np.nan), np.where(drawn, chances, 1.0))
    count = int(np.count_nonzero(~np.isnan(labels.theirs)))
    state = NextDraw(
        file, of.gap(labels, FEWEST), count, 0, int(np.count_nonzero(drawn)) - count, strays
    )
    if state.done:
        return state
    fresh = raised(chances, of.errors(labels, file.seed), terms.labels)
    spread = SpreadDraw(of.agent, of.task, of.ours)
    for before in zip(*(each.chances for each in there), strict=True):
        spread.rise(np.array(before))
    spread.rise(fresh)
    tasks = dict.fromkeys(task for task, *_ in places)
    now = spread.drawn(np.array([_number(file.seed, task) for task in tasks])) & ~drawn
    rounds = file.rounds + 1
    items = tuple(
        _item(each.place, (*each.chances, chance), rounds if new else each.round)
        for each, chance, new in zip(there, fresh.tolist(), now.tolist(), strict=True)
    )
    further = file.model_copy(update={"rounds": rounds, "items": items})
    return NextDraw(further, state.gap, count, int(now.sum()), state.open, strays)


def _number(seed: int, task: str) -> float:
    """The number from 0 to 1 that a task keeps for good."""
    return int(digest([seed, task])[:13], 16) / 16**13
