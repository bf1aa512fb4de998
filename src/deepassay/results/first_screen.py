"""What a leaderboard shows first: what must be read before it, then who has which place and score.

It fits into 80 columns and holds every protocol once. What else is known stands in the tables of
`leaderboard --wide`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from deepassay.results.agents import Agents, agent_tables
from deepassay.results.overview import (
    MOST_ACROSS,
    board_heading,
    mean_of,
    notes_on,
    notices_on,
    pairwise_tables,
    recipe_notes,
)
from deepassay.results.ranking import Board, arranged
from deepassay.results.records import REFERENCE
from deepassay.results.standings import Standing, rank_notes
from deepassay.results.tables import (
    NONE,
    Table,
    ends_of,
    in_range,
    of_label,
    scored_of,
    tables_as_text,
)
from deepassay.results.unscored import GO_ON, LONGER
from deepassay.results.wrapped_tables import COLUMNS, as_narrow, paragraphs
from deepassay.score import Cause

if TYPE_CHECKING:
    from deepassay.results.families import Profiles

ROWS: Final = 40
"""Rows of all rankings together, below the table of means; with more, each is cut."""

FEWEST: Final = 3
"""Rows that a ranking keeps in any case."""

MANY: Final = 8
"""Protocols of which rankings are shown; of more the table of means says enough."""

HEAD: Final[tuple[str, ...]] = ("rank", "agent", "score", "95 % interval", "tasks")
MORE: Final = (
    "`deepassay leaderboard --wide` has bounds, recipes and the tables of each protocol; "
    "`deepassay compare` says whether a difference is more than chance."
)
OPEN: Final = (
    "`deepassay leaderboard --wide` opens them; `evaluate --judge PROVIDER:NAME` has a model judge."
)
EXPLAIN: Final = "`deepassay explain RUN --agent NAME --task ID` says why"
REMEDIES: Final[Mapping[str, str]] = {
    Cause.MISSING_INPUT: "`deepassay protocols` says what each protocol needs",
    Cause.NOT_ARCHIVED: "`deepassay sources fetch` reads the pages that are not kept",
    Cause.NOT_ASKED: GO_ON,
    Cause.ANSWER_TRUNCATED: LONGER,
}
OTHER_REMEDY: Final = "`evaluate --retry-unscored` asks again for what failed"


@dataclass(frozen=True)
class _ScreenParts:
    """What the screen is made of.

    first, last: what was read off the reports, which stands before the rankings unless a model
    made one of them. scored: the boards that have rows in it.
    """

    above: tuple[str, ...]
    first: list[Table]
    across: list[Table]
    scored: list[Board]
    last: list[Table]
    notes: tuple[str, ...]


def first_screen(
    boards: Sequence[Board],
    format: str = "text",
    profiles: Profiles | None = None,
    agents: Agents | None = None,
    said: Sequence[str] = (),
) -> str:
    """The boards in short, as text or Markdown. profiles: of the agents, to group them by.

    agents: what their runs took, where that was seen. said: what to open with, see `said_first`.
    """
    parts = _parts(boards, profiles, said)
    if format == "markdown":
        return tables_as_text(first_tables(boards, profiles, agents, said), format, parts.above)
    texts = [paragraphs(parts.above, COLUMNS)]
    texts += [as_narrow(table, COLUMNS) for table in (*parts.first, *parts.across)]
    if parts.scored:
        first = accumulate((len(board.standings) for board in parts.scored), initial=0)
        headings = dict(zip(first, (_name(board, boards) for board in parts.scored), strict=False))
        texts.append(as_narrow(_rows(parts.scored), COLUMNS, headings))
    texts += [as_narrow(table, COLUMNS) for table in (*parts.last, *agent_tables(agents or {}))]
    return "\n\n".join(filter(None, [*texts, paragraphs(parts.notes, COLUMNS)])) + "\n"


def first_tables(
    boards: Sequence[Board],
    profiles: Profiles | None = None,
    agents: Agents | None = None,
    said: Sequence[str] = (),
) -> list[Table]:
    """The first screen as tables, one a protocol; what is above and below all is told once."""
    parts = _parts(boards, profiles, said)
    tables = [*parts.first, *parts.across]
    tables += (_rows([board], _name(board, boards)) for board in parts.scored)
    tables += parts.last
    tables = tables or [Table("Nothing is scored", (), ())]
    tables += agent_tables(agents or {})
    tables[0] = replace(tables[0], above=parts.above)
    tables[-1] = replace(tables[-1], notes=(*tables[-1].notes, *parts.notes))
    return tables


def _parts(boards: Sequence[Board], profiles: Profiles | None, said: Sequence[str]) -> _ScreenParts:
    paired = pairwise_tables(boards)
    several = {board.protocol for board in boards if paired and board.baseline}
    shown = [board for board in boards if board.protocol not in several]
    found = arranged(shown)
    scored = [*found.opened]
    unscored = [
        board for board in shown if not any(r.summary.tasks.scored for r in board.standings)
    ]
    overview = [*_overview(boards, scored, profiles)]
    cut, told = _cut(scored) if overview else (scored, ())
    return _ScreenParts(
        tuple(said) or notes_on(*(board for board in boards if board not in found.closed)),
        [] if found.by_model else [*found.read_off],
        [replace(table, above=()) for table in (*overview, *paired)],
        cut,
        [*found.read_off] if found.by_model else [],
        (
            *told,
            *(_notes(scored) if cut else ()),
            *([f"{found.why_closed} {OPEN}"] if found.closed else []),
            *_unscored(unscored),
            *(notices_on(*found.opened) if said else ()),
            MORE,
        ),
    )


def _overview(
    boards: Sequence[Board], scored: Sequence[Board], profiles: Profiles | None
) -> Iterator[Table]:
    """The table above the rankings: agents by family where that is known, else by protocol."""
    if not profiles:
        yield from _across(scored)
        return
    from deepassay.results.families import family_table  # few say of which family agents are

    yield family_table(boards, profiles)


def _cut(boards: list[Board]) -> tuple[list[Board], tuple[str, ...]]:
    """The first rows of each ranking where all together are too many, and a line that says so.

    None at all where there are many protocols, unless they were asked for cut by a label.
    """
    if len(boards) > MANY and not any(board.label for board in boards):
        return [], ("`deepassay leaderboard --wide` has ranks and intervals by each protocol.",)
    if sum(len(board.standings) for board in boards) <= ROWS:
        return boards, ()
    most = max(FEWEST, ROWS // len(boards))
    cut = [replace(board, standings=board.standings[:most]) for board in boards]
    if cut == boards:
        return boards, ()
    told = (
        f"Of each protocol the first {most} rows are shown; `deepassay leaderboard --wide` has all."
    )
    return cut, (told,)


def _name(board: Board, others: Sequence[Board]) -> str:
    """Its protocol, with a mark if the offline baseline judged here and a model elsewhere."""
    name = board.protocol if all(each.offline for each in others) else board_heading(board)
    return f"{name}{of_label(board.label)}"


def _across(boards: Sequence[Board]) -> Iterator[Table]:
    """Agents down, protocols across, many protocols the other way; nothing for a single one."""
    whole = [board for board in boards if board.label is None]
    if len(whole) < 2:
        return
    agents = [*dict.fromkeys(row.agent for board in whole for row in board.standings)]
    rows = sum(len(board.standings) for board in whole)
    if rows == len(whole) <= MANY:  # of one agent the rankings have all of it
        return
    names = [_name(board, boards) for board in whole]
    means = [(agent, *(_mean(board, agent) for board in whole)) for agent in agents]
    head = ("agent", *names)
    if len(whole) > MOST_ACROSS and len(agents) < len(whole):
        head = ("protocol", *agents)
        means = [*zip(names, *(row[1:] for row in means), strict=True)]
    yield Table.listed("Mean scores", head, means)


def _mean(board: Board, agent: str) -> str:
    rows = [row for row in board.standings if row.agent == agent]
    if any(row.reference for row in rows):
        return REFERENCE
    return ", ".join(mean_of(row, board.limits) for row in rows) or NONE


def _rows(boards: Sequence[Board], title: str = "") -> Table:
    rows = [(board, row) for board in boards for row in board.standings]
    cells, head = [_cells(board, row) for board, row in rows], HEAD
    if any(row.people for _, row in rows):
        head = (*HEAD, "people")
        cells = [(*own, str(row.people or NONE)) for own, (_, row) in zip(cells, rows, strict=True)]
    table = Table.listed(title, head, cells)
    return replace(table, numeric=table.numeric - {1} | {0})


def _cells(board: Board, row: Standing) -> tuple[str, ...]:
    summary = row.summary
    return (
        row.place,
        row.name,
        in_range(summary.mean, board.limits),
        ends_of(summary.interval, board.limits),
        scored_of(summary.tasks),
    )


def _notes(boards: Sequence[Board]) -> Iterator[str]:
    yield from rank_notes(
        {f"{each.protocol}{of_label(each.label)}": each.standings for each in boards}
    )
    for board in boards:
        if len(board.recipes) > 1 and board.label is None:
            for note in recipe_notes(board):
                yield f"{board.protocol}: {note}"


def _unscored(boards: Sequence[Board]) -> Iterator[str]:
    """All protocols under which nobody has a score, and what helps."""
    told, met = [], set[str]()
    for board in boards:
        if board.label is None:
            causes = sum((Counter(row.summary.causes) for row in board.standings), Counter[str]())
            why = ", ".join(f"{cause} {count}" for cause, count in sorted(causes.items()))
            told.append(f"{board.protocol} ({why})")
            met |= set(causes)
    if told:
        yield f"Nothing is scored under {', '.join(told)}."
        helps = {REMEDIES.get(cause, OTHER_REMEDY): None for cause in sorted(met)}
        yield f"{EXPLAIN}{''.join(f'; {each}' for each in helps)}."
