"""Which score or verdict of which judge a person's decision is on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from deepassay.results.agreement.consistency import Rated, Scores
from deepassay.results.agreement.decisions import MET, Decision, word_of
from deepassay.results.agreement.verdicts import DecidedItem
from deepassay.results.evidence import Item, Said, judges_of, said
from deepassay.results.records import Judged

PANEL = "panel"


@dataclass(frozen=True)
class Matched:
    """Decisions and what they are on, under one recipe.

    scores: by judge and by part of the score, "" for the whole; `panel` is what several judges
    came to together. lines: decisions with the verdicts of judges. found: the decisions to which
    something stands, or that name the protocol of a report that is there. unjudged: how many of
    these lack a `score` or a `verdict` of every judge.
    """

    protocol: str
    scores: Mapping[tuple[str, str], Scores]
    lines: tuple[DecidedItem, ...]
    found: frozenset[Decision]
    unjudged: Mapping[str, int]


def match(decisions: Sequence[Decision], records: Iterable[Judged]) -> list[Matched]:
    """The decisions under every protocol and recipe of the records, those without any left out."""
    recipes: defaultdict[tuple[str, str], list[Judged]] = defaultdict(list)
    for record in records:
        recipes[record.protocol, record.signature.digest].append(record)
    several = Counter(protocol for protocol, _ in recipes)
    found = []
    for (protocol, digest), judged in sorted(recipes.items()):
        name = protocol if several[protocol] == 1 else f"{protocol} [{digest}]"
        matched = _matched(name, [each for each in decisions if _is_on(each, protocol)], judged)
        if matched.found:
            found.append(matched)
    return found


def _is_on(decision: Decision, protocol: str) -> bool:
    return decision.protocol in (None, protocol, protocol.partition("(")[0])


def _matched(name: str, decisions: Sequence[Decision], records: Sequence[Judged]) -> Matched:
    reports: defaultdict[tuple[str, str, int], list[Judged]] = defaultdict(list)
    for record in records:
        reports[record.agent, record.task, record.sample].append(record)
    sheets: defaultdict[tuple[str, str], list[tuple[Decision, float]]] = defaultdict(list)
    lines: list[DecidedItem] = []
    found: set[Decision] = set()
    unjudged: Counter[str] = Counter()
    for decision in decisions:
        judged = reports.get((decision.agent, decision.task, decision.sample), [])
        if not judged:
            continue
        scores = {} if decision.score is None else _scores(decision.item, judged)
        own = [] if decision.verdict is None else _all_lines(decision, judged)
        for judge, values in scores.items():
            sheets[judge, decision.item or ""].append((decision, fmean(values)))
        lines += own
        if scores or own or decision.protocol:
            found.add(decision)
            unjudged["score"] += decision.score is not None and not scores
            unjudged["verdict"] += decision.verdict is not None and not own
    whole = {key: _sheet(own) for key, own in sorted(sheets.items())}
    return Matched(name, whole, tuple(lines), frozenset(found), +unjudged)


def _scores(item: str | None, judged: Sequence[Judged]) -> dict[str, list[float]]:
    """What each judge gave the report, or this part of it, on every repeat."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for record in judged:
        for judge, outcome in _judges(record, together=True).items():
            value = outcome.value if item is None else _part(outcome, item)
            if value is not None:
                found[judge].append(float(value))
    return found


def _part(outcome: Said, item: str) -> float | None:
    parts = {name.lower(): value for name, value in outcome.parts.items()}
    return parts.get(item.lower())


def _judges(record: Judged, *, together: bool) -> dict[str, Said]:
    """What single judges came to, and `together` also the panel."""
    whole = said(record.outcome)
    if whole.evidence.judges:
        return {**({PANEL: whole} if together else {}), **whole.evidence.judges}
    return {(judges_of(record) or ["no judge"])[0]: whole}


def _all_lines(decision: Decision, judged: Sequence[Judged]) -> list[DecidedItem]:
    return [line for record in judged for line in _lines(decision, record)]


def _lines(decision: Decision, record: Judged) -> Iterator[DecidedItem]:
    judges = _judges(record, together=False)
    chosen = {
        name: word
        for name, outcome in judges.items()
        if decision.judge in (None, name) and (word := _word(decision, outcome, len(judges)))
    }
    if chosen:
        yield DecidedItem(
            decision.task,
            (decision.agent, decision.sample, record.repeat, decision.item, decision.judge),
            decision.rater,
            word_of(decision.verdict or ""),
            chosen,
        )


def _word(decision: Decision, outcome: Said, judges: int) -> str | None:
    """What a judge said of the item, or of the report: win, loss or tie."""
    evidence = outcome.evidence
    if decision.item is None:
        return word_of(evidence.winner) if evidence.winner else None
    if evidence.lists_issues and judges > 1 and decision.judge is None:
        return None  # the first issue of one judge is not the first of another
    for item in evidence.items:
        if item.key.lower() == decision.item.lower():
            return _told(evidence.lists_issues, item)
    return None


def _told(flagged: bool, item: Item) -> str | None:
    """The verdict of an item. An issue is one that the judge holds to be there."""
    if flagged:
        return MET
    if item.has("score"):  # also where it has a verdict: the score says which are two of a class
        return None if item.score is None else word_of(f"{item.score:g}")
    return None if item.verdict is None else word_of(str(item.verdict))


def _sheet(decided: Sequence[tuple[Decision, float]]) -> Scores:
    """Scores by task. An agent's several answers to a task are averaged, as are their ratings."""
    people: defaultdict[tuple[str, str], defaultdict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    scores: defaultdict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for decision, score in decided:
        place = decision.task, decision.agent
        scores[place][decision.sample] = score
        people[place][decision.rater].append(decision.score or 0.0)
    tasks: defaultdict[str, list[Rated]] = defaultdict(list)
    for (task, agent), own in sorted(scores.items()):
        raters = {rater: fmean(given) for rater, given in sorted(people[task, agent].items())}
        tasks[task].append(Rated(agent, fmean(own.values()), raters))
    return Scores(dict(tasks))
