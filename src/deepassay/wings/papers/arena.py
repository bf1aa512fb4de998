"""Tables and figures of DeepResearch Arena."""

from __future__ import annotations

from collections import Counter
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.lengths import agent_lengths, mean_lengths
from deepassay.results.ranking import Board
from deepassay.results.tables import Table, percent
from deepassay.wings.papers.material import UNDEFINED, Cells, PaperMaterial, basis
from deepassay.wings.papers.people import panel_or_first, scores_of_people
from deepassay.wings.people.agreement.consistency import consistency_correlations

LANGUAGES: Final = ("en", "zh")
RATES: Final = ("KSR", "KCR", "KOR")
TOKENS_HEAD: Final = "Avg. Token (k)"

LENGTH_NOTE: Final = (
    "Avg. Token (k): estimated tokens of a report, in thousands; Avg. references: entries of its "
    "reference lists. Both are means over tasks."
)


def figure1(material: PaperMaterial) -> tuple[Table, ...]:
    """Tasks of each discipline, and of which families they are."""
    if not any("discipline" in task.labels for task in material.tasks):
        raise BadInput("No task has a label discipline.", "Name a set built by `tasks weave`.")
    counts = Counter(
        (task.labels.get("discipline", "(none)"), task.labels.get("family", "(none)"))
        for task in material.tasks
    )
    disciplines = Counter(task.labels.get("discipline", "(none)") for task in material.tasks)
    rows = [
        (discipline, family, str(count), percent(count / len(material.tasks)))
        for discipline, _ in disciplines.most_common()
        for (own, family), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if own == discipline
    ]
    title = "DeepResearch Arena, figure 1: tasks by discipline and family"
    notes = (f"Share: of all {len(material.tasks)} tasks. The paper draws seminars by discipline.",)
    return (Table.listed(title, ("Discipline", "Family", "Tasks", "Share"), rows, notes, words=2),)


def table3(material: PaperMaterial) -> tuple[Table, ...]:
    """KAE, ACE, tokens and references of each model, for tasks in English and in Chinese."""
    kae, no_kae = material.by_label("kae", "language")
    ace, no_ace = material.by_label("ace", "language")
    found = material.found("kae"), material.found("ace")
    agents = material.agents(*found)
    lengths = {
        (row.agent, row.value): row.means for row in mean_lengths(material.reports, "language")
    }
    cells = Cells()

    def cell(agent: str, head: str, language: str) -> str:
        means = lengths.get((agent, language))
        lacking = f"no score for tasks in {language}"
        digits = 2
        if head in RATES:
            value, digits = _part(kae.get(language), agent, head), 1
            value, lacking = None if value is None else 100 * value, no_kae or lacking
        elif head == "ACE":
            value, lacking = _mean(ace.get(language), agent), no_ace or lacking
        else:
            lacking = f"no report for a task in {language}"
            if means is None:
                value = None
            else:
                value = means.tokens / 1000 if head == TOKENS_HEAD else means.references
        return cells.number(value, digits, lacking, f"{head} of {agent}")

    heads = (*RATES, "ACE", TOKENS_HEAD, "Avg. references")
    rows = [
        (agent, *(" | ".join(cell(agent, head, each) for each in LANGUAGES) for head in heads))
        for agent in agents
    ]
    named = zip(("KAE", "ACE"), (each.board for each in found), strict=True)
    notes = (*basis(*named), LENGTH_NOTE, *cells.notes)
    title = "DeepResearch Arena, table 3: KAE, ACE, tokens and references (English | Chinese)"
    return (Table.listed(title, ("Model", *heads), rows, notes),)


def _mean(board: Board | None, agent: str) -> float | None:
    rows = board.standings if board else ()
    return next((row.summary.mean for row in rows if row.agent == agent), None)


def _part(board: Board | None, agent: str, name: str) -> float | None:
    rows = board.standings if board else ()
    parts = (row.summary.parts.get(name) for row in rows if row.agent == agent)
    return next((part.mean for part in parts if part), None)


def figure3(material: PaperMaterial) -> tuple[Table, ...]:
    """ACE by discipline, and by task family."""
    cuts = (("a", "discipline"), ("b", "family"))
    boards = {label: material.by_label("ace", label) for _, label in cuts}
    if not any(found for found, _ in boards.values()):
        why = " and ".join(dict.fromkeys(why for _, why in boards.values()))
        raise BadInput(f"This figure is of ACE, and {why}.", "Evaluate with --protocol ace.")
    return tuple(
        _cut(material, f"({letter}) by {label}", *boards[label])
        for letter, label in cuts
        if boards[label][0]
    )


