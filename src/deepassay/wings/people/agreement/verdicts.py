"""Verdicts of judges held against those of people (LiveResearchBench, appendix C).

The paper gives the rate at which people agree with a judge, and with either of two; apart for the
items on which all judges say the same; and the share of flagged issues that people confirm. A
decision of one person on one item is what is counted.

Which score or verdict of which judge a person's decision is on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import Final

import numpy as np

from deepassay.results.evidence import EvidenceItem, JudgeOutcome, reading_of
from deepassay.results.records import Judged, judges_of
from deepassay.score import ReportKey, report_key
from deepassay.stats.classes import kappa_of_table
from deepassay.stats.ranks import Floats
from deepassay.stats.reliability import Alpha
from deepassay.stats.resampling import (
    FEWER_DRAWS,
    ResampledFigure,
    Statistic,
    drawn_counts,
    ratio,
    resampled_figure,
)
from deepassay.wings.people.agreement.consistency import RatedReport, ScoresByTask
from deepassay.wings.people.agreement.decisions import MET, Decision, decisions_by_recipe, word_of

EITHER: Final = "agreement with at least one judge"
ALL: Final = "agreement with all judges"


@dataclass(frozen=True)
class DecidedItem:
    """One item that a person decided on. item: what tells it from all others of the task.

    judges: the verdict of each judge who gave one. weight: its part of the decision, of which
    there is a line for each time that the report was judged.
    """

    task: str
    item: Hashable
    rater: str
    person: str
    judges: Mapping[str, str]
    weight: float = 1.0

    @property
    def decision(self) -> tuple[str, Hashable, str]:
        """The person's decision, however often it was judged."""
        return self.task, self.item, self.rater


class LinesByTask:
    """Lines by task, for shares with an interval from drawing tasks."""

    def __init__(self, lines: Sequence[DecidedItem], seed: int) -> None:
        self._lines = lines
        self._place = {task: at for at, task in enumerate(sorted({line.task for line in lines}))}
        self.counts = drawn_counts(len(self._place), seed, FEWER_DRAWS)

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return len(self._place)

    def at(self, line: DecidedItem) -> int:
        """The number of the line's task."""
        return self._place[line.task]

    def share(
        self, name: str, hit: Callable[[DecidedItem], bool], of: Callable[[DecidedItem], bool]
    ) -> ResampledFigure:
        """The share of the lines `of` that are a `hit`; a decision weighs the same as any other."""
        sums = np.zeros((2, self.tasks))
        own = [*filter(of, self._lines)]
        for line in own:
            sums[:, self.at(line)] += (hit(line) * line.weight, line.weight)
        return self.figure(name, ratio(*sums), decisions_of(own), "decisions")

    def figure(self, name: str, statistic: Statistic, n: int, unit: str) -> ResampledFigure:
        """A figure with its interval."""
        return resampled_figure(name, statistic, self.counts, n, unit)


def decisions_of(lines: Iterable[DecidedItem]) -> int:
    """How many decisions of people they are on."""
    return len({line.decision for line in lines})


def verdict_figures(lines: Sequence[DecidedItem], seed: int) -> list[ResampledFigure]:
    """All that the lines allow: each judge, several together, both sets, people with each other."""
    counting = LinesByTask(lines, seed)
    judges = sorted({judge for line in lines for judge in line.judges})
    found = [each for judge in judges for each in _of_judge(judge, lines, counting)]
    if len(judges) > 1:
        found += _of_panel(judges, counting)
    return [*found, *_of_people(lines, counting)]


def _of_judge(
    judge: str, lines: Sequence[DecidedItem], counting: LinesByTask
) -> Iterator[ResampledFigure]:
    def said(line: DecidedItem) -> bool:
        return judge in line.judges

    def agreed(line: DecidedItem) -> bool:
        return line.judges[judge] == line.person

    own = [line for line in lines if said(line)]
    yield counting.share(f"agreement with {judge}", agreed, said)
    chance = _table(own, judge, counting)
    yield counting.figure(
        f"Cohen's kappa, {judge}",
        lambda counts: kappa_of_table(np.tensordot(counts, chance, axes=1)),
        decisions_of(own),
        "decisions",
    )
    for word in sorted({line.person for line in own}):
        yield counting.share(
            f"agreement with {judge} where people say {word}",
            agreed,
            lambda line, word=word: said(line) and line.person == word,  # type: ignore[misc]
        )
    yield counting.share(
        f"precision of {judge} where it says {MET}",
        agreed,
        lambda line: line.judges.get(judge) == MET,
    )


