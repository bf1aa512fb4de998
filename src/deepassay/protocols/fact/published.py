"""Published verdicts of the released FACT program, read into counts of either edition.

The program writes a JSON line a report: `citations`, and under `citations_deduped` for each
address the facts, the text of the page, and the verdicts or an error.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from deepassay.errors import BadInput, Notice
from deepassay.files import BadFile, json_lines
from deepassay.protocols.fact.arithmetic import CitedClaims, Outcome, counts_of, paper_score
from deepassay.protocols.fact.pairs import CitedPair
from deepassay.protocols.fact.released import code_counts
from deepassay.protocols.fact.released_stages import (
    EXTRACTION_FAILED,
    FactQuirk,
    JudgedAddress,
    tally,
)
from deepassay.protocols.released import Ungraded
from deepassay.reports.files import read_report_text
from deepassay.score import Cause, Json, Score, Unscored
from deepassay.text import brief

_REMEDY: Final = "Give the file that the last stage but one writes: NAME.validated.jsonl."
_LABELS: Final = frozenset({"supported", "unsupported", "unknown"})


@dataclass(frozen=True)
class PublishedReport:
    """The counts of one report, as `figures.counts_of` gives them.

    counts: None where the report is unscored; `problem` says why, for a person.
    outcomes: what the counts of edition `paper` are made of.
    """

    task: str
    prompt: str
    counts: Mapping[str, int] | None
    problem: str = ""
    outcomes: Mapping[CitedPair, Outcome] = field(default_factory=dict)

    @property
    def score(self) -> Score | Unscored:
        """The accuracy, as `fact` gives it in edition `paper`."""
        if self.counts is None:
            return Unscored(Cause.MISSING_INPUT, self.problem)
        return paper_score(self.outcomes, self.counts, {})


def read_published(
    path: Path, edition: Literal["paper", "code"] = "paper"
) -> tuple[PublishedReport, ...]:
    """Every report of a file. Raises BadInput, naming the line.

    Edition `code` counts as the program does and stops where it stops: it cannot do without
    `citations`, `validate_error` and the `result` of each verdict. Edition `paper` takes verdicts
    on a page only if there is one for each fact, each once, with one of the three labels; else
    the pairs of that page are unscored, of which a Notice tells unless the program kept an error.
    A report that stands there twice is refused.
    """
    reports: list[PublishedReport] = []
    tasks: set[str] = set()
    odd: list[str] = []
    for number, row in _rows(path):
        task, prompt = str(row["id"]), str(row.get("prompt", ""))
        if edition == "paper" and task in tasks:
            raise BadInput(f"{path}:{number}: report {task!r} stands there twice.", _REMEDY)
        tasks.add(task)
        if edition == "paper":
            odd += _odd_groups(f"{path.name}, line {number}", row)
        try:
            reports.append(
                _by_paper(row, task, prompt)
                if edition == "paper"
                else PublishedReport(task, prompt, _code_counts(row))
            )
        except Ungraded as stop:
            raise BadInput(
                f"{path}:{number}: the released program stops: {stop}.", _REMEDY
            ) from stop
    if odd:
        more = f" So are those on {len(odd) - 1} more addresses." if odd[1:] else ""
        warnings.warn(Notice(f"{odd[0]}.{more}"), stacklevel=2)
    return tuple(reports)


def _odd_groups(place: str, row: Mapping[str, Json]) -> Iterator[str]:
    """What is wrong with verdicts for which the program kept no error, and what follows."""
    if row.get("citations") == EXTRACTION_FAILED:
        return
    for url, group in row["citations_deduped"].items():
        if group.get("validate_error") is None and (fault := _fault_of(group)):
            number = len(group["facts"])
            pairs = "pair is" if number == 1 else f"{number} pairs are"
            left = f"so its {pairs} open in edition paper" if number else "which has no facts"
            yield f"{place}: the verdicts on {brief(url)} are not used ({fault}), {left}"


def _fault_of(group: Mapping[str, Json]) -> str:
    """Why verdicts are none on the facts of a page; empty where there is one of each."""
    wanted = len(group["facts"])
    verdicts = group.get("validate_res") or []
    if not all(map(_is_numbered, verdicts)):
        return "one has no number"
    if len(verdicts) != wanted:
        return f"facts {wanted}, verdicts {len(verdicts)}"
    if {each["idx"] for each in verdicts} != set(range(wanted)):
        return f"their numbers are not 0 to {wanted - 1}, each once"
    labels = (each.get("result") for each in verdicts)
    odd = [each for each in labels if not isinstance(each, str) or each not in _LABELS]
    return f"a result is {brief(str(odd[0]))}" if odd else ""


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Json]]]:
    try:
        for number, row in json_lines(read_report_text(path)):
            if "id" not in row:
                raise BadFile("not an object with an `id`", _REMEDY, number)
            groups = row.get("citations_deduped")
            if not isinstance(groups, dict) or not all(map(_is_group, groups.values())):
                raise BadFile("`citations_deduped` is not facts under addresses", _REMEDY, number)
            if not all(map(_lists_verdicts, groups.values())):
                raise BadFile("a `validate_res` is no list of verdicts", _REMEDY, number)
            yield number, row
    except BadFile as error:
        raise BadInput(f"{path}:{error.line}: {error.problem}.", _REMEDY) from error


def _is_group(group: Json) -> bool:
    return isinstance(group, dict) and isinstance(group.get("facts"), list)


def _lists_verdicts(group: Mapping[str, Json]) -> bool:
    """Whether verdicts that were kept without an error are a list, or there are none."""
    verdicts = group.get("validate_res") or []
    return group.get("validate_error") is not None or isinstance(verdicts, list)


def _is_numbered(verdict: Json) -> bool:
    return isinstance(verdict, dict) and isinstance(verdict.get("idx"), int)


def _code_counts(row: Mapping[str, Json]) -> dict[str, int]:
    """As the program counts; a report whose `citations` are empty adds nothing."""
    if not _needed(row, "citations"):
        return code_counts(tally([]), citing=False)
    groups = []
    for each in row["citations_deduped"].values():
        error = _needed(each, "validate_error")
        groups.append(JudgedAddress(each["facts"], each.get("validate_res") or (), error))
    return code_counts(tally(groups), citing=True)


def _needed(record: Mapping[str, Json], key: str) -> Json:
    if key not in record:
        raise Ungraded(f"there is no {key!r}", FactQuirk.STOPPED)
    return record[key]


def _by_paper(row: Mapping[str, Json], task: str, prompt: str) -> PublishedReport:
    if row.get("citations") == EXTRACTION_FAILED:
        return PublishedReport(task, prompt, None, "no citations were extracted")
    outcomes = {
        CitedPair(str(fact), url, (place,)): outcome
        for url, group in row["citations_deduped"].items()
        for place, (fact, outcome) in enumerate(zip(group["facts"], _outcomes(group), strict=True))
    }
    counts = counts_of(outcomes, CitedClaims(frozenset(), frozenset()))
    return PublishedReport(task, prompt, counts, outcomes=outcomes)


def _outcomes(group: Mapping[str, Json]) -> Sequence[Outcome]:
    """An outcome for each fact of a page, in their order."""
    wanted = len(group["facts"])
    if group.get("validate_error") is None and not _fault_of(group):
        labels = {each["idx"]: each["result"] for each in group.get("validate_res") or ()}
        return [Outcome(labels[place]) for place in range(wanted)]
    return [Outcome("failed", "no usable verdicts", Cause.ANSWER_UNREADABLE)] * wanted
