"""A rescued board for people and programs: the mapping, every agent, every pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final, get_args

import numpy as np

from deepassay.files import as_json
from deepassay.results.tables import (
    NONE,
    Table,
    as_csv,
    decimals,
    ends_of,
    in_range,
    low_and_high,
    p_value,
    printable,
)
from deepassay.results.wrapped_tables import written_narrow
from deepassay.score import Json
from deepassay.stats.intervals import Interval
from deepassay.stats.mappings import FITS, Fit, constant, differences_left_out, linear
from deepassay.stats.ranks import Floats, place
from deepassay.stats.resampling import FEWER_DRAWS, drawn_counts, resampled_figure
from deepassay.wings.trials.rescue.arithmetic import (
    AGENTS,
    FEWEST,
    Order,
    RescuedAgent,
    RescuedBoard,
    RescuedPair,
    rescued,
)
from deepassay.wings.trials.rescue.reading import JoinedSides

MOST_PAIRS: Final = 30
"""Rows of the table of pairs in text; CSV and JSON have all."""

LIMITS: Final = (0.0, 1.0)

BOARD_NOTES: Final = (
    "new: the mean that the new judge gives over these tasks, estimated unless it scored all. The "
    "95 % interval holds what is owed to anchors' being few; of an agent by the others, also how "
    "far agents lie off the line. rank: what the orders beneath leave open.",
    "by: in full, own anchors (a random part of its reports was scored anew), other agents (none "
    f"was; the line through the means of at least {AGENTS} others), or not known.",
)
PAIRS_NOTE: Final = (
    "order: claimed where p < .05, adjusted for all pairs (Holm). gap: by the new judge, of the "
    "one that was ahead by the old one."
)
BASIS_NOTE: Final = (
    "Published scores hold no reports: that both judges saw the same ones is taken on your word, "
    "and that anchors were chosen by chance. Where rows have prompts these were compared."
)


def write_rescued(sides: JoinedSides, seed: int, format: str) -> str:
    """As text, markdown, csv (a line for each agent) or json (everything)."""
    board = rescued(sides.scores)
    if format == "csv":
        return as_csv([_flat(sides, board, each) for each in board.agents])
    if format == "json":
        return as_json(
            {
                "judges": {"old": sides.old.judge, "new": sides.new.judge},
                "tasks": len(sides.tasks),
                "joined": [each.record for each in sides.joined],
                "aside": list(sides.aside),
                "slope_within_agents": board.slope,
                "line": board.line
                and {
                    "intercept": board.line.intercept,
                    "slope": board.line.slope,
                    "spread": board.line.spread,
                },
                "mappings": [*mapping_errors(sides, seed)],
                "agents": [_flat(sides, board, each) for each in board.agents],
                "pairs": [_flat_pair(each) for each in board.pairs],
                "sentences": [*may_be_said(sides, board)],
            }
        )
    tables = [_board_table(sides, board), _pairs_table(sides, board), _mapping_table(sides, seed)]
    return written_narrow([each for each in tables if each.rows], format)


def may_be_said(sides: JoinedSides, board: RescuedBoard) -> Iterator[str]:
    """What may be said of old and new, and what may not."""
    orders = Counter(each.order for each in board.pairs)
    kinds: tuple[Order, ...] = get_args(Order)
    if board.pairs:
        said = ", ".join(f"{orders[kind]} {kind}" for kind in kinds if orders[kind])
        yield f"Order of two agents by {sides.new.judge}, {len(board.pairs)} pairs: {said}."
    for name in (each.agent for each in board.agents if each.basis == "not known"):
        known = sum(each.new is not None and each.old is not None for each in board.agents)
        yield (
            f"Nothing is said of {printable(name)} by {sides.new.judge}: it has fewer than "
            f"{FEWEST} anchors of its own, and of other agents {known} have old and new means, "
            f"where {AGENTS} are the least that show how far agents differ."
        )
    yield from (f"Set aside: {printable(each)}" for each in sides.aside)


def _board_table(sides: JoinedSides, board: RescuedBoard) -> Table:
    olds = [each.old for each in board.agents if each.old is not None]
    ranks = board.ranks()
    rows = []
    for each in board.agents:
        low, high = ranks.get(each.agent, (0, 0))
        rows.append(
            (
                each.agent,
                each.basis,
                in_range(each.old, LIMITS),
                NONE if each.old is None else str(place(each.old, olds)),
                in_range(each.new, LIMITS),
                ends_of(each.interval, LIMITS),
                (str(low) if low == high else f"{low} to {high}") if low else NONE,
                str(each.anchors),
            )
        )
    title = f"From {sides.old.judge} to {sides.new.judge}, {sides.old.protocol}"
    return Table.listed(
        f"{title}: {len(board.agents)} agents on {board.tasks} tasks",
        ("agent", "by", "old", "old rank", "new", "95 % interval", "rank", "anchors"),
        rows,
        (*may_be_said(sides, board), *BOARD_NOTES, BASIS_NOTE),
        words=2,
    )


def _pairs_table(sides: JoinedSides, board: RescuedBoard) -> Table:
    told = [each for each in board.pairs if each.gap is not None]
    told.sort(key=lambda each: (each.order == "not known", each.p or 0.0))
    rows = [
        (
            each.one,
            each.other,
            each.order,
            in_range(each.old_gap, LIMITS),
            in_range(each.gap, LIMITS),
            ends_of(each.interval, LIMITS),
            p_value(each.p),
        )
        for each in told[:MOST_PAIRS]
    ]
    more = len(told) - len(rows)
    return Table.listed(
        f"Order by {sides.new.judge}",
        ("ahead before", "behind", "order", "old gap", "gap", "95 % interval", "p"),
        rows,
        (PAIRS_NOTE, *([f"{more} more in --format json."] if more else [])),
        words=3,
    )


# ------------------------------------------------------------------ mapping of single reports


def mapping_errors(sides: JoinedSides, seed: int) -> Iterator[dict[str, Json]]:
    """The error of each mapping on reports to tasks, and of agents, that it never saw.

    Root mean squares; intervals are those of drawing tasks, None for one task or agent.
    """
    anchors = sides.scores.anchors
    old, new = sides.scores.old[anchors], sides.scores.new[anchors]
    agents, tasks = sides.mapped
    fits: dict[str, Fit | None] = {"none": None, "constant": constant, **FITS}
    for name, fit in fits.items():
        record: dict[str, Json] = {"mapping": name, "reports": len(old)}
        for what, groups in (("tasks", tasks), ("agents", agents)):
            if fit is not None and len(set(groups)) < 2:
                record |= {f"error_unseen_{what}": None, **low_and_high(f"unseen_{what}", None)}
                continue
            off = new - old if fit is None else differences_left_out(fit, old, new, groups)
            value, interval = _root_mean_square(off, tasks, seed)
            record |= {f"error_unseen_{what}": value, **low_and_high(f"unseen_{what}", interval)}
        if name == "linear":
            whole = linear(old, new)
            record |= {"intercept": whole.intercept, "slope": whole.slope}
        yield record


def _root_mean_square(
    off: Floats, tasks: Sequence[str], seed: int
) -> tuple[float | None, Interval | None]:
    member = np.unique(np.array(tasks), return_inverse=True)[1]
    squares, sizes = np.bincount(member, off**2), np.bincount(member)

    def figure(counts: Floats) -> float | None:
        return sqrt(float(counts @ squares) / float(counts @ sizes))

    draws = drawn_counts(len(sizes), seed, FEWER_DRAWS)
    found = resampled_figure("", figure, draws, len(off), "reports")
    return found.value, found.interval


def _mapping_table(sides: JoinedSides, seed: int) -> Table:
    rows = []
    for each in mapping_errors(sides, seed):
        formula = {"none": "new = old", "constant": "new = its mean", "isotonic": "rising"}.get(
            each["mapping"], ""
        )
        if "slope" in each:
            formula = f"new = {each['intercept']:.3f} + {each['slope']:.3f} × old"
        cells = [
            (
                decimals(each[f"error_unseen_{what}"], 4),
                NONE
                if each[f"unseen_{what}_low"] is None
                else f"{each[f'unseen_{what}_low']:.4f} to {each[f'unseen_{what}_high']:.4f}",
            )
            for what in ("tasks", "agents")
        ]
        rows.append((each["mapping"], formula, *cells[0], *cells[1]))
    count = int(sides.scores.anchors.sum())
    return Table.listed(
        f"Single reports: mappings over {count} anchors",
        ("mapping", "", "unseen tasks", "95 % interval", "unseen agents", "95 % interval"),
        rows,
        (
            "Root mean square of new less mapped, on reports to tasks, or of agents, that the "
            "mapping never saw. What does not beat the constant says nothing of single reports.",
        ),
        words=2,
    )


# ------------------------------------------------------------------ for programs


def _flat(sides: JoinedSides, board: RescuedBoard, each: RescuedAgent) -> dict[str, Json]:
    low, high = board.ranks().get(each.agent, (None, None))
    return {
        "agent": printable(each.agent),
        "old_judge": sides.old.judge,
        "new_judge": sides.new.judge,
        "tasks": board.tasks,
        "anchors": each.anchors,
        "by": each.basis,
        "old": each.old,
        "new": each.new,
        **low_and_high("new", each.interval),
        "best_rank": low,
        "worst_rank": high,
    }


def _flat_pair(each: RescuedPair) -> dict[str, Json]:
    return {
        "ahead_before": printable(each.one),
        "behind": printable(each.other),
        "order": each.order,
        "old_gap": each.old_gap,
        "gap": each.gap,
        **low_and_high("gap", each.interval),
        "p_holm": each.p,
    }