def _of_panel(judges: Sequence[str], counting: LinesByTask) -> Iterator[ResampledFigure]:
    def complete(line: DecidedItem) -> bool:
        return len(line.judges) == len(judges)

    def united(line: DecidedItem) -> bool:
        return complete(line) and len(set(line.judges.values())) == 1

    def divided(line: DecidedItem) -> bool:
        return complete(line) and not united(line)

    def with_any(line: DecidedItem) -> bool:
        return line.person in line.judges.values()

    def with_all(line: DecidedItem) -> bool:
        return united(line) and with_any(line)

    yield counting.share(EITHER, with_any, complete)
    yield counting.share(ALL, with_all, complete)
    yield counting.share("judges say the same (agreement set)", united, complete)
    yield counting.share("agreement set: agreement with the judges", with_any, united)
    yield counting.share("disagreement set: agreement with at least one", with_any, divided)
    for judge in judges:
        yield counting.share(
            f"disagreement set: agreement with {judge}",
            lambda line, judge=judge: line.judges[judge] == line.person,  # type: ignore[misc]
            divided,
        )


def _of_people(lines: Sequence[DecidedItem], counting: LinesByTask) -> Iterator[ResampledFigure]:
    """Of pairs of people who decided on the same item, and Krippendorff's alpha of all."""
    said: defaultdict[tuple[str, Hashable], dict[str, DecidedItem]] = defaultdict(dict)
    for line in lines:
        said[line.task, line.item][line.rater] = line
    units = [list(own.values()) for own in said.values() if len(own) > 1]
    if not units:
        return
    sums = np.zeros((2, counting.tasks))
    for unit in units:
        for one, other in combinations(unit, 2):
            sums[:, counting.at(one)] += (one.person == other.person, 1)
    yield counting.figure(
        "agreement of people with each other", ratio(*sums), int(sums[1].sum()), "pairs"
    )
    alpha = Alpha([[line.person for line in unit] for unit in units], "nominal")
    task = np.array([counting.at(unit[0]) for unit in units])
    yield counting.figure(
        "Krippendorff's alpha of people, nominal",
        lambda counts: alpha(counts[task]),
        len(units),
        "items",
    )


def _table(lines: Iterable[DecidedItem], judge: str, counting: LinesByTask) -> Floats:
    """How often person and judge said what, by task: shape (tasks, words, words)."""
    lines = list(lines)
    words = sorted({word for line in lines for word in (line.person, line.judges[judge])})
    place = {word: at for at, word in enumerate(words)}
    table = np.zeros((counting.tasks, len(words), len(words)))
    for line in lines:
        cell = counting.at(line), place[line.person], place[line.judges[judge]]
        table[cell] += line.weight
    return table


PANEL = "panel"


@dataclass(frozen=True)
class Matched:
    """Decisions and what they are on, under one recipe.

    scores: by judge and by part of the score, "" for the whole; `panel` is what several judges
    came to together. lines: decisions with the verdicts of judges. found: the decisions to which
    something stands, or that name the protocol of a report that is there. unjudged: those of them
    that lack a `score` or a `verdict` of every judge.
    """

    protocol: str
    scores: Mapping[tuple[str, str], ScoresByTask]
    lines: tuple[DecidedItem, ...]
    found: frozenset[Decision]
    unjudged: Mapping[str, tuple[Decision, ...]]

    @property
    def used(self) -> frozenset[Decision]:
        """The decisions that figures rest on, were it on their score or on their verdict alone."""
        lacking = Counter(each for own in self.unjudged.values() for each in own)
        given = {each: sum(v is not None for v in (each.score, each.verdict)) for each in lacking}
        return self.found - {each for each, count in lacking.items() if count == given[each]}


def match(
    decisions: Sequence[Decision],
    records: Iterable[Judged],
    names: Mapping[str, str] | None = None,
) -> list[Matched]:
    """The decisions under every protocol and recipe of the records, those without any left out.

    names: by which recipes of one protocol are told apart, under their digests.
    """
    recipes = decisions_by_recipe(decisions, records, names or {})
    every = [_matched(name, own, judged) for name, own, judged in recipes]
    return [matched for matched in every if matched.found]


