"""Which score or verdict of which judge a person's decision is on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from deepassay.results.evidence import EvidenceItem, JudgeOutcome, reading_of
from deepassay.results.records import Judged, judges_of
from deepassay.score import ReportKey, report_key
from deepassay.wings.people.agreement.consistency import RatedReport, ScoresByTask
from deepassay.wings.people.agreement.decisions import MET, Decision, decisions_by_recipe, word_of
from deepassay.wings.people.agreement.verdicts import DecidedItem

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
