"""Scores and verdicts in run files held against what people decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.agreement.tables import Sheet, sheets
from deepassay.results.agreement.verdicts import (
    MET,
    NOT_MET,
    PARTLY,
    Decision,
    Matched,
    match,
    word_of,
)
from deepassay.results.records import Judged
from deepassay.results.rubric_agreement import Comparison, CriterionPlace, compare
from deepassay.results.rubric_agreement_tables import agreement_tables
from deepassay.results.tables import Table
from deepassay.results.weighing import NOT, PARTIAL, SATISFIED
from deepassay.run.human_decisions import Decisions, read_decisions
from deepassay.run.records import records_of

ON_RUBRICS: Final = {MET: SATISFIED, PARTLY: PARTIAL, NOT_MET: NOT}
SHOWN: Final = 3
"""How many rows of one kind a message names."""


@dataclass(frozen=True)
class Held:
    """Runs held against people. rubrics: further tables, for verdicts on rubrics.

    remarks: what of the file could not be used, and why.
    """

    sheets: tuple[Sheet, ...]
    rubrics: tuple[Table, ...]
    remarks: tuple[str, ...]


def hold(human: Path, runs: Sequence[Path], seed: int) -> Held:
    """All figures that the file allows. seed: of the bootstrap.

    Raises BadTasks for a file without a usable row, and BadInput if none of its rows is on
    anything that the runs hold.
    """
    decisions, records = read_decisions(human), records_of(runs)
    matched = match(decisions.usable, records)
    known = frozenset().union(*(each.found for each in matched))
    if not known:
        raise BadInput(
            f"{human} decides on nothing that the run files hold.",
            f"{_mismatch(decisions.usable, records)}Check agents, tasks, protocols and items.",
        )
    return Held(
        tuple(sheets(matched, seed)),
        tuple(_rubric_tables(decisions.usable, records)),
        tuple(_remarks(decisions, known, matched)),
    )


def _mismatch(decisions: Sequence[Decision], records: Sequence[Judged]) -> str:
    """The first row with an unknown agent or task, and what is known."""
    tasks, agents = {each.task for each in records}, {each.agent for each in records}
    for each in decisions:
        if each.task not in tasks:
            return f"Task {each.task!r} is unknown; known: {', '.join(sorted(tasks)[:SHOWN])}. "
        if each.agent not in agents:
            return f"Agent {each.agent!r} is unknown; known: {', '.join(sorted(agents)[:SHOWN])}. "
    return ""


def _remarks(
    decisions: Decisions, known: frozenset[Decision], matched: Sequence[Matched]
) -> Iterator[str]:
    yield from _shortened("left out", decisions.problems)
    strange = [each for each in decisions.usable if each not in known]
    yield from _shortened("left out", [f"{each.place}: {_unknown(each)}" for each in strange])
    for each in matched:
        for what, count in sorted(each.unjudged.items()):
            yield f"{each.protocol}: {count} decisions on which no judge has a {what}"


def _shortened(why: str, rows: Sequence[str]) -> Iterator[str]:
    yield from (f"{why}: {row}" for row in rows[:SHOWN])
    if len(rows) > SHOWN:
        yield f"{why}: {len(rows) - SHOWN} more rows of this kind"


def _unknown(decision: Decision) -> str:
    item = f", item {decision.item!r}" if decision.item else ""
    protocol = f", protocol {decision.protocol!r}" if decision.protocol else ""
    return (
        f"the run files have nothing for agent {decision.agent!r}, task {decision.task!r}, "
        f"sample {decision.sample}{protocol}{item}."
    )


def _rubric_tables(decisions: Sequence[Decision], records: Sequence[Judged]) -> Iterator[Table]:
    """Macro-F1 and mismatches for everyone who gave verdicts on criteria of rubrics."""
    people: defaultdict[str, dict[CriterionPlace, str]] = defaultdict(dict)
    for each in decisions:
        verdict = ON_RUBRICS.get(word_of(each.verdict or ""))
        on_rubrics = each.protocol is None or each.protocol.startswith("rubrics")
        if verdict and each.item and on_rubrics:
            people[each.rater][CriterionPlace(each.agent, each.task, each.sample, each.item)] = (
                verdict
            )
    for rater, labels in sorted(people.items()):
        for comparison in compare(labels, records):
            if comparison.labelled:
                for table in agreement_tables(_graded(comparison)):
                    yield replace(table, title=f"{table.title} (rater {rater})")


def _graded(comparison: Comparison) -> Comparison:
    """Without the items of other protocols, which are no criteria and are told of elsewhere."""
    gone = len(comparison.unknown)
    expected = {
        agent: count - sum(place.agent == agent for place in comparison.unknown)
        for agent, count in comparison.expected.items()
    }
    there = {agent: count for agent, count in expected.items() if count}
    return replace(comparison, unknown=(), expected=there) if gone else comparison
