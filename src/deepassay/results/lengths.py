"""How long the reports of each agent are, with the addresses in them and without.

LiveResearchBench (section 5, figure 5) finds that long addresses and doubled links make reports
longer than what they say; it does not define how it counts, so the counts here are ours.

Whether longer reports score higher (ResearchRubrics, section 4.2 and appendix C.2).

Two coefficients of the score of a report and its length, for each agent and protocol; where rubrics
were graded also of single criteria, for which the paper names no formula: ours takes how well each
criterion came out, from 0 to 1, and the length of the report it was looked for in.

Lengths of reports written down, with how far scores go with them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, NamedTuple

from deepassay.errors import BadInput, BadSetting
from deepassay.results.aggregate import task_means
from deepassay.results.records import Judged, without_references
from deepassay.results.rubric_items import readings
from deepassay.results.tables import NONE, Table, as_csv, as_latex, as_markdown, as_text, printable
from deepassay.results.weighing import GradedCriterion
from deepassay.score import Json, ReportKey, Score, report_key
from deepassay.stats.correlation import Coefficient, pearson_with_interval, spearman_with_interval


class Length(NamedTuple):
    """How much of a text there is. tokens: estimated."""

    characters: int
    words: int
    tokens: int


class LengthCounts(NamedTuple):
    """What is counted of a report, or the means of these. bare: with the addresses taken out."""

    characters: float
    words: float
    tokens: float
    bare_characters: float
    bare_words: float
    bare_tokens: float
    citations: float
    references: float


@dataclass(frozen=True)
class MeasuredReport:
    """One report. whole: as it stands; bare: with the addresses taken out. labels: of the task.

    citations: markers in the body. references: entries of its reference lists.
    """

    agent: str
    task: str
    sample: int
    labels: Mapping[str, str]
    whole: Length
    bare: Length
    citations: int
    references: int

    @property
    def counts(self) -> LengthCounts:
        """Everything that is counted."""
        return LengthCounts(*self.whole, *self.bare, self.citations, self.references)


@dataclass(frozen=True)
class MeanLengths:
    """One agent, for all tasks or those with one value of a label."""

    value: str | None
    agent: str
    tasks: int
    means: LengthCounts


def mean_lengths(reports: Sequence[MeasuredReport], by: str | None = None) -> list[MeanLengths]:
    """The means of each agent over all tasks, then for each value of the label `by`.

    Within a task the mean over the agent's answers. Raises BadInput without reports, BadSetting
    for a label that no task has.
    """
    if not reports:
        raise BadInput("There are no reports to measure.", "Check the run file.")
    rows = _by_agent(None, reports)
    if by is None:
        return rows
    if not any(by in each.labels for each in reports):
        names = sorted({name for each in reports for name in each.labels})
        raise BadSetting(
            f"No task has a label {by!r}.", f"Labels of these tasks: {', '.join(names) or 'none'}."
        )
    values = sorted({each.labels.get(by, "(none)") for each in reports})
    for value in values:
        rows += _by_agent(value, [r for r in reports if r.labels.get(by, "(none)") == value])
    return rows


def _by_agent(value: str | None, reports: Iterable[MeasuredReport]) -> list[MeanLengths]:
    agents: dict[str, list[MeasuredReport]] = {}
    for each in reports:
        agents.setdefault(each.agent, []).append(each)
    return [_means(value, agent, own) for agent, own in sorted(agents.items())]


def _means(value: str | None, agent: str, reports: Sequence[MeasuredReport]) -> MeanLengths:
    columns = zip(*(each.counts for each in reports), strict=True)
    paths = [(each.task, each.sample) for each in reports]
    by_task = [
        task_means(zip(paths, map(float, column), strict=True)).values() for column in columns
    ]
    return MeanLengths(value, agent, len(by_task[0]), LengthCounts(*map(fmean, by_task)))


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


LENGTHS_HEAD: Final = (
    *("agent", "tasks", "characters", "words", "tokens"),
    *("characters w/o URLs", "words w/o URLs", "tokens w/o URLs"),
    *("citations", "references"),
)
LENGTHS_NOTES: Final = (
    "Means over tasks. Words are what blanks separate, and every East Asian character by itself; "
    "tokens are estimated without any provider's tokenizer.",
    "citations: markers in the text; references: entries of reference lists.",
)


def write_lengths(
    reports: Sequence[MeasuredReport],
    records: Sequence[Judged],
    format: str,
    by: str | None = None,
) -> str:
    """Mean lengths and correlations in one of the formats of a leaderboard, cut by a label.

    CSV and JSON have them unrounded, one record for each agent and value of the label.
    """
    if format == "csv":
        return as_csv(flat_lengths(reports, records, by))
    rows = mean_lengths(reports, by)
    found = _correlations(rows, reports, records, by)
    if format == "json":
        nested = [_flat(row, by) | _nested(row, found[row.value]) for row in rows]
        return json.dumps(nested, ensure_ascii=False) + "\n"
    tables = []
    for value in found:
        which = "" if value is None else f", {by}: {value}"
        tables.append(_table([row for row in rows if row.value == value], which))
        if found[value]:
            tables.append(correlation_table(found[value], which))
    write = {"markdown": as_markdown, "latex": as_latex}.get(format, as_text)
    return "\n\n".join(map(write, tables)) + "\n"


def flat_lengths(
    reports: Sequence[MeasuredReport], records: Sequence[Judged], by: str | None = None
) -> list[dict[str, Json]]:
    """Mean lengths and correlations unrounded, a row for each agent and value of the label."""
    rows = mean_lengths(reports, by)
    found = _correlations(rows, reports, records, by)
    return [_flat(row, by) | _columns(row, found[row.value]) for row in rows]


def _correlations(
    rows: Iterable[MeanLengths],
    reports: Sequence[MeasuredReport],
    records: Sequence[Judged],
    by: str | None,
) -> dict[str | None, list[Correlation]]:
    values = dict.fromkeys(row.value for row in rows)
    return {value: list(correlations(reports, _cut(records, by, value))) for value in values}


def _cut(records: Sequence[Judged], by: str | None, value: str | None) -> Sequence[Judged]:
    if by is None or value is None:
        return records
    return [each for each in records if each.labels.get(by, "(none)") == value]


def _table(rows: Iterable[MeanLengths], which: str) -> Table:
    return Table.listed(
        f"Length of reports{which}",
        LENGTHS_HEAD,
        ((row.agent, str(row.tasks), *(f"{mean:.0f}" for mean in row.means)) for row in rows),
        () if which else LENGTHS_NOTES,
    )


def _flat(row: MeanLengths, by: str | None) -> dict[str, Json]:
    names = (
        head.replace("w/o URLs", "without_urls").replace(" ", "_") for head in LENGTHS_HEAD[2:]
    )
    label = {"label": by or "", "value": printable(row.value or "")}
    return {
        **label,
        "agent": printable(row.agent),
        "tasks": row.tasks,
        **dict(zip(names, row.means, strict=True)),
    }


def _nested(row: MeanLengths, found: Iterable[Correlation]) -> dict[str, Json]:
    own = [each for each in found if each.agent == row.agent]
    named = [{"protocol": each.protocol, "of": each.of, **_numbers(each)} for each in own]
    return {"correlations": named}


def _columns(row: MeanLengths, found: Iterable[Correlation]) -> dict[str, Json]:
    return {
        f"{each.protocol}:{each.of}:{name}": number
        for each in found
        if each.agent == row.agent
        for name, number in _numbers(each).items()
    }


def _numbers(found: Correlation) -> dict[str, Json]:
    numbers: dict[str, Json] = {
        "n": found.n,
        "reports": found.reports,
        "reports_expected": found.expected,
    }
    for name, by in (("pearson", found.pearson), ("spearman", found.spearman)):
        for unit in UNITS:
            numbers |= _ends(f"{name}_{unit}", by[unit])
    return numbers


def _ends(name: str, coefficient: Coefficient | None) -> Mapping[str, float | None]:
    value, interval = coefficient or (None, None)
    low, high = interval or (None, None)
    return {name: value, f"{name}_low": low, f"{name}_high": high}
