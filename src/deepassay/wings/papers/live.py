"""Tables and figures of LiveResearchBench."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.citation_errors import average_errors
from deepassay.results.lengths import MeasuredReport, token_spreads
from deepassay.results.records import Judged, by_agent
from deepassay.results.tables import Table
from deepassay.score import without_options
from deepassay.wings.papers.material import (
    BEST,
    PLAIN,
    SECOND,
    Cells,
    PaperMaterial,
    agents_placed,
    basis,
    first_and_second,
    ranked,
    sectioned,
)

METRICS: Final = {
    "Presentation & Organization": "presentation",
    "Fact & Logic Consistency": "consistency",
    "Coverage & Comprehensiveness": "coverage",
    "Citation Association": "citation_association",
}
MARKS_NOTE: Final = "** best of all agents, * best of its section."


def table1(material: PaperMaterial) -> tuple[Table, ...]:
    """The four metrics from 0 to 100, agents by family."""
    found = {head: material.found(name) for head, name in METRICS.items()}
    agents = material.agents(*found.values())
    means = {
        head: {row.agent: row.summary.mean for row in each.board.standings} if each.board else {}
        for head, each in found.items()
    }
    cells = Cells()
    placed = {head: agents_placed(each.board) for head, each in found.items()}

    def best_among(head: str, some: Sequence[str]) -> set[str]:
        """Of those who have a place, who has the highest mean."""
        known = [agent for agent in some if agent in placed[head]]
        marks = first_and_second([means[head].get(agent) for agent in known])
        return {agent for agent, mark in zip(known, marks, strict=True) if mark == BEST}

    def cell(agent: str, head: str, family: Sequence[str]) -> str:
        why = found[head].why or f"no score in {head}"
        shown = cells.number(means[head].get(agent), 1, why, agent)
        if agent in best_among(head, agents):
            return shown + BEST
        return shown + (SECOND if agent in best_among(head, family) else PLAIN)

    sections = []
    for family, own in material.sections(agents):
        rows = [(agent, *(cell(agent, head, own) for head in METRICS)) for agent in own]
        sections.append((family, rows))
    notes = basis(*((head, each.board) for head, each in found.items()))
    return (
        Table.listed(
            "LiveResearchBench, table 1: four dimensions of DeepEval",
            ("Agent Name", *METRICS),
            sectioned(sections, 1 + len(METRICS)),
            (*notes, MARKS_NOTE, *cells.notes),
        ),
    )


ERRORS: Final = {"E1 Errors": "E1", "E2 Errors": "E2", "E3 Errors": "E3", "Total": "errors"}
ERRORS_NOTE: Final = (
    "Average number of errors of a report; less is better. E1: address invalid, E2: page "
    "irrelevant, E3: claim not supported."
)


def table7(material: PaperMaterial) -> tuple[Table, ...]:
    """Citation errors of a report, by category of task."""
    records, why = material.judged("citation_accuracy")
    if not records:
        raise BadInput(
            f"This table counts citation errors, and {why}.", "Use --protocol citation_accuracy."
        )
    categories: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in records:
        categories[each.labels.get("category", "")].append(each)
    cells = Cells()
    sections = []
    for category, judged in sorted(categories.items()):
        rows = [
            (
                agent,
                *(
                    cells.number(average_errors(own, name), 1, "no report has a score", agent)
                    for name in ERRORS.values()
                ),
            )
            for agent, own in by_agent(judged).items()
        ]
        sections.append((f"Task: {category}" if category else "", rows))
    notes = basis(("Citation accuracy", material.found("citation_accuracy").board))
    return (
        Table.listed(
            "LiveResearchBench, table 7: citation errors of search-intensive tasks",
            ("Agent Name", *ERRORS),
            sectioned(sections, 1 + len(ERRORS)),
            (*notes, ERRORS_NOTE, *cells.notes),
        ),
    )


LENGTH_HEAD: Final = (
    *("Reports", "Lowest", "25 %", "Median", "75 %", "Highest", "Median w/o URLs"),
)
LENGTH_NOTE: Final = (
    "Estimated tokens of reports as they stand; w/o URLs: without the web addresses in them. The "
    "paper does not say how it counts."
)


def figure5(material: PaperMaterial) -> tuple[Table, ...]:
    """How report lengths are distributed, by agent and by category of task."""
    tables = [_lengths("by system", material.reports, lambda report: report.agent, "Agent")]
    categorised = [each for each in material.reports if "category" in each.labels]
    if categorised:
        tables.append(_lengths("by task", categorised, lambda r: r.labels["category"], "Category"))
    return tuple(tables)


def _lengths(
    which: str, reports: Sequence[MeasuredReport], key: Callable[[MeasuredReport], str], head: str
) -> Table:
    if not reports:
        raise BadInput("No reports are given.", "Name a run file.")
    return Table.listed(
        f"LiveResearchBench, figure 5: lengths of reports {which}",
        (head, *LENGTH_HEAD),
        (
            (
                name,
                str(own.reports),
                *(f"{number:.0f}" for number in (*own.whole, own.bare.median)),
            )
            for name, own in token_spreads(reports, key).items()
        ),
        (LENGTH_NOTE,),
    )


def figure6(material: PaperMaterial) -> tuple[Table, ...]:
    """Win rates in analysis depth over a baseline."""
    variants: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in material.records:
        if without_options(each.protocol) == "depth":
            variants[each.protocol].append(each)
    if not variants:
        raise BadInput(
            "This figure is of analysis depth, and nobody was judged by it.",
            "Evaluate with --protocol depth --baseline AGENT.",
        )
    tables = []
    for _, records in sorted(variants.items()):
        board = ranked(records)[0]
        cells = Cells()
        rows = []
        for agent, record in board.beneath.win_records.items():
            rate = None if record.rate is None else 100 * record.rate
            counts = (str(record.wins), str(record.losses), str(record.ties))
            rows.append(
                (rate, (agent, cells.number(rate, 1, "no game was decided", agent), *counts))
            )
        rows.sort(key=lambda row: (row[0] is None, -(row[0] or 0.0), row[1]))
        tables.append(
            Table.listed(
                f"LiveResearchBench, figure 6: depth, win rate over {board.baseline or 'no one'}",
                ("Agent", "Win rate (%)", "Wins", "Losses", "Ties"),
                (row for _, row in rows),
                (
                    *basis(("Depth", board)),
                    "Win rate: wins of all games that are no tie.",
                    *cells.notes,
                ),
            )
        )
    return tuple(tables)


CHECKS: Final = tuple(f"P{number}" for number in range(1, 11))


def figure22(material: PaperMaterial) -> tuple[Table, ...]:
    """Pass rates of the ten checks of presentation."""
    found = material.found("presentation")
    material.agents(found)
    cells = Cells()
    rows = []
    for row in found.board.standings if found.board else ():
        parts = row.summary.parts
        values = ((check, parts[check].mean if check in parts else None) for check in CHECKS)
        own = (cells.number(v, 0, f"no verdict on {check}", row.agent) for check, v in values)
        rows.append((row.agent, *own))
    return (
        Table.listed(
            "LiveResearchBench, figure 22: pass rates of the presentation checks (%)",
            ("Agent", *CHECKS),
            rows,
            (*basis(("Presentation", found.board)), *cells.notes),
        ),
    )
