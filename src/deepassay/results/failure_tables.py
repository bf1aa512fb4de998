"""Failures of graded rubrics as tables: by axis, by importance, and by domain and axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from deepassay.glossary import legend, meaning
from deepassay.results.reading import GradedRubrics
from deepassay.results.rubric_failures import (
    DOMAIN,
    IMPORTANCE,
    AgentFailures,
    Breakdown,
)
from deepassay.results.tables import NONE, Table, decimals, of_label

AXIS_HEAD: Final = (
    *("agent", "axis", "failures", "share (paper)", "tasks", "share (code)", "tasks (code)"),
    *("pooled", "binary", "share (binary)", "inverted", "share (inverted)"),
)
AXIS_NOTES: Final = (
    f"{legend('failures')} share: "
    "of a task's failures, mean over tasks with a failure in which the axis occurs (paper) or "
    "fails (code); the shares of an agent need not add up to 1. pooled: of all failures together.",
    f"binary: failures with {meaning('binary')}. {legend('inverted')} The shares of both are by "
    "the paper's formula.",
)
IMPORTANCE_NOTE: Final = (
    "Criteria that fail, of those with a verdict; here a fault fails when it is met. The levels "
    "are those of the paper's Table 4."
)
DOMAIN_NOTE: Final = (
    "Share of a task's failures, by the paper's formula, over the tasks of one domain. failing: "
    "tasks with a failure, of those graded."
)


def failure_tables(
    graded: GradedRubrics, label: tuple[str, str] | None = None
) -> tuple[Table, ...]:
    """Failures by axis; over all tasks also by importance, and by domain where tasks have one."""
    if not graded.of_one_recipe:
        return ()
    failures = {agent: own for agent, own in graded.failures.items() if own.graded}
    name = f"{graded.records[0].protocol}{of_label(label)}: failures"
    notes = (*AXIS_NOTES, *graded.missing)
    rows = _axis_rows(failures)
    by_axis = Table.listed(f"{name} by axis", AXIS_HEAD, rows, notes, words=2, detail=True)
    if label is not None:
        return (by_axis,)
    by_importance = Table.listed(
        f"{name} by axis and importance",
        ("agent", "axis", *IMPORTANCE),
        _importance_rows(failures),
        (IMPORTANCE_NOTE, *graded.missing),
        words=2,
        detail=True,
    )
    if not any(DOMAIN in each.labels for each in graded.records):
        return by_axis, by_importance
    by_domain = _domain_table(f"{name} by domain and axis", failures, graded.missing)
    return by_axis, by_importance, by_domain


def _axis_rows(failures: Mapping[str, AgentFailures]) -> Iterator[tuple[str, ...]]:
    for agent, own in failures.items():
        for axis in own.axes:
            yield (
                agent,
                axis,
                str(own.paper.counts.get(axis, 0)),
                *_mean_and_tasks(own.paper, axis),
                *_mean_and_tasks(own.code, axis),
                decimals(own.paper.pooled(axis), 4),
                str(own.binary.counts.get(axis, 0)),
                _mean(own.binary, axis),
                str(own.inverted.counts.get(axis, 0)),
                _mean(own.inverted, axis),
            )


def _importance_rows(failures: Mapping[str, AgentFailures]) -> Iterator[tuple[str, ...]]:
    for agent, own in failures.items():
        for axis in own.axes:
            cells = (own.by_importance.get((axis, name)) for name in IMPORTANCE)
            yield agent, axis, *(NONE if each is None else str(each) for each in cells)


def _domain_table(
    title: str, failures: Mapping[str, AgentFailures], missing: tuple[str, ...]
) -> Table:
    axes = sorted({axis for own in failures.values() for axis in own.axes})
    rows = []
    for agent, own in failures.items():
        for domain, found in own.by_domain.items():
            shares = (_mean(found, axis) for axis in axes)
            rows.append((agent, domain, f"{found.failing}/{found.tasks}", *shares))
    head = ("agent", DOMAIN, "failing", *axes)
    return Table.listed(title, head, rows, (DOMAIN_NOTE, *missing), words=2, detail=True)


def _mean_and_tasks(found: Breakdown, axis: str) -> tuple[str, str]:
    share = found.shares.get(axis)
    return _mean(found, axis), f"{share.tasks if share else 0}/{found.tasks}"


def _mean(found: Breakdown, axis: str) -> str:
    share = found.shares.get(axis)
    return decimals(share.mean if share else None, 4)
