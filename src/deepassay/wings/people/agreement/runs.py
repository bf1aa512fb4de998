"""Scores and verdicts of run files held against those of people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.joined import SHOWN, Joined
from deepassay.results.ranking import differing_keys
from deepassay.results.records import Judged
from deepassay.results.tables import Row, Table, printable
from deepassay.results.weighing import NOT, PARTIAL, SATISFIED
from deepassay.run.showing.records import each_run, judged
from deepassay.score import Signature
from deepassay.text import first_few
from deepassay.wings.people.agreement.decisions import (
    MET,
    NOT_MET,
    PARTLY,
    Decision,
    decision_named,
    known_names,
    unknown_name,
    word_of,
)
from deepassay.wings.people.agreement.matching import Matched, match
from deepassay.wings.people.agreement.people_files import files_named, read_decisions
from deepassay.wings.people.agreement.rubric_tables import agreement_tables, flat_agreement
from deepassay.wings.people.agreement.rubrics import (
    CriterionPlace,
    RubricComparison,
    compare_rubric_verdicts,
)
from deepassay.wings.people.agreement.tables import AgreementSheet, sheets

NAMED: Final = 8
"""How many of the names that are known a refusal has."""
ON_RUBRICS: Final = {MET: SATISFIED, PARTLY: PARTIAL, NOT_MET: NOT}


@dataclass(frozen=True)
class RunAgreement:
    """Runs held against people. rubrics: further tables, for verdicts on rubrics, and macro_f1:
    unrounded lines of theirs, with who gave the verdicts.

    joined: what became of the rows of the files. lacking: those on which no judge said anything.
    notes: which files are blank, and how many of the rows are not.
    """

    sheets: tuple[AgreementSheet, ...]
    rubrics: tuple[Table, ...]
    joined: Joined
    lacking: tuple[str, ...]
    notes: tuple[str, ...] = ()
    macro_f1: tuple[Row, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a person should know of the rows."""
        return (*self.joined.lines(), *self.lacking, *self.notes)

    @property
    def whole(self) -> bool:
        """Whether all rows count but those that are left out by rule."""
        return self.joined.whole and not self.lacking


def hold(human: Sequence[Path], runs: Sequence[Path], seed: int) -> RunAgreement:
    """All figures that files of what people said allow. seed: of the bootstrap.

    Raises BadTasks for files without a usable row, and BadInput if none of their rows is on
    anything that the runs hold.
    """
    decisions, (records, names) = read_decisions(*human), named_records(runs)
    matched = match(decisions.usable, records, names)
    known = frozenset().union(*(each.found for each in matched))
    if not known:
        raise strange(human, decisions.usable, records)
    used = frozenset().union(*(each.used for each in matched))
    on_rubrics = [*_on_rubrics(decisions.usable, records, names)]
    return RunAgreement(
        tuple(sheets(matched, seed)),
        tuple(
            replace(table, title=f"{table.title} (rater {rater})")
            for rater, comparison in on_rubrics
            for table in agreement_tables(comparison)
        ),
        decisions.joined(known, used, records),
        tuple(_lacking(matched)),
        decisions.remarks,
        tuple(
            {"rater": printable(rater), **line}
            for rater, comparison in on_rubrics
            for line in flat_agreement([comparison])
        ),
    )


def named_records(runs: Sequence[Path]) -> tuple[list[Judged], dict[str, str]]:
    """The records of run files, and how recipes of one protocol are told apart.

    By the run file where each has its own, else by what they differ in.
    """
    records: list[Judged] = []
    recipes: defaultdict[str, dict[str, Signature]] = defaultdict(dict)
    files: defaultdict[str, set[str]] = defaultdict(set)
    for path, run in zip(runs, each_run(runs), strict=True):
        for record in judged(run):
            records.append(record)
            recipes[record.protocol][record.signature.digest] = record.signature
            files[record.signature.digest].add(str(path))
    names: dict[str, str] = {}
    for own in recipes.values():
        by_file = [", ".join(sorted(files[digest])) for digest in own]
        names |= (
            told_apart(list(own.values()))
            if len(set(by_file)) < len(own)
            else dict(zip(own, by_file, strict=True))
        )
    return records, names


def told_apart(recipes: Sequence[Signature]) -> dict[str, str]:
    """What recipes differ in, by their digests."""
    parts = differing_keys(recipes)
    return {
        recipe.digest: ", ".join(f"{key}={values[at]}" for key, values in parts.items())
        for at, recipe in enumerate(recipes)
    }


def strange(
    human: Sequence[Path], decisions: Sequence[Decision], records: Sequence[Judged]
) -> BadInput:
    """The refusal of files of which no row is on anything in the records, as of another run.

    It names the first task, agent or protocol that is unknown, and those that are known.
    """
    known = known_names(records)
    which = next(
        (
            f"{what.capitalize()} {getattr(each, what)!r} is unknown; known: "
            f"{first_few(sorted(known[what]), NAMED)}. "
            for each in decisions
            if (what := unknown_name(each, known))
        ),
        "",
    )
    return BadInput(
        f"{files_named(human)} decides on nothing that the run files hold.",
        f"{which}Check agents, tasks, protocols and items.",
    )


def _lacking(matched: Sequence[Matched]) -> Iterator[str]:
    for each in matched:
        for what, own in sorted(each.unjudged.items()):
            first = "; ".join(f"{one.place}, {decision_named(one)}" for one in own[:SHOWN])
            yield f"{each.protocol}: {len(own)} decisions on which no judge has a {what}: {first}"


def _on_rubrics(
    decisions: Sequence[Decision], records: Sequence[Judged], names: Mapping[str, str]
) -> Iterator[tuple[str, RubricComparison]]:
    """Everyone who gave verdicts on criteria of rubrics, held against each judge of these."""
    people: defaultdict[str, dict[CriterionPlace, str]] = defaultdict(dict)
    for each in decisions:
        verdict = ON_RUBRICS.get(word_of(each.verdict or ""))
        on_rubrics = each.protocol is None or each.protocol.startswith("rubrics")
        if verdict and each.item and on_rubrics:
            people[each.rater][CriterionPlace(each.agent, each.task, each.sample, each.item)] = (
                verdict
            )
    for rater, labels in sorted(people.items()):
        for comparison in compare_rubric_verdicts(labels, records, names):
            if comparison.labelled:
                yield rater, _graded(comparison)


def _graded(comparison: RubricComparison) -> RubricComparison:
    """Without the items of other protocols, which are no criteria and are told of elsewhere."""
    gone = len(comparison.unknown)
    expected = {
        agent: count - sum(place.agent == agent for place in comparison.unknown)
        for agent, count in comparison.expected.items()
    }
    there = {agent: count for agent, count in expected.items() if count}
    return replace(comparison, unknown=(), expected=there) if gone else comparison
