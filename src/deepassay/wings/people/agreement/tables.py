"""Agreement with people as tables, and unrounded for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.results.tables import (
    Row,
    Table,
    as_csv,
    decimals,
    ends_of,
    printable,
    tables_as_text,
)
from deepassay.score import Json
from deepassay.stats.resampling import FEWER_DRAWS, ResampledFigure
from deepassay.wings.people.agreement.consistency import (
    MIN_AGENTS,
    consistency,
    consistency_correlations,
    reliability,
)
from deepassay.wings.people.agreement.matching import PANEL, Matched
from deepassay.wings.people.agreement.panel import NOTE as PANEL_NOTE
from deepassay.wings.people.agreement.panel import panel_figures, panel_of_scores
from deepassay.wings.people.agreement.verdicts import verdict_figures

HEAD: Final = ("figure", "value", "95 % interval", "of")
INTERVAL_NOTE: Final = (
    f"Interval: {FEWER_DRAWS} draws of the tasks with replacement, percentiles. "
    "A dash: undefined here, or no interval because all draws say the same. A correlation of fewer "
    f"than {MIN_AGENTS} agents is undefined: it is 1 or -1 whatever the scores are."
)
FILTER_NOTE: Final = (
    "FAP, FAS: over tasks in which ICC(1,1) of the people is not negative. PAR: pairs of reports "
    "on one task that both sides order alike, ties included."
)
ONE_RATER_NOTE: Final = (
    "One person: no agreement of people; without ICC no tasks for FAP, FAS and the overall mean."
)
MET_NOTE: Final = "An issue that a judge flags counts as met: its precision is the share confirmed."


@dataclass(frozen=True)
class AgreementSheet:
    """Figures of one judge and part of a score, or of verdicts; notes for below the table."""

    protocol: str
    judge: str
    part: str
    figures: tuple[ResampledFigure, ...]
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """What is held against people."""
        if not self.judge:
            return f"{self.protocol}: {self.part or 'verdicts against people'}"
        part = f", {self.part}" if self.part else ""
        return f"{self.protocol}{part}, judge {self.judge}: scores against people"


def sheets(matched: Sequence[Matched], seed: int) -> Iterator[AgreementSheet]:
    """All figures that the decisions allow."""
    for each in matched:
        for (judge, part), scores in each.scores.items():
            alone = len(scores.raters) < 2
            figures = (
                *consistency(scores, seed),
                *consistency_correlations(scores, seed),
                *reliability(scores, seed),
            )
            notes = (FILTER_NOTE, INTERVAL_NOTE, *([ONE_RATER_NOTE] if alone else []))
            yield AgreementSheet(each.protocol, judge, part, figures, notes)
        yield from _panels(each, seed)
        if each.lines:
            panel = tuple(panel_figures(each.lines, seed))
            figures = (*verdict_figures(each.lines, seed), *panel)
            notes = (MET_NOTE, *([PANEL_NOTE] if panel else []), INTERVAL_NOTE)
            yield AgreementSheet(each.protocol, "", "", figures, notes)


def _panels(matched: Matched, seed: int) -> Iterator[AgreementSheet]:
    """How far the judges of a panel err together, in each part of their scores."""
    for part in dict.fromkeys(part for _, part in matched.scores):
        own = {judge: found for (judge, of), found in matched.scores.items() if of == part}
        own.pop(PANEL, None)
        if figures := panel_of_scores(own, seed):
            what = f"{f'{part}, ' if part else ''}errors of {' and '.join(own)} against people"
            yield AgreementSheet(matched.protocol, "", what, figures, (PANEL_NOTE, INTERVAL_NOTE))


def write(
    found: Sequence[AgreementSheet],
    more: Sequence[Table],
    format: str,
    further: Sequence[Row] = (),
) -> str:
    """The figures as text, markdown, csv or json; `more`: tables to stand below, not in CSV.

    further: unrounded lines that stand behind those of the figures.
    """
    lines = [_flat(sheet, figure) for sheet in found for figure in sheet.figures]
    return written_agreement([*lines, *further], [*map(table_of_sheet, found), *more], format)


def only_as_tables(format: str, tables: Sequence[Table]) -> str:
    """What of tables on rubrics CSV has not, in a sentence; empty for another format, and none."""
    if format != "csv" or not tables:
        return ""
    return (
        "Without classes, confusion and where people and judge differ: text, markdown and json "
        "have these tables."
    )


def written_agreement(lines: Sequence[Row], tables: Sequence[Table], format: str) -> str:
    """Figures unrounded as csv, with the tables as json; the tables alone as text or markdown."""
    if format == "csv":
        return as_csv(lines)
    if format == "json":
        shown = [each.told for each in tables]
        return json.dumps({"agreement": lines, "tables": shown}, ensure_ascii=False) + "\n"
    return tables_as_text(tables, format)


def table_of_sheet(sheet: AgreementSheet) -> Table:
    """The figures of one judge, a row for each."""
    return Table.listed(sheet.title, HEAD, map(figure_cells, sheet.figures), sheet.notes)


def figure_cells(figure: ResampledFigure) -> tuple[str, ...]:
    """The cells of a figure, in the order of HEAD."""
    return (
        figure.name,
        decimals(figure.value, 4),
        ends_of(figure.interval, (0, 1)),
        f"{figure.n} {figure.unit}",
    )


def _flat(sheet: AgreementSheet, figure: ResampledFigure) -> dict[str, Json]:
    low, high = figure.interval or (None, None)
    return {
        "protocol": printable(sheet.protocol),
        "judge": printable(sheet.judge),
        "part": printable(sheet.part),
        "figure": printable(figure.name),
        "value": figure.value,
        "low": low,
        "high": high,
        "n": figure.n,
        "unit": figure.unit,
    }