def _matched(name: str, decisions: Sequence[Decision], records: Sequence[Judged]) -> Matched:
    reports: defaultdict[ReportKey, list[Judged]] = defaultdict(list)
    for record in records:
        reports[report_key(record)].append(record)
    sheets: defaultdict[tuple[str, str], list[tuple[Decision, float]]] = defaultdict(list)
    lines: list[DecidedItem] = []
    found: set[Decision] = set()
    unjudged: defaultdict[str, list[Decision]] = defaultdict(list)
    for decision in decisions:
        judged = reports.get(report_key(decision), [])
        if not judged:
            continue
        scores = {} if decision.score is None else scores_of_judges(decision.item, judged)
        own = [] if decision.verdict is None else _all_lines(decision, judged)
        for judge, values in scores.items():
            sheets[judge, decision.item or ""].append((decision, fmean(values)))
        lines += own
        if scores or own or decision.protocol:
            found.add(decision)
            if decision.score is not None and not scores:
                unjudged["score"].append(decision)
            if decision.verdict is not None and not own:
                unjudged["verdict"].append(decision)
    whole = {key: _sheet(own) for key, own in sorted(sheets.items())}
    lacking = {what: tuple(own) for what, own in unjudged.items()}
    return Matched(name, whole, tuple(lines), frozenset(found), lacking)


def scores_of_judges(item: str | None, judged: Sequence[Judged]) -> dict[str, list[float]]:
    """What each judge gave the report, or this part of it, on every repeat."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for record in judged:
        for judge, outcome in judges_of_record(record, together=True).items():
            value = outcome.value if item is None else _part(outcome, item)
            if value is not None:
                found[judge].append(float(value))
    return found


def _part(outcome: JudgeOutcome, item: str) -> float | None:
    parts = {name.lower(): value for name, value in outcome.parts.items()}
    return parts.get(item.lower())


def judges_of_record(record: Judged, *, together: bool) -> dict[str, JudgeOutcome]:
    """What single judges came to, and `together` also the panel."""
    whole = reading_of(record.outcome)
    if whole.evidence.judges:
        return {**({PANEL: whole} if together else {}), **whole.evidence.judges}
    return {(judges_of(record.signature) or ["no judge"])[0]: whole}


def _all_lines(decision: Decision, judged: Sequence[Judged]) -> list[DecidedItem]:
    lines = [line for record in judged for line in _lines(decision, record)]
    return [replace(line, weight=1 / len(lines)) for line in lines]


def _lines(decision: Decision, record: Judged) -> Iterator[DecidedItem]:
    judges = judges_of_record(record, together=False)
    chosen = {
        name: word
        for name, outcome in judges.items()
        if decision.judge in (None, name) and (word := _word(decision, outcome, len(judges)))
    }
    if chosen:
        yield DecidedItem(
            decision.task,
            (decision.agent, decision.sample, decision.item, decision.judge),
            decision.rater,
            word_of(decision.verdict or ""),
            chosen,
        )


def _word(decision: Decision, outcome: JudgeOutcome, judges: int) -> str | None:
    """What a judge said of the item, or of the report: win, loss or tie."""
    evidence = outcome.evidence
    if decision.item is None:
        return word_of(evidence.winner) if evidence.winner else None
    if evidence.lists_issues and judges > 1 and decision.judge is None:
        return None  # the first issue of one judge is not the first of another
    for item in evidence.items:
        if item.key.lower() == decision.item.lower():
            return word_on(item, flagged=evidence.lists_issues)
    return None


def word_on(item: EvidenceItem, *, flagged: bool) -> str | None:
    """The verdict of an item. A flagged issue is one that the judge holds to be there."""
    if flagged:
        return MET
    if item.has("score"):  # also where it has a verdict: the score says which are two of a class
        return None if item.score is None else word_of(f"{item.score:g}")
    return None if item.verdict is None else word_of(str(item.verdict))


def _sheet(decided: Sequence[tuple[Decision, float]]) -> ScoresByTask:
    """Scores by task. An agent's several answers to a task are averaged, as are their ratings."""
    people: defaultdict[tuple[str, str], defaultdict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    scores: defaultdict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for decision, score in decided:
        place = decision.task, decision.agent
        scores[place][decision.sample] = score
        people[place][decision.rater].append(decision.score or 0.0)
    tasks: defaultdict[str, list[RatedReport]] = defaultdict(list)
    for (task, agent), own in sorted(scores.items()):
        raters = {rater: fmean(given) for rater, given in sorted(people[task, agent].items())}
        tasks[task].append(RatedReport(agent, fmean(own.values()), raters))
    return ScoresByTask(dict(tasks))
