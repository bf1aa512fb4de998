"""Perturbed reports in a folder, each perturbation an agent of its own, and what was changed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from deepassay.errors import BadReports
from deepassay.intake.columns import UNSAID, NamedColumns
from deepassay.reports.files import put_text, read_report_text, refuse_inside
from deepassay.reports.loaders import load_reports
from deepassay.reports.naming import whose
from deepassay.reports.report import Report
from deepassay.score import Direction
from deepassay.text import excerpt
from deepassay.wings.trials.perturb import (
    PERTURBATIONS,
    Expected,
    Perturbed,
    find,
    perturb,
    random_for,
)

CHANGES = "changes.json"
"""Not `.jsonl`: files so named hold reports, and the folder is read as one of reports."""

_EXCERPT = 200
_LONGEST_NAME = 240


@dataclass(frozen=True)
class PerturbedSet:
    """What is to be made. names: of PERTURBATIONS. share: for those that take one.

    expected: what CHANGES is to say of the directions of scores. reading: protocols that hold cited
    claims against their pages, and see nothing of a claim without a source.
    """

    names: Sequence[str]
    seed: int = 1
    share: float | None = None
    force: bool = False
    expected: Expected = field(default_factory=dict)
    reading: frozenset[str] = frozenset()


@dataclass
class ChangedCounts:
    """For each perturbation how many reports were changed, of how many."""

    reports: int
    changed: Counter[str] = field(default_factory=Counter)


def write_perturbed(
    paths: Sequence[Path], folder: Path, order: PerturbedSet, columns: NamedColumns = UNSAID
) -> ChangedCounts:
    """Write FOLDER/AGENT+PERTURBATION/TASK.md for each report and perturbation, and CHANGES.

    A task with several answers gets TASK/answer_2.md and so on. What is there and is alike
    stays; CHANGES keeps what it says of other files. Raises BadReports for reports that cannot
    be read, for a file that differs, unless `order.force`, and where nothing could be changed;
    BadSetting for a name or a share that is none.
    """
    _check(order)
    refuse_inside(paths, folder)
    reports = load_reports(paths, columns=columns)
    columns.refuse_unmet()
    written = ChangedCounts(len(reports))
    listed = _read_changes(folder / CHANGES)
    several = {(each.agent, each.task) for each in reports if each.sample > 1}
    for report in reports:
        for done in _perturbed(report, order):
            name = done.perturbation.name
            file = _file(report, name, (report.agent, report.task) in several)
            put_text(folder / file, done.report.text, order.force)
            listed[str(file)] = _record(done, str(file), order)
            written.changed[name] += 1
    if not written.changed:
        needs = "; ".join(f"{name} needs {PERTURBATIONS[name].needs}" for name in order.names)
        raise BadReports("There is nothing in these reports to change.", f"{needs}.")
    rows = ",\n".join(json.dumps(listed[file], ensure_ascii=False) for file in sorted(listed))
    put_text(folder / CHANGES, f"[\n{rows}\n]\n", force=True)
    return written


def _check(order: PerturbedSet) -> None:
    sharing = [name for name in order.names if find(name).share is not None]
    if order.share is not None:
        find((sharing or order.names)[0], order.share)


def _perturbed(report: Report, order: PerturbedSet) -> Iterator[Perturbed]:
    for name in order.names:
        share = order.share if PERTURBATIONS[name].share is not None else None
        done = perturb(report, name, random_for(order.seed, report, name), share)
        if done is not None:
            yield done


def _record(done: Perturbed, file: str, order: PerturbedSet) -> dict[str, Any]:
    """What CHANGES says of one file; spans and lines count as in the report read, from 1."""
    original, perturbation = done.original, done.perturbation
    share = perturbation.share if order.share is None else order.share
    return {
        "file": file,
        "agent": f"{original.agent}+{perturbation.name}",
        "task": original.task,
        "sample": original.sample,
        "original": {"agent": original.agent, "path": original.path},
        "perturbation": perturbation.name,
        "seed": order.seed,
        "share": None if perturbation.share is None else share,
        "expected": {
            protocol: direction
            for protocol, direction in order.expected.get(perturbation.name, {}).items()
            if done.on_sources or direction is not Direction.LOWER or protocol not in order.reading
        },
        "changes": [
            {
                "line": change.line,
                "span": change.span,
                "place": change.place,
                "removed": excerpt(change.removed, _EXCERPT),
                "inserted": excerpt(change.inserted, _EXCERPT),
            }
            for change in done.changes
        ],
    }


def _file(report: Report, name: str, several: bool) -> PurePosixPath:
    """Where a changed report goes, so that the loader reads agent, task and sample from it."""
    agent = f"{report.agent}+{name}"
    plain = PurePosixPath(agent, f"{report.task}.md")
    numbered = PurePosixPath(agent, report.task, f"answer_{report.sample}.md")
    for file in (numbered,) if several else (plain, numbered):
        if _is_found(file) and whose(Path("/", file)) == (agent, report.task, report.sample):
            return file
    raise BadReports(
        f"{report.path}: no file can be named after agent {excerpt(report.agent)!r} and task "
        f"{excerpt(report.task)!r}.",
        "Names of agents and tasks must hold no slash, begin with no dot, and not be too long.",
    )


def _is_found(file: PurePosixPath) -> bool:
    """Whether the loader looks into a file of a folder: not at a README, nor at hidden ones."""
    short = all(len(part.encode()) <= _LONGEST_NAME for part in file.parts)
    hidden = any(part.startswith(".") for part in file.parts)
    return short and not hidden and file.stem.lower() != "readme"


def _read_changes(path: Path) -> dict[str, Any]:
    """What CHANGES says so far, by file. Raises BadReports if it is not ours."""
    if not path.exists():
        return {}
    try:
        return {row["file"]: row for row in json.loads(read_report_text(path))}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadReports(
            f"{path}: this is not a list of changes, and was not touched.",
            "Name another folder, or remove the file yourself.",
        ) from error
