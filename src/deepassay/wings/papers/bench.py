"""Tables and figures of DeepResearch Bench."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.citations import code_figures, counted_reports, paper_figures
from deepassay.results.overview import notes_on
from deepassay.results.ranking import Board
from deepassay.results.records import Judged, by_agent
from deepassay.results.tables import NONE, Table
from deepassay.stats.resampling import ResampledFigure
from deepassay.wings.papers.material import (
    PLAIN,
    UNDEFINED,
    Cells,
    PaperMaterial,
    agents_placed,
    basis,
    boards_by_recipe,
    edition_of,
    first_and_second,
    judges_in,
    ranked,
    sectioned,
    with_remarks,
)
from deepassay.wings.papers.people import panel_or_first, scores_of_people
from deepassay.wings.people.agreement.consistency import (
    BETWEEN,
    FAP,
    FAS,
    OPC,
    OVERALL_EACH,
    PAR_EACH,
    consistency,
)

DIMENSIONS: Final = {
    "Comp.": "comprehensiveness",
    "Depth": "insight",
    "Inst.": "instruction_following",
    "Read.": "readability",
}
"""The columns of RACE, and the parts of its score."""

MARKS_NOTE: Final = "** highest, * second highest of a column in its section."
SEED: Final = 0

Numbers = Mapping[str, float | None]
"""By agent."""


def race_columns(board: Board | None) -> dict[str, Numbers]:
    """The columns of RACE in per cent."""
    rows = board.standings if board else ()

    def part(name: str) -> Numbers:
        found = {row.agent: row.summary.parts.get(name) for row in rows}
        return {agent: each and 100 * each.mean for agent, each in found.items()}

    means = {row.agent: row.summary.mean for row in rows}
    overall = {agent: None if mean is None else 100 * mean for agent, mean in means.items()}
    return {"Overall": overall, **{head: part(name) for head, name in DIMENSIONS.items()}}


FACT: Final = ("C. Acc.", "E. Cit.")


def _fact(records: Sequence[Judged]) -> dict[str, Numbers]:
    """C. Acc. in per cent and E. Cit., by the formulas of the edition that was judged."""
    accuracy: dict[str, float | None] = {}
    effective: dict[str, float | None] = {}
    for agent, own in by_agent(records).items():
        counted = list(counted_reports(own))
        if edition_of(own) == "paper":
            rate, effective[agent], _ = paper_figures(counted)
        else:
            rate, _, effective[agent] = code_figures(counted)
        accuracy[agent] = None if rate is None else 100 * rate
    return dict(zip(FACT, (accuracy, effective), strict=True))


def _fact_note(records: Sequence[Judged]) -> tuple[str, ...]:
    if not records:
        return ()
    if edition_of(records) == "paper":
        return ("C. Acc., E. Cit.: equations 4 and 5, over all tasks.",)
    return ("C. Acc., E. Cit.: pooled over the reports that cite, as the released program does.",)


def table1(material: PaperMaterial) -> tuple[Table, ...]:
    """Overall results: RACE with its dimensions, and FACT."""
    race, fact = material.found("race"), material.found("fact")
    verdicts, _ = material.judged("fact")
    columns = {**race_columns(race.board), **_fact(verdicts)}
    title = "DeepResearch Bench, table 1: overall results (RACE and FACT)"
    whys = {
        head: fact.why or "no score by fact" if head in FACT else race.why or "no score by race"
        for head in columns
    }
    notes = (
        *basis(("RACE", race.board), ("FACT", fact.board)),
        *_fact_note(verdicts),
    )
    agents = material.agents(race, fact)
    placed = {head: agents_placed(fact.board if head in FACT else race.board) for head in columns}
    table = _listed(title, agents, columns, whys, material, notes, placed)
    return (with_remarks(table, race.board),)


def _listed(
    title: str,
    agents: Sequence[str],
    columns: Mapping[str, Numbers],
    whys: Mapping[str, str],
    material: PaperMaterial,
    notes: tuple[str, ...],
    placed: Mapping[str, Collection[str]],
) -> Table:
    """Agents down, in their families; the best two of those `placed` in a column are marked."""
    cells = Cells()
    sections = []
    for family, own in material.sections(agents):
        marks = {
            head: first_and_second([numbers.get(a) if a in placed[head] else None for a in own])
            for head, numbers in columns.items()
        }
        rows = [
            (
                agent,
                *(
                    cells.number(numbers.get(agent), 2, whys[head], agent) + marks[head][place]
                    for head, numbers in columns.items()
                ),
            )
            for place, agent in enumerate(own)
        ]
        sections.append((family, rows))
    rows_of_all = sectioned(sections, 1 + len(columns))
    said = (MARKS_NOTE,) if any(placed.values()) else ()
    return Table.listed(title, ("Model", *columns), rows_of_all, (*notes, *said, *cells.notes))


def figure1(material: PaperMaterial) -> tuple[Table, ...]:
    """Quality scores and citations of agents."""
    whole = table1(material)[0]
    kept = [whole.head.index(name) for name in ("Model", "Overall", *FACT)]
    rows = [tuple(row[place] for place in kept) for row in whole.rows]
    head = tuple(whole.head[place] for place in kept)
    title = "DeepResearch Bench, figure 1: report quality and citations"
    return (Table.listed(title, head, rows, whole.notes),)


METHODS: Final = {
    "Vanilla Prompt": "race(vanilla=True)",
    "RACE(Full)": "race",
    "- No Criteria Weights": "race(criteria_weights=False)",
    "- No Dim Weights": "race(dimension_weights=False)",
    "- No Weights": "race(criteria_weights=False, dimension_weights=False)",
    "- No Reference": "race(reference=False)",
    "Reverse Position": "race(position='second')",
    "Static Criteria": "race(criteria='static')",
}
HUMANS: Final = "Human Inter-Agreement"
METRICS: Final = {"PAR": PAR_EACH, "OPC": OPC, "FAP": FAP, "FAS": FAS}
CONSISTENCY_NOTE: Final = (
    "Per cent. PAR: against each person, as the printed values are multiples of 1/900 only; "
    "FAP, FAS: tasks in which the people's ICC(1,1) is not negative. `deepassay agree` has "
    "intervals, and PAR against the mean of people."
)


def _percent(figures: Sequence[ResampledFigure], name: str) -> float | None:
    value = next((each.value for each in figures if each.name == name), None)
    return None if value is None else 100 * value


def table2(material: PaperMaterial) -> tuple[Table, ...]:
    """Human consistency of RACE, its ablations and the plain prompt."""
    variants = {name: material.exactly(protocol) for name, protocol in METHODS.items()}
    boards = {name: ranked(own)[0] for name, own in variants.items() if own}
    cells = Cells()
    heads = {**METRICS, "Overall Score": OVERALL_EACH}
    numbers: dict[str, list[float | None]] = {}
    between: float | None = None
    scores, told = scores_of_people(material, variants)
    for name in METHODS:
        chosen = panel_or_first(scores[name])
        figures = consistency(chosen, SEED) if chosen else []
        numbers[name] = [_percent(figures, metric) for metric in heads.values()]
        between = _percent(figures, BETWEEN) if between is None else between
    if not any(value is not None for own in numbers.values() for value in own):
        raise BadInput(
            "No score of RACE, or of an ablation of it, is one that people gave a score for.",
            "Evaluate with --protocol race-ablations, and check agents and tasks of --human.",
        )
    judges = dict.fromkeys(f"Judge: {judges_in(board)}." for board in boards.values())
    marks = zip(
        *(first_and_second(column) for column in zip(*numbers.values(), strict=True)), strict=True
    )
    rows = []
    for (name, own), mark in zip(numbers.items(), marks, strict=True):
        why = f"not judged by {METHODS[name]}" if not variants[name] else UNDEFINED
        best = ("**" if each == "**" else PLAIN for each in mark)
        rows.append(
            (name, *(cells.number(v, 2, why, name) + m for v, m in zip(own, best, strict=True)))
        )
    human = cells.number(between, 2, "fewer than two people scored a pair", HUMANS)
    rows.append((HUMANS, human + PLAIN, *[NONE + PLAIN] * (len(heads) - 1)))
    return (
        Table.listed(
            "DeepResearch Bench, table 2: human consistency of evaluation methods",
            ("Evaluation Method", *heads),
            rows,
            (
                *notes_on(*boards.values()),
                *judges,
                CONSISTENCY_NOTE,
                *told,
                "** best of a column.",
                *cells.notes,
            ),
        ),
    )


def by_full_race(material: PaperMaterial) -> list[Judged]:
    """The judgements by RACE without options; of both editions, those of `paper`."""
    records, why = material.judged("race")
    if not records:
        raise BadInput(f"This table is of RACE, and {why}.", "Evaluate with --protocol race.")
    return records


COMPARE: Final = "race/compare"


def table3(material: PaperMaterial) -> tuple[Table, ...]:
    """Human consistency and cost of RACE under several judges."""
    cells = Cells()
    prices = {
        model: price
        for each in material.given
        for (operation, model), price in each.prices.items()
        if operation == COMPARE
    }
    records = by_full_race(material)
    boards = boards_by_recipe(records)
    of_recipe = {
        f"{judges_in(board)} [{board.recipes[0].digest}]": [
            each for each in records if each.signature.digest == board.recipes[0].digest
        ]
        for board in boards
    }
    scores, told = scores_of_people(material, of_recipe)
    if not any(scores.values()):
        raise BadInput(
            "People scored none of these reports.", "Check agents and tasks of the file."
        )
    rows = []
    by_judge = {judge: each for own in scores.values() for judge, each in own.items()}
    for judge, own in sorted(by_judge.items()):
        figures = consistency(own, SEED)
        values = [_percent(figures, name) for name in (*METRICS.values(), OVERALL_EACH)]
        price = cells.number(prices.get(judge), 2, "no price is known", f"cost of {judge}")
        shown = (cells.number(each, 2, UNDEFINED, judge) for each in values)
        rows.append((judge, cells.dash("no file says it", "License"), *shown, price))
    return (
        Table.listed(
            "DeepResearch Bench, table 3: human consistency and cost by judge",
            ("Judge LLM", "License", *METRICS, "Overall", "Cost ($)"),
            rows,
            (
                *notes_on(*boards),
                CONSISTENCY_NOTE,
                *told,
                "Cost: mean of one comparison.",
                *cells.notes,
            ),
            words=2,
        ),
    )
