"""A change of judge written down for people, and in every other format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Final

from deepassay.files import as_json
from deepassay.results.migration import FEWEST, Migration, Mixing
from deepassay.results.migration_mapping import AgentShift
from deepassay.results.overview import OFFLINE_NOTE
from deepassay.results.ranking import differing_keys
from deepassay.results.tables import Table, as_csv, decimals, ends_of, in_range, percent, printable
from deepassay.results.wrapped_tables import written_narrow
from deepassay.score import Json

MOST_PARTS: Final = 20
"""Rows of the table of parts in text; CSV and JSON have no such end."""


def write_migrations(migrations: Sequence[Migration], format: str) -> str:
    """In one of the formats of a leaderboard; CSV has a line per agent, JSON everything."""
    if format == "csv":
        return as_csv([_flat(each, row) for each in migrations for row in each.agents])
    if format == "json":
        return as_json([_record(each) for each in migrations])
    tables = [
        table
        for each in migrations
        for table in (_mapping_table(each), _agents_table(each), *_parts_tables(each))
    ]
    return written_narrow(tables, format)


def _mapping_table(each: Migration) -> Table:
    limits, fit = each.limits, each.linear
    formulas = {
        "none": "new = old",
        "constant": "new = its mean",
        "linear": f"new = {in_range(fit.intercept, limits)} + {fit.slope:.3f} × old",
        "isotonic": f"rising, {len(each.isotonic.old)} knots",
    }
    rows = [
        (name, formulas[name], in_range(error.square, limits), in_range(error.absolute, limits))
        for name, error in each.errors.items()
    ]
    return Table.listed(
        f"{each.protocol}: from the old judge to the new one",
        ("mapping", "", "error", "mean absolute"),
        rows,
        _notes(each),
        words=2,
    )


def _notes(each: Migration) -> tuple[str, ...]:
    notes = [OFFLINE_NOTE] if each.offline else []
    changes = differing_keys(each.recipes).items()
    notes += [f"{key}: {before}, then {after}" for key, (before, after) in changes]
    if not changes:
        notes.append("Both runs name the same recipe: what is seen is the noise of one judge.")
    notes.append(
        f"{each.reports} reports to {each.tasks} tasks have a score by both judges; "
        f"{each.one_sided or 'none'} by one only. Their scores correlate by "
        f"{decimals(each.pearson, 3)} (Pearson), {decimals(each.spearman, 3)} (Spearman)."
    )
    notes += each.joined.lines()
    if each.changed:
        notes.append(f"Left out because the new run has another text: {each.changed}.")
    notes.append(
        "error: root mean square over reports to tasks that the mapping never saw; one that does "
        "not beat the constant says nothing."
    )
    for which, noise in zip(("old", "new"), each.noise, strict=True):
        if noise is not None:
            spread = in_range(noise, each.limits)
            notes.append(f"The {which} judge differs from itself on a report by {spread}.")
    return (*notes, sentence(each))


def sentence(each: Migration) -> str:
    """Whether old and new figures may be mixed, and what a mixed comparison is worth."""
    matters, largest = (in_range(value, each.limits) for value in (each.difference, each.largest))
    by = {
        Mixing.AS_THEY_ARE: "Old and new figures may be mixed where only differences of "
        f"{matters} matter: the change of judge moves every agent by less, with 95 % confidence.",
        Mixing.MAPPED: "Old and new figures may be mixed only after the old ones are mapped "
        f"({each.better}): the mapping brings every agent, unseen, to within {matters}, and "
        "without it that is not shown.",
        Mixing.NOT: "Do not mix old and new figures: neither as they are nor mapped is it shown "
        f"that every agent keeps within {matters}. Judge the old reports again.",
        Mixing.UNKNOWN: "Whether old and new figures may be mixed is not known"
        + (
            f": an agent has fewer than {FEWEST} tasks with a score by both."
            if min(row.tasks for row in each.agents) < FEWEST
            else ": --difference D says which difference between agents matters to you."
        ),
    }
    said = [by[each.mixing]]
    if each.largest is not None:
        said.append(f"By the intervals below, an agent moves by up to {largest}.")
    if each.alarms is not None:
        said.append(
            "If it does, two equal agents, one by each judge, come out different (p < .05) in "
            f"{percent(each.alarms)} of comparisons."
        )
    return " ".join(said)


Column = tuple[str, Callable[[AgentShift], str]]


def _agents_table(each: Migration) -> Table:
    limits = each.limits
    columns: list[Column] = [
        ("agent", lambda row: row.agent),
        ("old", lambda row: in_range(row.old, limits)),
        ("new", lambda row: in_range(row.new, limits)),
        ("shift", lambda row: in_range(row.shift, limits)),
        ("95 % interval", lambda row: ends_of(row.interval, limits)),
        ("old rank", lambda row: str(row.old_rank)),
        ("new rank", lambda row: str(row.new_rank)),
        (f"left, {each.better}", lambda row: in_range(row.left, limits)),
        ("95 % interval", lambda row: ends_of(row.left_interval, limits)),
        ("tasks", lambda row: str(row.tasks)),
    ]
    notes = (
        f"{each.swapped} of {each.pairs} pairs of agents are in the other order.",
        "left: new less mapped score, by a mapping made from the other agents' reports.",
    )
    return Table.of(f"{each.protocol}: agents under both judges", columns, each.agents, notes)


def _parts_tables(each: Migration) -> list[Table]:
    if not each.parts:
        return []
    limits = each.limits
    rows = [
        (
            gap.part,
            str(gap.reports),
            *(in_range(value, limits) for value in (gap.old, gap.new, gap.shift, gap.absolute)),
            percent(gap.same),
            decimals(gap.pearson, 3),
        )
        for gap in each.parts[:MOST_PARTS]
    ]
    more = len(each.parts) - len(rows)
    table = Table.listed(
        f"{each.protocol}: parts, those first on which the judges differ most",
        ("part", "reports", "old", "new", "shift", "mean absolute", "same", "Pearson"),
        rows,
        (f"{more} more in --format json.",) if more else (),
    )
    return [table]


def _flat(each: Migration, row: AgentShift) -> dict[str, Json]:
    record = {"protocol": each.protocol, **asdict(row), "agent": printable(row.agent)}
    for name in ("interval", "left_interval"):
        record[f"{name}_low"], record[f"{name}_high"] = record.pop(name) or (None, None)
    return record | {
        "mapping": each.better,
        "difference_that_matters": each.difference,
        "mixing": each.mixing,
    }


def _record(each: Migration) -> dict[str, Json]:
    return {
        "protocol": each.protocol,
        "identities": [dict(recipe.identity) for recipe in each.recipes],
        "reports": each.reports,
        "tasks": each.tasks,
        "one_sided": each.one_sided,
        "joined": each.joined.record,
        "changed": each.changed,
        "pearson": each.pearson,
        "spearman": each.spearman,
        "noise": list(each.noise),
        "linear": asdict(each.linear),
        "isotonic": {"old": each.isotonic.old.tolist(), "new": each.isotonic.new.tolist()},
        "errors": {name: asdict(error) for name, error in each.errors.items()},
        "better": each.better,
        "agents": [asdict(row) | {"agent": printable(row.agent)} for row in each.agents],
        "swapped_pairs": each.swapped,
        "pairs": each.pairs,
        "parts": [asdict(gap) | {"part": printable(gap.part)} for gap in each.parts],
        "difference_that_matters": each.difference,
        "mixing": each.mixing,
        "largest_shift": each.largest,
        "false_alarms": each.alarms,
        "sentence": sentence(each),
    }
