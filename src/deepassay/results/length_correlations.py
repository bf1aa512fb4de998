"""Whether longer reports score higher (ResearchRubrics, section 4.2 and appendix C.2).

Two coefficients of the score of a report and its length, for each agent and protocol; where rubrics
were graded also of single criteria, for which the paper names no formula: ours takes how well each
criterion came out, from 0 to 1, and the length of the report it was looked for in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from deepassay.results.lengths import MeasuredReport
from deepassay.results.records import Judged, without_references
from deepassay.results.rubric_items import readings
from deepassay.results.tables import NONE, Table
from deepassay.results.weighing import GradedCriterion
from deepassay.score import ReportKey, Score, report_key
from deepassay.stats.correlation import Coefficient, pearson_with_interval, spearman_with_interval

UNITS: Final = ("words", "tokens")
HEAD: Final = (
    *("agent", "protocol", "of", "n", "reports"),
    *(f"{name} ({unit})" for unit in UNITS for name in ("Pearson", "Spearman")),
)
NOTES: Final = (
    "Correlation of scores with the length of reports, with 95 % intervals by Fisher's z. reports: "
    "with a score and one known length, of expected. A dash stands where one side never varies. "
    "Lengths in different languages are not alike: `--by language` cuts the table.",
    "criteria: of every criterion with a verdict, how well it came out (a fault: how far it was "
    "avoided). Criteria of one report are no independent trials: intervals are as for so many "
    "reports.",
)


@dataclass(frozen=True)
class Correlation:
    """Scores, or single criteria, of one agent against the length of its reports.

    n: points. reports: that they come from. expected: reports judged or to be judged.
    pearson, spearman: by unit of length, None where one side is constant.
    """

    agent: str
    protocol: str
    of: str
    n: int
    reports: int
    expected: int
    pearson: Mapping[str, Coefficient | None]
    spearman: Mapping[str, Coefficient | None]


def correlations(reports: Iterable[MeasuredReport], records: Iterable[Judged]) -> list[Correlation]:
    """One for every agent and protocol, and another one for criteria where rubrics were graded.

    A report of which several texts are given has no one length, and is left out; so is one that
    others are scored against.
    """
    lengths = lengths_by_spot(reports)
    groups: defaultdict[tuple[str, str, str], list[Judged]] = defaultdict(list)
    for record in without_references(records):
        groups[record.agent, record.protocol, record.signature.digest].append(record)
    recipes: defaultdict[str, set[str]] = defaultdict(set)
    for _, protocol, recipe in groups:
        recipes[protocol].add(recipe)
    found = []
    for (agent, protocol, recipe), judged in sorted(groups.items()):
        name = protocol if len(recipes[protocol]) == 1 else f"{protocol} [{recipe}]"
        expected = len({report_key(each) for each in judged})
        for of, points in (("score", report_scores(judged)), ("criteria", list(_criteria(judged)))):
            if points or of == "score":
                found.append(_correlation((agent, name, of), points, lengths, expected))
    return found


def lengths_by_spot(reports: Iterable[MeasuredReport]) -> dict[ReportKey, MeasuredReport | None]:
    """The reports by their places; None where several texts are given for one."""
    lengths: dict[ReportKey, MeasuredReport | None] = {}
    for each in reports:
        spot = report_key(each)
        lengths[spot] = None if spot in lengths else each
    return lengths


def report_scores(records: Iterable[Judged]) -> list[tuple[ReportKey, float]]:
    """The score of each report, the mean over its repeats."""
    values: defaultdict[ReportKey, list[float]] = defaultdict(list)
    for each in records:
        if isinstance(each.outcome, Score):
            values[report_key(each)].append(each.outcome.value)
    return [(spot, fmean(own)) for spot, own in sorted(values.items())]


def correlation_table(found: Sequence[Correlation], which: str) -> Table:
    """The correlations as a table. which: added to the title, e.g. `, topic: law`."""
    title = f"Length of reports and scores{which}"
    return Table.listed(title, HEAD, map(_row, found), NOTES, words=3)


def _criteria(records: Iterable[Judged]) -> Iterator[tuple[ReportKey, float]]:
    for each in readings(records):
        for line in each.lines:
            if (value := _well(line)) is not None:
                yield report_key(each), value


def _well(line: GradedCriterion) -> float | None:
    mark = line.ternary.merit
    return mark if mark is None or not line.penalty else 1 - mark


def _correlation(
    name: tuple[str, str, str],
    points: Iterable[tuple[ReportKey, float]],
    lengths: Mapping[ReportKey, MeasuredReport | None],
    expected: int,
) -> Correlation:
    known = [(spot, of, value) for spot, value in points if (of := lengths.get(spot)) is not None]
    values = [value for *_, value in known]
    reports = len({spot for spot, *_ in known})

    sizes = {unit: [float(getattr(of.whole, unit)) for _, of, _ in known] for unit in UNITS}
    return Correlation(
        *name,
        n=len(known),
        reports=reports,
        expected=expected,
        pearson={unit: pearson_with_interval(own, values, reports) for unit, own in sizes.items()},
        spearman={
            unit: spearman_with_interval(own, values, reports) for unit, own in sizes.items()
        },
    )


def _row(found: Correlation) -> tuple[str, ...]:
    cells = (_cell(by[unit]) for unit in UNITS for by in (found.pearson, found.spearman))
    count = f"{found.reports}/{found.expected}"
    return (found.agent, found.protocol, found.of, str(found.n), count, *cells)


def _cell(coefficient: Coefficient | None) -> str:
    if coefficient is None:
        return NONE
    value, ends = coefficient
    return f"{value:.3f}" + (f" ({ends.low:.2f} to {ends.high:.2f})" if ends else "")
