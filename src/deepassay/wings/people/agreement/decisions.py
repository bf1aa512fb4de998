"""What people decided: one score or verdict of one person, and on what.

A report that the others are scored against is no judged one: its score is what it is by
definition, so that nothing of it is held against people, by no command.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from deepassay.results.joined import Joined
from deepassay.results.records import Judged, without_references
from deepassay.score import ReportKey, report_key, without_options

MET: Final = "met"
PARTLY: Final = "partly met"
NOT_MET: Final = "not met"

WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("1", "1.0", "yes", "true", "satisfied", "supported", "right", "支持"), MET),
    **dict.fromkeys(("0.5", "partial", "partly", "partially satisfied"), PARTLY),
    **dict.fromkeys(
        ("0", "0.0", "no", "false", "not satisfied", "unsupported", "not supported", "wrong"),
        NOT_MET,
    ),
    **dict.fromkeys(("unknown", "不支持"), NOT_MET),  # what is not known to be supported is not
    "own": "win",
    "baseline": "loss",
}
"""How people and protocols write one and the same verdict, in small letters."""

NUMBERS: Final[Mapping[str, float]] = {
    **dict.fromkeys((MET, "win"), 1.0),
    **dict.fromkeys((PARTLY, "tie"), 0.5),
    **dict.fromkeys((NOT_MET, "loss"), 0.0),
}
"""What a verdict counts in a rate."""


@dataclass(frozen=True)
class Decision:
    """One decision of one person on one report, or on one item of it.

    place: of the row, for messages. sample: which of the agent's answers to the task, from 1.
    protocol: whose subject was decided on, None for that of any. item: the name of a part of the
    score, or the key of an item as `explain` shows it; None for the report as a whole. judge: whose
    item it is, where the items of several judges are not the same. score, verdict: at least one.
    says_which: whether the row names the answer; where it does not, it is taken for the first.
    blind: whether whoever decided had not seen what the judge said.
    """

    place: str
    agent: str
    task: str
    rater: str
    sample: int = 1
    protocol: str | None = None
    item: str | None = None
    judge: str | None = None
    score: float | None = None
    verdict: str | None = None
    says_which: bool = True
    blind: bool = True


def word_of(verdict: str) -> str:
    """A verdict as it is compared: one spelling for each; words that are not known stay."""
    plain = verdict.strip().lower()
    return WORDS.get(plain, plain)


def number_of(word: str) -> float | None:
    """What a verdict counts, or the number that it is."""
    try:
        return NUMBERS[word] if word in NUMBERS else float(word)
    except ValueError:
        return None


def decisions_by_recipe(
    decisions: Sequence[Decision], records: Iterable[Judged], names: Mapping[str, str]
) -> Iterator[tuple[str, list[Decision], list[Judged]]]:
    """Every protocol and recipe: what it is called, the decisions on it, and its records.

    Without the records of reports that others are scored against.
    """
    recipes: defaultdict[tuple[str, str], list[Judged]] = defaultdict(list)
    for record in without_references(records):
        recipes[record.protocol, record.signature.digest].append(record)
    several = Counter(protocol for protocol, _ in recipes)
    for (protocol, digest), judged in sorted(recipes.items()):
        called = names.get(digest, digest)
        name = protocol if several[protocol] == 1 else f"{protocol} [{called}]"
        yield name, [each for each in decisions if is_on(each, protocol)], judged


def is_on(decision: Decision, protocol: str) -> bool:
    """Whether a decision is on what a protocol judges."""
    return decision.protocol in (None, protocol, without_options(protocol))


def excused(records: Iterable[Judged]) -> Callable[[Decision], str]:
    """Why a protocol has nothing to say of what was decided on; nothing where it should have.

    It has not of the report that others of its task are scored against, nor of the agent that all
    others are compared with.
    """
    references: defaultdict[str, set[ReportKey]] = defaultdict(set)
    baselines: dict[str, str] = {}
    for each in records:
        if each.is_reference:
            references[each.protocol].add(report_key(each))
        if each.metric and each.metric.baseline:
            baselines[each.protocol] = each.metric.baseline

    def why(decision: Decision) -> str:
        for protocol, own in references.items():
            if is_on(decision, protocol) and report_key(decision) in own:
                return f"{protocol} scores the others against this report of {decision.agent!r}."
        for protocol, agent in baselines.items():
            if is_on(decision, protocol) and agent == decision.agent:
                return f"{protocol} compares the others with {agent!r}, and not with itself."
        return ""

    return why


def known_names(records: Iterable[Judged]) -> Mapping[str, set[str]]:
    """The tasks, agents and protocols of records, under the names that decisions have for them."""
    every = [*records]
    written = {each.protocol for each in every}
    return {
        "task": {each.task for each in every},
        "agent": {each.agent for each in every},
        "protocol": written | {without_options(name) for name in written},
    }


def unknown_name(decision: Decision, known: Mapping[str, set[str]]) -> str:
    """The first of task, agent and protocol that is not among the known ones; or nothing."""
    given = ((what, getattr(decision, what)) for what in known)
    return next((what for what, name in given if name is not None and name not in known[what]), "")


class Repeated(NamedTuple):
    """A decision on what the same person has decided on before. told: its line, for messages."""

    told: str
    first: Decision


@dataclass(frozen=True)
class Decisions:
    """What can be used of some files. problems: what cannot, each with its line.

    otherwise: what contradicts an earlier decision of the same person, which stands. again: what
    repeats one, as exports do that overlap; it counts once, and is no fault. kinds: of all of
    these. blank: files without any decision, as those of raters who have not begun.
    """

    usable: tuple[Decision, ...] = ()
    problems: tuple[str, ...] = ()
    otherwise: tuple[Repeated, ...] = ()
    again: tuple[Repeated, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    blank: tuple[str, ...] = ()

    @property
    def came(self) -> int:
        """How many there were of all."""
        return sum(map(len, (self.usable, self.problems, self.otherwise, self.again)))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Which files are blank, and how many are by people who had seen what the judge said."""
        told = [f"{file} has no scores and no verdicts yet." for file in self.blank]
        if count := sum(not each.blind for each in self.usable):
            told.append(
                f"{count} of {len(self.usable)} decisions are by people who had seen what the "
                "judge said: these labels are not blind, and agree with it more than others would."
            )
        return tuple(told)

    def only(self, kept: Collection[Decision]) -> Decisions:
        """These alone, with what repeats or contradicts them."""
        firsts = {*kept}
        otherwise, again = (
            tuple(each for each in own if each.first in firsts)
            for own in (self.otherwise, self.again)
        )
        return replace(self, usable=tuple(kept), otherwise=otherwise, again=again)

    def add_repeated(
        self, lost: Collection[Decision], strays: list[str], unused: list[str], by_rule: list[str]
    ) -> None:
        """Add what was decided before to what became of the rest: on what is lost it is lost."""
        for repeated, to in ((self.otherwise, unused), (self.again, by_rule)):
            for told, first in repeated:
                (strays if first in lost else to).append(told)

    def joined(
        self,
        found: Collection[Decision],
        used: Collection[Decision],
        records: Sequence[Judged],
        why: Callable[[Decision], str] = lambda each: "",
    ) -> Joined:
        """What became of all rows with a decision. found: on what the records hold; used: by whom.

        why: what keeps one that was found from being used, besides that no judge decided on it; or
        nothing.
        """
        rule, known = excused(records), known_names(records)
        kinds = {**self.kinds}
        strays, unused, by_rule = [*self.problems], list[str](), list[str]()
        lost: set[Decision] = set()
        for each in self.usable:
            if each in used:
                continue
            if kind := rule(each):
                to, told = by_rule, kind
            elif each in found:
                to, kind = unused, "" if (reason := why(each)) else "unjudged"
                told = reason or f"no judge has a score or verdict on {decision_named(each)}."
            else:
                lost.add(each)
                to, kind = strays, unknown_name(each, known) or "item"
                told = f"the run files have nothing for {decision_named(each)}."
            to.append(f"{each.place}: {told}")
            kinds[to[-1]] = kind
        self.add_repeated(lost, strays, unused, by_rule)
        return Joined("labels", "scores", self.came, strays, unused, by_rule, kinds)


def decision_named(decision: Decision) -> str:
    """What was decided on, for messages."""
    item = f", item {decision.item!r}" if decision.item else ""
    protocol = f", protocol {decision.protocol!r}" if decision.protocol else ""
    place = f"agent {decision.agent!r}, task {decision.task!r}, sample {decision.sample}"
    return f"{place}{protocol}{item}"
