"""Figures that were counted again beside those that were published, as a table, CSV and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from deepassay.files import as_json
from deepassay.protocols.rubrics.recounting import RecountedFigure
from deepassay.results.tables import NONE, Table, as_csv, printable_record, tables_as_text

SHOWN = 5
"""Figures that differ of which a note tells."""


def write_recount(figures: Sequence[RecountedFigure], format: str) -> str:
    """The figures as `text`, `markdown`, `csv` or `json`; the latter two have one by one."""
    if format in ("json", "csv"):
        records = [{**each._asdict(), "equal": each.equal} for each in figures]
        return as_json(records) if format == "json" else as_csv(map(printable_record, records))
    rows = []
    for name in dict.fromkeys(each.figure for each in figures):
        own = [each for each in figures if each.figure == name]
        rows.append(
            (
                *(name, str(len(own))),
                *(_mean([each.published for each in own]), _mean([each.ours for each in own])),
                str(sum(each.equal for each in own)),
            )
        )
    other = [each for each in figures if not each.equal]
    notes = [f"{len(figures) - len(other)} of {len(figures)} published figures are ours."]
    notes += [
        f"{each.file}, {each.report}: {each.figure} is {each.published} there and {each.ours} here."
        for each in other[:SHOWN]
    ]
    if len(other) > SHOWN:
        notes.append(f"{len(other) - SHOWN} more differ: see --format csv.")
    head = ("figure", "reports", "published", "ours", "equal")
    return tables_as_text([Table.listed("Published figures", head, rows, notes)], format)


def _mean(values: Sequence[float | None]) -> str:
    known = [each for each in values if each is not None]
    return f"{fmean(known):.4f}" if known else NONE
