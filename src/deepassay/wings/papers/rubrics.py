"""Tables and figures of ResearchRubrics that rest on graded reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median, pstdev
from typing import Final, TypeVar

from deepassay.errors import BadInput
from deepassay.results.length_correlations import correlations
from deepassay.results.ranking import Board
from deepassay.results.reading import GradedRubrics
from deepassay.results.rubric_compliance import mean_compliance
from deepassay.results.rubric_failures import DOMAIN, AgentFailures
from deepassay.results.rubric_items import Reading, is_binary, outcomes_by_judge
from deepassay.results.tables import Table
from deepassay.results.weighing import MERITS
from deepassay.text import first_few
from deepassay.wings.papers.material import Cells, PaperMaterial, basis, ranked
from deepassay.wings.people.agreement.rubrics import (
    Scale,
)

PAPER: Final = "ResearchRubrics"
OfAgent = TypeVar("OfAgent")
"""What the numbers of one agent are made of."""

SCALES: Final[tuple[Scale, ...]] = ("ternary", "binary")
BINARY_NOTE: Final = "Binary: partly satisfied taken for not satisfied (section 4.1)."


def _board(material: PaperMaterial) -> tuple[Board, tuple[str, ...]]:
    """The ranking by rubrics, and notes on it.

    Raises BadInput without graded rubrics, for those of another menu, and for unequal recipes.
    """
    records, why = material.judged("rubrics")
    if not records:
        raise BadInput(f"This is of rubrics, and {why}.", "Evaluate with --protocol rubrics.")
    board = ranked(records)[0]
    graded = board.beneath.graded
    if not any(graded.readings.values()) and (others := _verdicts(graded)):
        raise BadInput(
            f"This is of the verdicts {', '.join(MERITS)}; {board.protocol} has others: "
            f"{first_few(others, 5)}.",
            "Evaluate with --protocol rubrics and without --set.",
        )
    return board, (*basis(("Rubrics", board)), *graded.missing)


def _verdicts(graded: GradedRubrics) -> list[str]:
    """Every verdict on an item of these reports, whatever its menu."""
    judged = (own for each in graded.records for own in outcomes_by_judge(each).values())
    items = (item for each in judged for item in each.evidence.items)
    return sorted({str(item.verdict) for item in items if item.verdict is not None})


def _readings(board: Board) -> dict[str, Sequence[Reading]]:
    """What was read of every agent's reports, best agent first."""
    read = board.beneath.graded.readings
    return {row.agent: read[row.agent] for row in board.standings}


def _failures(board: Board) -> dict[str, AgentFailures]:
    """The failures in every agent's reports, best agent first."""
    found = board.beneath.graded.failures
    return {row.agent: found[row.agent] for row in board.standings}


def _is_binary(material: PaperMaterial) -> bool:
    """Whether the judge had no third verdict to give."""
    return any(is_binary(each.protocol) for each in material.judged("rubrics")[0])


def _by_agent(
    name: str,
    head: Sequence[str],
    of_agents: Mapping[str, OfAgent],
    values: Callable[[OfAgent], Sequence[float | None]],
    notes: tuple[str, ...],
    why: str,
) -> Table:
    """A row an agent, numbers with three decimals."""
    cells = Cells()
    rows = [
        (
            agent,
            *(
                cells.number(v, 3, why, f"{h} of {agent}")
                for h, v in zip(head, values(own), strict=True)
            ),
        )
        for agent, own in of_agents.items()
    ]
    return Table.listed(f"{PAPER}, {name}", ("Model", *head), rows, (*notes, *cells.notes))


def table5(material: PaperMaterial) -> tuple[Table, ...]:
    """Compliance on the ternary and the binary scale."""
    board, notes = _board(material)
    binary_only = _is_binary(material)

    def values(own: Sequence[Reading]) -> list[float | None]:
        return [
            None
            if binary_only and scale == "ternary"
            else mean_compliance(own, binary=scale == "binary")
            for scale in SCALES
        ]

    why = "judged on the binary scale only" if binary_only else "nothing was graded"
    heads = [scale.capitalize() for scale in SCALES]
    table = _by_agent(
        "table 5: compliance", heads, _readings(board), values, (*notes, BINARY_NOTE), why
    )
    return (table,)


STRATA: Final = {
    "breadth": ("Simple", "Moderate", "High"),
    "nesting": ("Shallow", "Intermediate", "Deep"),
    "exploration": ("Low", "Medium", "High"),
}
"""Labels of tasks and their values, from the easiest to the hardest (table 2)."""


def strata(name: str, *scales: Scale) -> Callable[[PaperMaterial], tuple[Table, ...]]:
    """Figures 6, 12 and 13: compliance by each dimension of complexity. name: of the figure."""

    def make(material: PaperMaterial) -> tuple[Table, ...]:
        board, notes = _board(material)
        graded = _readings(board)
        possible = [s for s in scales if s == "binary" or not _is_binary(material)]
        if not possible:
            raise BadInput(
                "These reports were judged on the binary scale only.", "Use --protocol rubrics."
            )
        known = {label for own in graded.values() for each in own for label in each.labels}
        if not known & set(STRATA):
            raise BadInput(
                f"No task has one of the labels {', '.join(STRATA)}.", "ResearchRubrics' have them."
            )
        return tuple(
            _stratum(f"{name}: {scale} compliance by {label}", graded, label, scale, notes)
            for scale in possible
            for label in STRATA
            if label in known
        )

    return make


