"""One table over several protocols, and what must be said of their rankings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from deepassay.glossary import meaning
from deepassay.results.board_details import MIXED
from deepassay.results.panel_verdicts import JudgeInPanel
from deepassay.results.ranking import Board, differing_keys
from deepassay.results.records import NO_READING
from deepassay.results.standings import Standing
from deepassay.results.tables import NONE, Table, in_range, percent
from deepassay.results.unscored import ToCome
from deepassay.score import without_options
from deepassay.stats.intervals import Interval

OFFLINE: Final = "offline baseline"
OFFLINE_NOTE: Final = (
    f"Judged by the offline baseline: {meaning('offline baseline')}. Good for trying things out; "
    "not comparable with any published figure."
)
PANEL_NOTE: Final = (
    f"One judge of the panel is the offline baseline: {meaning('offline baseline')}. Its marks are "
    "a part of the means; those of each judge stand in the tables beneath."
)


class RankedBoard(Protocol):
    """A ranking or a comparison under one protocol."""

    @property
    def protocol(self) -> str:
        """The name of the protocol, with its options."""

    @property
    def label(self) -> tuple[str, str] | None:
        """By which tasks were picked, None for all."""

    @property
    def to_come(self) -> ToCome:
        """How many of its judgements nobody was asked for yet."""

    @property
    def panel(self) -> Mapping[str, JudgeInPanel]:
        """Of every judge of a panel, in how many scores it has a part; empty without a panel."""

    @property
    def offline(self) -> bool:
        """Whether the offline baseline judged."""

    @property
    def offline_in_panel(self) -> bool:
        """Whether the offline baseline is one of several judges."""

    @property
    def reads(self) -> bool:
        """Whether its scores say which of two reports is better, see `Judged.reads`."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What must be read before the numbers, of this protocol alone."""


MOST_ACROSS: Final = 4
"""Protocols side by side in the overview; more of them go below each other."""


def notes_on(*boards: RankedBoard) -> tuple[str, ...]:
    """What must be read before the numbers: who judged, and which means give no order."""
    notes = [OFFLINE_NOTE] if any(board.offline for board in boards) else []
    if any(board.offline_in_panel for board in boards):
        notes.append(PANEL_NOTE)
    if names := dict.fromkeys(board.protocol for board in boards if not board.reads):
        notes.append(
            f"{NO_READING}: {meaning(NO_READING)} by {', '.join(names)}, so these means give no "
            "order."
        )
    return (*notes, *notices_on(*boards))


def notices_on(*boards: RankedBoard) -> tuple[str, ...]:
    """What must be read before numbers of single protocols; what holds of several is said once."""
    alike: dict[str, dict[str, str]] = {}
    for board in boards:
        for notice in board.notices:
            own = notice.removeprefix(f"{board.protocol}: ")
            of_all = own.replace(f'"{without_options(board.protocol)}(', '"NAME(')
            alike.setdefault(of_all, {})[board.protocol] = notice
    return tuple(
        f"{', '.join(own)}: {of_all}" if len(own) > 1 else next(iter(own.values()))
        for of_all, own in alike.items()
    )


def overview(boards: Sequence[Board]) -> Table:
    """Agents down, protocols across: the means of the boards over all tasks.

    Of many protocols, as of ablations: protocols down and agents across, with the digest of each
    recipe. A mean with scores missing is followed by scored/expected judgements. Agents stand in
    the order of the first board; in a mixed ranking, with the means of all their recipes.
    """
    whole = [board for board in boards if board.label is None]
    cells: dict[str, dict[str, str]] = {}
    for board in whole:
        for standing in board.standings:
            row = cells.setdefault(standing.agent, {})
            before = f"{row[board.protocol]}, " if board.protocol in row else ""
            row[board.protocol] = before + mean_of(standing, board.limits)
    many = len(whole) > MOST_ACROSS
    offline = all(board.offline for board in whole)
    names = [board.protocol if offline else board_heading(board) for board in whole]
    rows = [
        (agent, *(own.get(board.protocol, NONE) for board in whole)) for agent, own in cells.items()
    ]
    if many:
        digests = ("/".join(recipe.digest for recipe in board.recipes) for board in whole)
        rows = [
            (name, *(own.get(board.protocol, NONE) for own in cells.values()), recipe)
            for name, board, recipe in zip(names, whole, digests, strict=True)
        ]
    head = ("protocol", *cells, "recipe") if many else ("agent", *names)
    return Table(
        f"All protocols ({OFFLINE})" if offline else "All protocols",
        head,
        tuple(rows),
        numeric=frozenset(range(1, len(head) - many)),
        above=notes_on(*whole),
    )


PAIRS_NOTE: Final = "Of the agent in the row against the one in the column, ties left out."


def pairwise_tables(boards: Sequence[Board]) -> tuple[Table, ...]:
    """Agents down, baselines across, for every protocol and edition with several baselines.

    Without mixed rankings, where an agent has a row for every recipe.
    """
    groups: defaultdict[tuple[str, str], list[Board]] = defaultdict(list)
    for board in boards:
        if board.baseline and board.label is None and len(board.recipes) == 1:
            edition = board.recipes[0].edition
            groups[without_options(board.protocol), edition].append(board)
    several = {key: own for key, own in groups.items() if len({b.baseline for b in own}) > 1}
    return tuple(
        _pairs(protocol + (" (edition code)" if edition == "code" else ""), own)
        for (protocol, edition), own in several.items()
    )


def _pairs(name: str, boards: Sequence[Board]) -> Table:
    rates = {
        (standing.agent, board.baseline): percent(standing.summary.pooled)
        for board in boards
        for standing in board.standings
    }
    agents = sorted({agent for pair in rates for agent in pair})
    rows = ((one, *(rates.get((one, other), NONE) for other in agents)) for one in agents)
    return Table.listed(f"{name}: win rates of all pairs", ("agent", *agents), rows, (PAIRS_NOTE,))


def recipe_notes(board: Board) -> list[str]:
    """That the recipes of a mixed ranking differ, and in what, by their letters."""
    differing = differing_keys(board.recipes)
    return [
        MIXED,
        *(
            f"[{letter}] " + "; ".join(f"{key} = {values[i]}" for key, values in differing.items())
            for i, letter in enumerate(board.letters)
        ),
    ]


def board_heading(board: Board) -> str:
    """The protocol of a board, with a mark where the offline baseline judged."""
    return f"{board.protocol} ({OFFLINE})" if board.offline else board.protocol


def mean_of(standing: Standing, limits: Interval | None) -> str:
    """A mean, followed by scored/expected judgements where some are missing, and its mark."""
    count = standing.summary.judgements
    missing = "" if count.scored == count.expected else f" ({count.scored}/{count.expected})"
    mark = f" [{standing.mark}]" if standing.mark else ""
    return in_range(standing.summary.mean, limits) + missing + mark
