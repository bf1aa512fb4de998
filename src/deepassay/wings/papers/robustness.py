"""Tables of DeepResearch Bench's studies of robustness (appendix J)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from statistics import fmean
from typing import Final

from deepassay.results.lengths import mean_lengths
from deepassay.results.tables import Table
from deepassay.wings.papers.bench import by_full_race, race_columns
from deepassay.wings.papers.material import Cells, PaperMaterial, basis, boards_by_recipe, judges_in


def other_reference(number: int) -> Callable[[PaperMaterial], tuple[Table, ...]]:
    """Tables 7 and 8: RACE against another reference, with places."""

    def make(material: PaperMaterial) -> tuple[Table, ...]:
        found = material.found("race")
        columns = race_columns(found.board)
        material.agents(found)
        names = dict.fromkeys(name for each in material.given for name in each.references)
        cells = Cells()
        rows = []
        for row in found.board.standings if found.board else ():
            own = [
                cells.number(c.get(row.agent), 2, "no score", row.agent) for c in columns.values()
            ]
            if row.ranks is not None:
                own[0] += f" ({row.place if row.rank is None else ordinal(row.rank)})"
            rows.append((row.name, *own))
        reference = ", ".join(names) or "an unnamed report"
        heads = ["Insight" if head == "Depth" else head for head in columns]
        return (
            Table.listed(
                f"DeepResearch Bench, table {number}: RACE with {reference} as reference",
                ("Agent", *heads),
                rows,
                (*basis(("RACE", found.board)), *cells.notes),
            ),
        )

    return make


def ordinal(number: int) -> str:
    """A number as an ordinal of English: `1st`, `2nd`, `11th`."""
    ending = (
        "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
    return f"{number}{ending}"


LENGTH_NOTE: Final = (
    "Avg. Length: characters of reports as they were read; x: by those of the original, which is "
    "the agent itself, or the shortest where no agent is named `NAME (expand)`. Which unit the "
    "paper counts is not said there."
)
_LONGER: Final = re.compile(r" \(expand(?: \d+)?\)\Z")


def table9(material: PaperMaterial) -> tuple[Table, ...]:
    """RACE under growing length: each agent is one version of the same reports.

    Where some are named as `robustness lengths` names them, only those and their originals.
    """
    found = material.found("race")
    lengths = {row.agent: row.means.characters for row in mean_lengths(material.reports)}
    agents = sorted(material.agents(found), key=lambda agent: lengths.get(agent, 0.0))
    originals = {_LONGER.sub("", each) for each in agents if _LONGER.search(each)}
    if originals:
        agents = [each for each in agents if _LONGER.sub("", each) in originals]
        agents.sort(key=lambda agent: _LONGER.sub("", agent))
    shortest = next((lengths[agent] for agent in agents if lengths.get(agent)), None)
    columns = race_columns(found.board)
    cells = Cells()
    rows = []
    for agent in agents:
        length = lengths.get(agent)
        first = lengths.get(_LONGER.sub("", agent)) if originals else shortest
        if length is None or not first:
            shown = cells.dash("its reports are in none of the files", agent)
        else:
            times = f" (x{length / first:.2f})" if length != first else ""
            shown = f"{length / 1000:.1f}k{times}"
        own = (cells.number(c.get(agent), 2, "no score", agent) for c in columns.values())
        rows.append((agent, shown, *own))
    heads = ["Insight" if head == "Depth" else head for head in columns]
    return (
        Table.listed(
            "DeepResearch Bench, table 9: scores under controlled expansion",
            ("Target", "Avg. Length", *heads),
            rows,
            (*basis(("RACE", found.board)), LENGTH_NOTE, *cells.notes),
        ),
    )


def table10(material: PaperMaterial) -> tuple[Table, ...]:
    """The overall score of every agent under every judge."""
    boards = boards_by_recipe(by_full_race(material))
    names = Counter(map(judges_in, boards))
    named = [
        (
            name if names[name := judges_in(board)] == 1 else f"{name} [{board.recipes[0].digest}]",
            board,
        )
        for board in boards
    ]
    means = {
        name: {row.agent: row.summary.mean for row in board.standings} for name, board in named
    }
    everyone = {agent for own in means.values() for agent in own}
    known = {
        agent: [mean for own in means.values() if (mean := own.get(agent)) is not None]
        for agent in sorted(everyone)
    }
    agents = sorted(known, key=lambda agent: -fmean(known[agent] or [0.0]))
    cells = Cells()
    rows = []
    for judge, scores in means.items():
        values = ((agent, scores.get(agent)) for agent in agents)
        shown = (
            cells.number(None if v is None else 100 * v, 2, f"no score by {judge}", agent)
            for agent, v in values
        )
        rows.append((judge, *shown))
    title = "DeepResearch Bench, table 10: overall RACE scores under different judges"
    notes = (*basis(*named), *cells.notes)
    return (Table.listed(title, ("Judge", *agents), rows, notes),)