def _stratum(
    name: str,
    graded: Mapping[str, Sequence[Reading]],
    label: str,
    scale: Scale,
    notes: tuple[str, ...],
) -> Table:
    there = {each.labels[label] for own in graded.values() for each in own if label in each.labels}
    order = [value.lower() for value in STRATA[label]]
    values = sorted(there, key=lambda v: (order.index(v.lower()) if v.lower() in order else 9, v))

    def of_values(own: Sequence[Reading]) -> list[float | None]:
        return [
            mean_compliance(
                [each for each in own if each.labels.get(label) == value], binary=scale == "binary"
            )
            for value in values
        ]

    said = (*notes, BINARY_NOTE) if scale == "binary" else notes
    return _by_agent(name, values, graded, of_values, said, "no task of it was graded")


SHARES_NOTE: Final = (
    "Share of a task's failures, mean over the tasks with a failure in which the axis occurs "
    "(equation 2), so that the shares of an agent need not add up to 1."
)


def _axes(failures: Mapping[str, AgentFailures]) -> list[str]:
    return sorted({axis for own in failures.values() for axis in own.axes})


def figure5(material: PaperMaterial) -> tuple[Table, ...]:
    """From which axes failures come."""
    board, notes = _board(material)
    failures = _failures(board)
    axes = _axes(failures)

    def values(own: AgentFailures) -> list[float | None]:
        shares = own.paper.shares
        return [shares[axis].mean if axis in shares else None for axis in axes]

    why = "no failure where it occurs"
    table = _by_agent(
        "figure 5: failures by axis", axes, failures, values, (*notes, SHARES_NOTE), why
    )
    return (table,)


def figure8(material: PaperMaterial) -> tuple[Table, ...]:
    """Compliance by axis, for mandatory and for optional criteria."""
    board, notes = _board(material)
    failures = _failures(board)
    axes = _axes(failures)

    def part(kind: str) -> Table:
        def values(own: AgentFailures) -> list[float | None]:
            return [own.by_obligation.get((axis, kind)) for axis in axes]

        name = f"figure 8: failures of {kind} criteria by axis"
        said = (*notes, SHARES_NOTE)
        return _by_agent(name, axes, failures, values, said, "no failure where it occurs")

    return part("mandatory"), part("optional")


def figure14(material: PaperMaterial) -> tuple[Table, ...]:
    """Failures by domain and axis, for every agent."""
    board, notes = _board(material)
    failures = _failures(board)
    axes = _axes(failures)
    tables = []
    for agent, own in failures.items():
        domains = sorted({domain for each in own.graded if (domain := each.labels.get(DOMAIN))})
        if not domains:
            raise BadInput("No task has a label domain.", "ResearchRubrics' tasks have one.")
        cells = Cells()
        rows = []
        for domain in domains:
            shares = own.by_domain[domain].shares
            means = ((axis, shares[axis].mean if axis in shares else None) for axis in axes)
            shown = (cells.number(v, 3, "no failure where it occurs", axis) for axis, v in means)
            rows.append((domain, *shown))
        title = f"{PAPER}, figure 14: failures by domain and axis, {agent}"
        said = (*notes, SHARES_NOTE, *cells.notes)
        tables.append(Table.listed(title, ("Domain", *axes), rows, said))
    return tuple(tables)


CORRELATION_NOTE: Final = (
    "Of the score of each report with its length; the paper does not name its coefficient."
)


def length_correlation(name: str) -> Callable[[PaperMaterial], tuple[Table, ...]]:
    """Figures 7 and 18: how far scores go with length, in words and in tokens."""

    def make(material: PaperMaterial) -> tuple[Table, ...]:
        records, why = material.judged("rubrics")
        if not records or not material.reports:
            raise BadInput(
                f"This figure holds scores of rubrics against lengths, and {why or 'no report'}.",
                "Name run files with graded rubrics.",
            )
        cells = Cells()
        rows = []
        for found in correlations(material.reports, records):
            if found.of != "score":
                continue
            pairs = [
                by[unit] for unit in ("tokens", "words") for by in (found.pearson, found.spearman)
            ]
            shown = (
                cells.number(each.value if each else None, 3, "one side never varies", found.agent)
                for each in pairs
            )
            rows.append((found.agent, str(found.n), *shown))
        heads = (f"{c} ({unit})" for unit in ("tokens", "words") for c in ("Pearson", "Spearman"))
        notes = (*basis(("Rubrics", ranked(records)[0])), CORRELATION_NOTE, *cells.notes)
        return (
            Table.listed(
                f"{PAPER}, {name}: compliance and length", ("Model", "Reports", *heads), rows, notes
            ),
        )

    return make


LENGTHS_NOTE: Final = (
    "Words: what blanks separate, and every East Asian character; tokens are estimated without a "
    "tokenizer. SD: divided by the number of reports, as in table 8."
)


def table9(material: PaperMaterial) -> tuple[Table, ...]:
    """How long the reports of each agent are, in words and in tokens."""
    if not material.reports:
        raise BadInput("No reports are given.", "Name a run file.")
    agents = sorted({report.agent for report in material.reports})
    rows = []
    for unit in ("words", "tokens"):
        for agent in agents:
            own = [getattr(r.whole, unit) for r in material.reports if r.agent == agent]
            numbers = (f"{fmean(own):.2f}", f"{pstdev(own):.2f}", f"{median(own):g}")
            rows.append((unit.capitalize(), agent, *numbers, str(min(own)), str(max(own))))
    heads = ("Type", "Model", "Mean", "SD", "Median", "Min", "Max")
    title = f"{PAPER}, table 9: lengths of responses"
    return (Table.listed(title, heads, rows, (LENGTHS_NOTE,), words=2),)
