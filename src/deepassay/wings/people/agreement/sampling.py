"""Samples for people to decide on, and which judge they prefer (LiveResearchBench, appendix C).

The paper draws checklist questions, pairs of reports on which all judges agree and others on which
they do not, flagged issues, and pairs of claim and address. A person first decides without seeing
the judges, then reads what each said and why, and names the one, or several, that he or she
prefers, a tie, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from string import ascii_uppercase
from typing import Final, Literal

import numpy as np

from deepassay.results.evidence import EvidenceItem, JudgeOutcome
from deepassay.results.records import Judged
from deepassay.stats.resampling import ResampledFigure
from deepassay.wings.people.agreement.decisions import NUMBERS, number_of, word_of
from deepassay.wings.people.agreement.matching import judges_of_record, word_on
from deepassay.wings.people.agreement.verdicts import DecidedItem, LinesByTask

Kind = Literal["all", "agreement", "disagreement", "both"]


@dataclass(frozen=True)
class Candidate:
    """Something that one can decide on.

    item: its key, empty for a whole pair of reports. judge: whose item it is, where several judges
    each list their own. question: its wording. url: of the source that it is about. verdicts,
    reasons: of each judge who decided. said: their verdicts in the words of the protocol. marked:
    whether its protocol gives marks on a scale, or counts, which yes and no do not answer.
    """

    protocol: str
    agent: str
    task: str
    sample: int
    item: str
    judge: str
    question: str
    url: str
    verdicts: Mapping[str, str]
    reasons: Mapping[str, str]
    said: Mapping[str, str] = field(default_factory=dict)
    marked: bool = False

    @property
    def place(self) -> tuple[str, str, str, int, str, str]:
        """What tells it from all others."""
        return self.protocol, self.agent, self.task, self.sample, self.item, self.judge

    @property
    def united(self) -> bool:
        """Whether several judges all say the same."""
        return len(self.verdicts) > 1 and len(set(self.verdicts.values())) == 1

    @property
    def divided(self) -> bool:
        """Whether judges say different things."""
        return len(set(self.verdicts.values())) > 1


PAIR: Final = "Is the first report better (win), worse (loss), or neither (tie)?"
ISSUE: Final = "Is this an issue of the report? "


def candidates(records: Iterable[Judged]) -> list[Candidate]:
    """Everything that judges decided on, of the first judgement of each answer."""
    found = [each for record in records if record.repeat == 0 for each in _of_record(record)]
    # A mark may be 0 or 1 as a verdict is: the others of its protocol tell.
    marked = {each.protocol for each in found if each.marked}
    return [
        replace(each, marked=True) if each.protocol in marked and not each.marked else each
        for each in found
    ]


def _of_record(record: Judged) -> Iterator[Candidate]:
    judges = judges_of_record(record, together=False)
    place = (record.protocol, record.agent, record.task, record.sample)
    winners = {name: said.evidence.winner for name, said in judges.items()}
    if named := {name: word_of(winner) for name, winner in winners.items() if winner}:
        reasons = {name: _reasons(judges[name]) for name in named}
        yield Candidate(*place, "", "", PAIR, "", named, reasons)
    elif any(said.evidence.lists_issues for said in judges.values()):
        for name, said in judges.items():
            yield from _issues(place, name if len(judges) > 1 else "", name, said)
    else:
        yield from _items(place, judges)


def _issues(
    place: tuple[str, str, str, int], judge: str, name: str, said: JudgeOutcome
) -> Iterator[Candidate]:
    for item in said.evidence.items:
        quotes = " / ".join(item.quotes or ())
        question = f"{ISSUE}{item.item}{f' “{quotes}”' if quotes else ''}"
        verdicts = {name: word_on(item, flagged=True) or ""}
        reasons = {name: item.reason}
        yield Candidate(*place, item.key, judge, question, item.url or "", verdicts, reasons)


def _items(
    place: tuple[str, str, str, int], judges: Mapping[str, JudgeOutcome]
) -> Iterator[Candidate]:
    found: dict[str, dict[str, EvidenceItem]] = {}
    urls: dict[str, str] = {}
    for name, said in judges.items():
        items = said.evidence.items
        source = ""
        for item in items:
            if item.depth == 0 and any(each.depth for each in items):
                source = item.item  # the page at the top of a tree, which claims are judged by
            else:
                found.setdefault(item.key, {})[name] = item
                urls[item.key] = item.url or ", ".join(item.urls or ()) or source
    for key, own in found.items():
        words = {name: word_on(item, flagged=False) for name, item in own.items()}
        verdicts = {name: word for name, word in words.items() if word is not None}
        if verdicts:
            reasons = {name: own[name].reason for name in verdicts}
            question = next(iter(own.values())).item
            given = {name: str(own[name].answer or own[name].verdict or "") for name in verdicts}
            marked = any(_is_mark(item, verdicts.get(name)) for name, item in own.items())
            yield Candidate(*place, key, "", question, urls[key], verdicts, reasons, given, marked)


def _is_mark(item: EvidenceItem, word: str | None) -> bool:
    """Whether a judge gave a number that is no verdict; grades of a rubric each have a word."""
    if item.dimension is not None or item.axis is not None or word is None:
        return item.dimension is not None
    return word not in NUMBERS and number_of(word) is not None


def _reasons(said: JudgeOutcome) -> str:
    return " ".join(item.reason for item in said.evidence.items if item.reason)


def drawn_candidates(
    found: Sequence[Candidate], number: int, kind: Kind, rng: np.random.Generator
) -> list[Candidate]:
    """So many candidates without replacement, in a random order; all where there are fewer.

    kind: of those on which all judges agree, of those on which they do not, so many of each, or
    of all alike.
    """
    pools: dict[Kind, list[Sequence[Candidate]]] = {
        "all": [found],
        "agreement": [[each for each in found if each.united]],
        "disagreement": [[each for each in found if each.divided]],
    }
    pools["both"] = [*pools["agreement"], *pools["disagreement"]]
    chosen: list[Candidate] = []
    for pool in pools[kind]:
        places = rng.permutation(len(pool))[:number]
        chosen += [pool[place] for place in places]
    return [chosen[place] for place in rng.permutation(len(chosen))]


TIE: Final = "tie"
NOBODY: Final = "none"


@dataclass(frozen=True)
class Preference:
    """Whom a person preferred. preferred: of the `judges` shown; all of them for a tie."""

    task: str
    item: str
    rater: str
    judges: frozenset[str]
    preferred: frozenset[str]


def lettered(judges: Sequence[str], rng: np.random.Generator) -> dict[str, str]:
    """Each judge under a letter, in a random order."""
    order = rng.permutation(len(judges))
    return {ascii_uppercase[at]: judges[place] for at, place in enumerate(order)}


def preferred(answer: str, letters: Mapping[str, str]) -> frozenset[str] | None:
    """The judges that `A`, `A B`, `tie` or `none` mean; None for anything else."""
    words = answer.replace(",", " ").replace("+", " ").replace("、", " ").split()
    if [word.lower() for word in words] == [TIE]:
        return frozenset(letters.values())
    if [word.lower() for word in words] == [NOBODY]:
        return frozenset()
    named = [letters.get(word.upper()) for word in words]
    return frozenset(name for name in named if name) if words and None not in named else None


Test = Callable[[DecidedItem], bool]
CHOSEN: Final = "preferred"


def preference_figures(found: Sequence[Preference], seed: int) -> list[ResampledFigure]:
    """How often each judge is preferred, alone or with others; either of two; all; nobody.

    Intervals: bootstrap over tasks.
    """
    lines = [
        DecidedItem(
            each.task,
            each.item,
            each.rater,
            CHOSEN,
            {name: CHOSEN if name in each.preferred else "" for name in each.judges},
        )
        for each in found
    ]
    counting = LinesByTask(lines, seed)
    judges = sorted({name for each in found for name in each.judges})
    tests: list[tuple[str, Test, Sequence[str]]] = []
    for name in judges:
        tests.append((f"{name} preferred, alone or with others", _any(name), (name,)))
        tests.append((f"{name} preferred alone", _only(name), (name,)))
    if len(judges) > 2:
        tests += [
            (f"{one} or {other} preferred", _any(one, other), (one, other))
            for one, other in combinations(judges, 2)
        ]
    tests.append(("all judges preferred (tie)", lambda line: all(line.judges.values()), judges))
    tests.append(("none preferred", lambda line: not any(line.judges.values()), ()))
    return [counting.share(name, test, _showing(shown)) for name, test, shown in tests]


def _any(*names: str) -> Test:
    return lambda line: any(line.judges.get(name) for name in names)


def _only(name: str) -> Test:
    return lambda line: [each for each, word in line.judges.items() if word] == [name]


def _showing(names: Sequence[str]) -> Test:
    """Of the lines in which all of these judges were shown."""
    return lambda line: set(names) <= set(line.judges)
