"""Lengths of reports written down, with how far scores go with them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from deepassay.errors import BadInput, Notice
from deepassay.results.latex import as_latex
from deepassay.results.length_correlations import (
    UNITS,
    Correlation,
    correlation_table,
    correlations,
)
from deepassay.results.lengths import MeanLengths, MeasuredReport, mean_lengths
from deepassay.results.records import Judged
from deepassay.results.tables import Table, as_csv, as_markdown, as_text, printable
from deepassay.score import Json
from deepassay.stats.correlation import Coefficient

HEAD: Final = (
    *("agent", "tasks", "characters", "words", "tokens"),
    *("characters w/o URLs", "words w/o URLs", "tokens w/o URLs"),
    *("citations", "references"),
)
NOTES: Final = (
    "Means over tasks. Words are what blanks separate, and every East Asian character by itself; "
    "tokens are estimated without any provider's tokenizer.",
    "citations: markers in the text; references: entries of reference lists.",
)


def write_lengths(
    reports: Sequence[MeasuredReport],
    records: Sequence[Judged],
    format: str,
    by: str | None = None,
    empty: Mapping[str, int] = MappingProxyType({}),
) -> str:
    """Mean lengths and correlations in one of the formats of a leaderboard, cut by a label.

    CSV and JSON have them unrounded, one record for each agent and value of the label. empty: how
    many reports of each agent say nothing, which are not among `reports`; a note tells of them, for
    CSV and JSON a Notice. Raises BadInput where nothing is measured.
    """
    if format == "csv":
        return as_csv(flat_lengths(reports, records, by, empty))
    rows = _means(reports, by, empty)
    found = _correlations(rows, reports, records, by)
    if format == "json":
        _tell_left_out(empty)
        nested = [_flat(row, by) | _nested(row, found[row.value]) for row in rows]
        return json.dumps(nested, ensure_ascii=False) + "\n"
    tables = []
    for value in found:
        which = "" if value is None else f", {by}: {value}"
        notes = () if which else (*NOTES, *_left_out(empty))
        tables.append(_table([row for row in rows if row.value == value], which, notes))
        if found[value]:
            tables.append(correlation_table(found[value], which))
    write = {"markdown": as_markdown, "latex": as_latex}.get(format, as_text)
    return "\n\n".join(map(write, tables)) + "\n"


def flat_lengths(
    reports: Sequence[MeasuredReport],
    records: Sequence[Judged],
    by: str | None = None,
    empty: Mapping[str, int] = MappingProxyType({}),
) -> list[dict[str, Json]]:
    """Mean lengths and correlations unrounded, a row for each agent and value of the label.

    empty: as above; of these a Notice tells. Raises BadInput where nothing is measured.
    """
    rows = _means(reports, by, empty)
    found = _correlations(rows, reports, records, by)
    _tell_left_out(empty)
    return [_flat(row, by) | _columns(row, found[row.value]) for row in rows]


def _means(
    reports: Sequence[MeasuredReport], by: str | None, empty: Mapping[str, int]
) -> list[MeanLengths]:
    if empty and not reports:
        raise BadInput(
            f"Every report is empty and has no length: {_counted(empty)}.",
            "Check the reports that were evaluated.",
        )
    if not reports:
        raise BadInput("There are no reports to measure.", "Check the run file.")
    return mean_lengths(reports, by)


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


def _left_out(empty: Mapping[str, int]) -> Iterator[str]:
    if empty:
        yield f"Empty reports have no length and are left out: {_counted(empty)}."


def _tell_left_out(empty: Mapping[str, int]) -> None:
    for told in _left_out(empty):
        warnings.warn(Notice(told), stacklevel=2)


def _counted(empty: Mapping[str, int]) -> str:
    return ", ".join(f"{count} of {printable(agent)}" for agent, count in sorted(empty.items()))


def _table(rows: Iterable[MeanLengths], which: str, notes: Sequence[str]) -> Table:
    return Table.listed(
        f"Length of reports{which}",
        HEAD,
        ((row.agent, str(row.tasks), *(f"{mean:.0f}" for mean in row.means)) for row in rows),
        notes,
    )


def _flat(row: MeanLengths, by: str | None) -> dict[str, Json]:
    names = (head.replace("w/o URLs", "without_urls").replace(" ", "_") for head in HEAD[2:])
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