def _cut(material: PaperMaterial, which: str, boards: dict[str, Board], why: str) -> Table:
    whole = material.found("ace")
    cells = Cells()
    agents = material.agents(whole)
    rows = [
        (agent, *(cells.number(_mean(b, agent), 2, "no score", agent) for b in boards.values()))
        for agent in agents
    ]
    title = f"DeepResearch Arena, figure 3 {which}: ACE"
    return Table.listed(
        title, ("Model", *boards), rows, (*basis(("ACE", whole.board)), *cells.notes)
    )


COST_NOTE: Final = (
    "The paper plots an efficiency that it does not define; ours is the estimated tokens of a "
    "report, which the run knows."
)


def figure4(material: PaperMaterial) -> tuple[Table, ...]:
    """The three rates of KAE against what a report costs to read."""
    found = material.found("kae")
    lengths = agent_lengths(material.reports)
    cells = Cells()
    rows = []
    for agent in material.agents(found):
        rates = (_part(found.board, agent, name) for name in RATES)
        shown = (
            cells.number(None if rate is None else 100 * rate, 1, "no key point", agent)
            for rate in rates
        )
        tokens = cells.number(
            lengths[agent].tokens if agent in lengths else None, 0, "no report is given", agent
        )
        rows.append((agent, *shown, tokens))
    title = "DeepResearch Arena, figure 4: key points and cost"
    notes = (*basis(("KAE", found.board)), COST_NOTE, *cells.notes)
    return (Table.listed(title, ("Model", *RATES, "Tokens"), rows, notes),)


LEAKAGE: Final = {
    "Avg. Comp.": "composite",
    "Avg. StrSim": "string",
    "Avg. TFIDF": "tfidf",
    "Avg. Overlap": "overlap",
}


def table4(material: PaperMaterial) -> tuple[Table, ...]:
    """The leakage test: mean similarities of each model."""
    rows = [row for row in material.leakage if not row.get("label")]
    if not rows:
        raise BadInput(
            "This table is of the leakage test.",
            "Name the file of `deepassay tasks leakage --format json -o FILE`.",
        )
    cells = Cells()
    shown = []
    for row in rows:
        name = str(row["model"] or "Average")
        values = (row["share"], *(row[field] for field in LEAKAGE.values()))
        parts = (
            percent(each) if each is not None else cells.dash("no task tested", name)
            for each in values
        )
        shown.append((name, *parts, str(row["leaked"])))
    tested = ", ".join(f"{r['model'] or 'all'} {r['tested']}/{r['trials']}" for r in rows)
    return (
        Table.listed(
            "DeepResearch Arena, table 4: similarity of continuations",
            ("Model", "Leak", *LEAKAGE, "Count"),
            shown,
            (f"Tasks tested of expected: {tested}.", *cells.notes),
        ),
    )


SEED: Final = 0
COEFFICIENTS: Final = ("Spearman's rho", "Pearson's r", "Kendall's tau-a")
COLUMNS: Final = {"KAE vs. Human": "kae", "ACE vs. Human": "ace"}
HUMAN_NOTE: Final = (
    "Over reports, with the mean of the people's scores; of a panel, what it came to together. "
    "Kendall's tau by equation 18, which is tau-a. `deepassay agree` has intervals and tau-b."
)


def table5(material: PaperMaterial) -> tuple[Table, ...]:
    """Correlation of KAE and ACE with people. Raises BadInput without scores of people."""
    judged = {head: material.judged(base) for head, base in COLUMNS.items()}
    scores, told = scores_of_people(
        material, {head: records for head, (records, _) in judged.items()}
    )
    columns: dict[str, tuple[dict[str, float | None], str]] = {}
    for head, (_, why) in judged.items():
        if (own := panel_or_first(scores[head])) is None:
            columns[head] = {}, why or f"people scored no report that {COLUMNS[head]} scored"
        else:
            figures = consistency_correlations(own, SEED)
            columns[head] = {each.name: each.value for each in figures}, UNDEFINED
    cells = Cells()
    rows = [
        (
            name.removesuffix("-a"),
            *(cells.number(own.get(name), 2, why, head) for head, (own, why) in columns.items()),
        )
        for name in COEFFICIENTS
    ]
    title = "DeepResearch Arena, table 5: agreement with human judgment"
    return (Table.listed(title, ("Metric", *columns), rows, (HUMAN_NOTE, *told, *cells.notes)),)
