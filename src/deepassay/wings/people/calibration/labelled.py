"""What a judge said of everything, beside what people said of a part of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from deepassay.results.known import deciding
from deepassay.results.records import Judged
from deepassay.score import Json
from deepassay.stats.ranks import Floats
from deepassay.wings.people.agreement.decisions import (
    Decision,
    decisions_by_recipe,
    number_of,
    word_of,
)
from deepassay.wings.people.agreement.matching import PANEL, scores_of_judges
from deepassay.wings.people.agreement.sampling import Candidate, candidates

Kind = Literal["scores", "verdicts"]


@dataclass(frozen=True)
class Labelled:
    """One judge under one recipe: its number for everything it judged, and the people's for some.

    name: the protocol as titles have it. recipe: its digest. identity: what of it says who judged
    by what. shown: whether it is this judge's
    score that a leaderboard shows. part: of the score, empty for the whole; on items, `items`.
    kind: what people gave. agents, tasks: whose each is, shape (n,). ours: of the judge. theirs:
    mean of people, nan where there is none; verdicts as in NUMBERS. every: of the judge, also of
    the answers that `ours` leaves out, without label beside labelled ones; None where there are
    none. others: how many. chances: of each item to get a label, where they were not all the same.
    """

    protocol: str
    name: str
    recipe: str
    judge: str
    shown: bool
    part: str
    kind: Kind
    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    ours: Floats
    theirs: Floats
    every: Floats | None = None
    others: int = 0
    identity: Mapping[str, Json] = field(default_factory=dict)
    chances: Floats | None = None

    @property
    def weights(self) -> Floats:
        """What each item counts that has a label: the inverse of the chance that it had of one."""
        if self.chances is None:
            return np.ones(len(self.ours))
        return 1 / np.where(self.chances > 0, self.chances, 1.0)

    @property
    def raw(self) -> Floats:
        """Of the judge, from all that it judged."""
        return self.ours if self.every is None else self.every


class LabelledMetrics(NamedTuple):
    """Everything that labels allow to calibrate, and the decisions that were of use for it."""

    labelled: list[Labelled]
    used: frozenset[Decision]


Report = tuple[str, str, int]
"""Task, agent and sample."""

Given = tuple[str, float]
"""Who gave a label, and as what it counts."""


ItemPlace = tuple[str, str, int, str]
"""Task, agent, sample, and the key of an item in small letters."""


def labels_on(
    decisions: Sequence[Decision],
    records: Iterable[Judged],
    names: Mapping[str, str],
    drawn: Mapping[str, Mapping[ItemPlace, float]] = MappingProxyType({}),
) -> LabelledMetrics:
    """What people decided, beside all that each judge said. names: see `match`.

    drawn: by the digest of a recipe, the chance of each item that was drawn; of that recipe labels
    on others are left out. So are verdicts on items of which a protocol gives marks or counts: yes
    and no do not answer these.
    """
    found: list[Labelled] = []
    used: set[Decision] = set()
    for name, own, judged in decisions_by_recipe(decisions, records, names):
        chances = drawn.get(judged[0].signature.digest) if judged else None
        for labelled, decided in _of_recipe(name, own, judged, chances):
            found.append(labelled)
            used |= decided
    return LabelledMetrics(found, frozenset(used))


Calibrated = Iterator[tuple[Labelled, set[Decision]]]


def _of_recipe(
    name: str,
    decisions: Sequence[Decision],
    judged: Sequence[Judged],
    drawn: Mapping[ItemPlace, float] | None,
) -> Calibrated:
    if not judged:
        return
    items = [each for each in candidates(judged) if not each.marked]
    verdicts = [each for each in decisions if each.verdict is not None]
    if drawn is not None:
        yield from _on_items(name, verdicts, items, judged[0], drawn)
        return
    parts: defaultdict[str, list[Decision]] = defaultdict(list)
    for each in decisions:
        if each.score is not None:
            parts[(each.item or "").lower()].append(each)
    for part, own in sorted(parts.items()):
        yield from _on_reports(name, part, own, judged, "scores", lambda each: each.score)
    yield from _on_items(name, verdicts, items, judged[0])
    if not any(item.item == "" for item in items):  # else it is pairs of reports that are judged
        whole = [each for each in verdicts if each.item is None]
        yield from _on_reports(name, "", whole, judged, "verdicts", _yes)


def _yes(decision: Decision) -> float | None:
    value = number_of(word_of(decision.verdict or ""))
    return value if value is not None and 0 <= value <= 1 else None


def _on_reports(
    name: str,
    part: str,
    decisions: Sequence[Decision],
    judged: Sequence[Judged],
    kind: Kind,
    value: Callable[[Decision], float | None],
) -> Calibrated:
    """A row for each task and agent: several answers to a task are averaged, as are ratings.

    Where only some of the answers have labels, the others count in the judge's own mean alone.
    """
    given: defaultdict[Report, list[tuple[Decision, float]]] = defaultdict(list)
    for each in decisions:
        if (number := value(each)) is not None:
            given[each.task, each.agent, each.sample].append((each, number))
    reports: defaultdict[Report, list[Judged]] = defaultdict(list)
    for record in judged:
        reports[record.task, record.agent, record.sample].append(record)
    scores = {place: scores_of_judges(part or None, own) for place, own in reports.items()}
    judges = sorted({judge for own in scores.values() for judge in own})
    for judge in judges:
        ours = {place: fmean(own[judge]) for place, own in scores.items() if judge in own}
        if not (labels := {place: given[place] for place in ours if place in given}):
            continue
        rows: defaultdict[tuple[str, str], list[Report]] = defaultdict(list)
        for place in sorted(ours):
            rows[place[:2]].append(place)
        kept = [[one for one in own if one in labels] or own for own in rows.values()]
        yield (
            Labelled(
                **_recipe(name, judged[0]),
                judge=judge,
                shown=not part and (judge == PANEL or PANEL not in judges),
                part=part,
                kind=kind,
                agents=tuple(agent for _, agent in rows),
                tasks=tuple(task for task, _ in rows),
                ours=np.array([fmean(ours[place] for place in own) for own in kept]),
                theirs=np.array([_people(own, labels) for own in kept]),
                every=np.array([fmean(ours[place] for place in own) for own in rows.values()]),
                others=len(ours) - sum(map(len, kept)),
            ),
            {decision for own in labels.values() for decision, _ in own},
        )


def _people(
    places: Sequence[Report], labels: Mapping[Report, Sequence[tuple[Decision, float]]]
) -> float:
    """The mean over raters of the mean of each; nan without any."""
    return _mean(
        [(each.rater, number) for place in places for each, number in labels.get(place, ())]
    )


def _mean(given: Iterable[Given]) -> float:
    raters: defaultdict[str, list[float]] = defaultdict(list)
    for rater, number in given:
        raters[rater].append(number)
    return fmean(map(fmean, raters.values())) if raters else float("nan")


def _on_items(
    name: str,
    decisions: Sequence[Decision],
    items: Sequence[Candidate],
    first: Judged,
    drawn: Mapping[ItemPlace, float] | None = None,
) -> Calibrated:
    """A row for each item, by the first judgement of each answer.

    Of a panel also what its judges say on average, where all of them gave a verdict.
    """
    given = _given(decisions)
    rows: defaultdict[str, list[tuple[Candidate, float, list[Decision]]]] = defaultdict(list)
    judges = {judge for item in items for judge in item.verdicts}
    for item in items:
        place = item_place(item)
        own = given.get(place, []) if drawn is None or place in drawn else []
        if item.judge:  # an issue that is one judge's own
            own = [each for each in own if each.judge == item.judge]
        numbers = {judge: number_of(word) for judge, word in item.verdicts.items()}
        if len(judges) > 1 and (together := of_all(judges, numbers)) is not None:
            numbers[PANEL] = together
        for judge, number in numbers.items():
            if number is not None:
                rows[judge].append((item, number, own))
    for judge, mine in sorted(rows.items()):
        used = {each for _, _, own in mine for each in own}
        if used:
            yield (
                Labelled(
                    **_recipe(name, first),
                    judge=judge,
                    shown=len(rows) == 1 or judge == PANEL,
                    part="items",
                    kind="verdicts",
                    agents=tuple(item.agent for item, _, _ in mine),
                    tasks=tuple(item.task for item, _, _ in mine),
                    ours=np.array([number for _, number, _ in mine]),
                    chances=None
                    if drawn is None
                    else np.array([drawn.get(item_place(item), 0.0) for item, *_ in mine]),
                    theirs=np.array([_label(own) for *_, own in mine]),
                ),
                used,
            )


def _given(decisions: Iterable[Decision]) -> Mapping[ItemPlace, list[Decision]]:
    """The verdicts that count as yes, no or between, by what they are on."""
    given: defaultdict[ItemPlace, list[Decision]] = defaultdict(list)
    for each in decisions:
        if each.verdict is not None and _yes(each) is not None:
            given[each.task, each.agent, each.sample, (each.item or "").lower()].append(each)
    return given


def _label(own: Iterable[Decision]) -> float:
    """What people say of one item on average; nan where nobody does."""
    return _mean((each.rater, _yes(each) or 0.0) for each in own)


def labels_of_items(decisions: Iterable[Decision]) -> dict[ItemPlace, float]:
    """What people say of each item that has a verdict, from 0 to 1."""
    return {place: _label(own) for place, own in _given(decisions).items()}


def item_place(item: Candidate) -> ItemPlace:
    """By which an item is known in all runs."""
    return item.task, item.agent, item.sample, item.item.lower()


def of_all(judges: Collection[str], said: Mapping[str, float | None]) -> float | None:
    """What judges say on average; None unless all of them said something."""
    numbers = [number for judge in judges if (number := said.get(judge)) is not None]
    return fmean(numbers) if len(numbers) == len(judges) else None


def _recipe(name: str, first: Judged) -> dict[str, Any]:
    return {
        "name": name,
        "protocol": first.protocol,
        "recipe": first.signature.digest,
        "identity": deciding(first.signature.identity),
    }
