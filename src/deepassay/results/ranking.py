"""Agents ranked, per protocol and per label, by scores of one recipe.

Where recipes differ, what differs is said and nothing is ranked, unless the reader asks for a
mixed ranking, in which every row is marked.

A first look opens with some rankings and closes others. What code reads off reports is true whoever
judged, and stands first where no model did. Where the offline rule judged by a protocol that it
cannot read, the means say nothing: that ranking is closed, unless there is nothing else to show.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from deepassay.errors import BadInput, BadSetting
from deepassay.results.board_details import BoardDetails, Label
from deepassay.results.citations import notices_of
from deepassay.results.evidence import (
    JudgeOutcome,
    OutcomeEvidence,
    baseline_of,
    reading_of,
    single_outcomes,
)
from deepassay.results.panel_verdicts import JudgeInPanel, judges_in_panels
from deepassay.results.ranges import ranges_of, widest_range
from deepassay.results.reading import Records, held
from deepassay.results.records import (
    UNLABELLED,
    Judged,
    by_recipe,
    differing,
    grouped,
    has_offline,
    is_offline,
    nameless,
    unstated,
)
from deepassay.results.standings import Standing, standings
from deepassay.results.surface import is_surface, read_off
from deepassay.results.tables import Table
from deepassay.results.unscored import ToCome
from deepassay.score import Cause, Json, Score, Signature, Unscored, canonical_json
from deepassay.stats.intervals import Interval

if TYPE_CHECKING:
    from deepassay.results.known import KnownOfJudge


def shared_parts(records: Iterable[Judged]) -> list[str]:
    """The parts that scores of more than one task have, or of the only task; P2 before P10."""
    tasks: defaultdict[str, set[str]] = defaultdict(set)
    scored: set[str] = set()
    for each in records:
        if isinstance(each.outcome, Score):
            scored.add(each.task)
            for name in each.outcome.parts:
                tasks[name].add(each.task)
    names = [name for name, own in tasks.items() if len(own) > 1 or len(scored) == 1]
    return sorted(names, key=lambda name: (len(name), name))


def of_part(records: Sequence[Judged], name: str) -> list[Judged]:
    """The judgements with the part in place of the score.

    Without the tasks of which some score is there and none has the part: nothing is expected of
    them, as of a rubric without criteria of that axis. A part that is everywhere the lowest or the
    highest value of its score, as a check is, has the range of the score; others declare none. Of a
    panel each judge by itself decides that: the mean of two who differ lies between.
    """
    scores = [(each.task, each.outcome) for each in records if isinstance(each.outcome, Score)]
    scored = {task for task, _ in scores}
    having = {task for task, score in scores if name in score.parts}
    verdict = all(
        said.parts.get(name) in (None, *(each.outcome.bounds or ()))
        for each in records
        if isinstance(each.outcome, Score)
        for said in single_outcomes(each)
    )
    return [
        replace(each, outcome=_part(each.outcome, name, verdict))
        for each in records
        if each.task in having or each.task not in scored
    ]


def _part(outcome: Score | Unscored, name: str, verdict: bool) -> Score | Unscored:
    if isinstance(outcome, Unscored):
        return outcome
    whole = reading_of(outcome)
    judges = {judge: _of_judge(each, name) for judge, each in whole.evidence.judges.items()}
    details = {"judges": judges} if judges else {}
    value = outcome.parts.get(name)
    if value is None:
        return Unscored(_why(whole.evidence, name), f"no value for {name}", details)
    return Score(value, outcome.bounds if verdict else None, details=details)


def _of_judge(outcome: JudgeOutcome, name: str) -> dict[str, Json]:
    """What one judge of a panel said of the part."""
    if outcome.cause is not None:
        return {"cause": str(outcome.cause), "details": {}}
    value = outcome.parts.get(name)
    if value is None:
        return {"cause": str(_why(outcome.evidence, name)), "details": {}}
    return {"value": value, "details": {}}


def _why(evidence: OutcomeEvidence, name: str) -> Cause:
    """The cause of the first item of the part that has one; else there was nothing to score."""
    for item in evidence.items:
        mine = name in (item.axis, item.key, item.key.upper())
        if mine and item.cause in set(Cause):
            return Cause(item.cause)
    return Cause.MISSING_INPUT


AXIS: Final = "axis"
"""What `by` says to cut scores by their parts instead of by tasks."""

NO_LABELS: Final = {
    "agent": "Agents are the rows of every table.",
    "protocol": "Every protocol has a table of its own.",
    "family": "Families come from a file: give it with --agents.",
    "agent_family": "Families come from a file: give it with --agents.",
}
"""What people may want to cut by that is no label, and how they get it."""


@dataclass(frozen=True)
class Board:
    """One ranking. label: name and value by which tasks were picked, or None for all tasks; where
    scores are cut by their parts, `axis` and the name of the part.

    recipes: one signature, or several in a mixed ranking, in the order of their letters.
    limits: the widest range that a score declares, None if there is none. beneath: what it is of.
    baseline: the agent that the others are held against, where pairs are compared. notices: what
    must be read before the numbers, besides `notes_on`. known: of the judge, by files. panel: of
    every judge of a panel, in how many scores it has a part; empty without a panel.
    """

    protocol: str
    label: tuple[str, str] | None
    standings: tuple[Standing, ...]
    recipes: tuple[Signature, ...]
    limits: Interval | None = None
    beneath: BoardDetails = field(default_factory=BoardDetails, compare=False, repr=False)
    baseline: str = ""
    notices: tuple[str, ...] = ()
    known: tuple[KnownOfJudge, ...] = ()
    panel: Mapping[str, JudgeInPanel] = field(default_factory=dict)

    def knowing(self, *more: KnownOfJudge) -> Board:
        """The ranking, with what files know of its judge above it."""
        told = (each.told for each in more)
        return replace(self, known=(*self.known, *more), notices=(*self.notices, *told))

    @property
    def tables(self) -> tuple[Table, ...]:
        """What stands beneath the ranking; a first screen needs none of them."""
        return self.beneath.tables

    def hold(self) -> None:
        """Make at once what a page shows of the judgements, so that they are read only once."""
        self.beneath.hold()
        for row in self.standings:
            _ = len(row.summary.parts), row.summary.judge_agreement

    @property
    def letters(self) -> tuple[str, ...]:
        """One letter a recipe: `a`, `b` and so on; an empty one where there is only one."""
        return _letters(len(self.recipes))

    @property
    def to_come(self) -> ToCome:
        """Judgements that nobody was asked for yet, of all that are expected of single judges."""
        rows = [row.summary for row in self.standings]
        still = sum(row.causes.get(Cause.NOT_ASKED, 0) for row in rows)
        return ToCome(still, sum(row.judgements.expected for row in rows))

    @property
    def offline(self) -> bool:
        """Whether any of it was judged by the offline baseline instead of a model."""
        return any(is_offline(recipe) for recipe in self.recipes)

    @property
    def offline_in_panel(self) -> bool:
        """Whether the offline baseline is one of several judges."""
        return any(has_offline(each) and not is_offline(each) for each in self.recipes)

    @property
    def reads(self) -> bool:
        """Whether every mean has its place in an order, see `Judged.reads`."""
        return all(each.reads or each.summary.mean is None for each in self.standings)


def rank(
    records: Sequence[Judged] | Records, by: str | None = None, allow_mixed: bool = False
) -> tuple[Board, ...]:
    """A board per protocol, then one per value of the label `by`; the order of records is free.

    records: in memory, or read a protocol at a time. by: a label of tasks, or AXIS, which stands
    for the parts of the scores unless tasks have a label of that name. Raises BadInput if recipes
    differ (unless `allow_mixed`), BadSetting for an unknown label.
    """
    read = held(records)
    if not read.protocols:
        raise BadInput("There is nothing to rank: no judgements.", "Run `deepassay evaluate`.")
    by_part = by == AXIS and AXIS not in read.labels
    if by is not None and not by_part:
        _check_cut(read.labels, by)
    boards: list[Board] = []
    whole: dict[str, BoardDetails] = {}
    for protocol in read.protocols:
        boards += _boards(protocol, read, None if by_part else by, allow_mixed, whole)
        if by_part:
            boards += _part_boards(protocol, read.for_figures(protocol).records)
    if by_part and not any(board.label for board in boards):
        raise BadSetting(
            "These scores have no parts that several tasks share.",
            "Leave out --by axis; `race`, `rubrics` and `presentation` have such parts.",
        )
    return tuple(boards)


def _boards(
    protocol: str, read: Records, by: str | None, allow_mixed: bool, whole: dict[str, BoardDetails]
) -> list[Board]:
    """Those of one protocol. whole: what is beneath that of all tasks is put there."""
    judged = read.for_ranks(protocol)
    signed, unlike = by_recipe(judged), differing(judged)
    recipes, ranges, limits = recipes_of(signed), ranges_of(judged), widest_range(unlike)
    letters, baseline = _by_digest(recipes), baseline_of(unlike)
    if not allow_mixed:
        check_recipes(protocol, signed)
    notices = (*unstated(signed), *notices_of(unlike))
    cuts: list[tuple[Label | None, Sequence[Judged]]] = [(None, judged)]
    if by is not None:
        values = grouped(judged, lambda each: each.labels.get(by, UNLABELLED))
        cuts += [((by, value), cut) for value, cut in values.items()]
    boards = []
    for label, cut in cuts:
        alike = len({each.signature.digest for each in cut}) == 1
        beneath = BoardDetails(read, protocol, alike, label, whole)
        whole.setdefault(protocol, beneath)
        rows = standings(cut, letters, ranges, beneath.of_agent)
        panel = judges_in_panels(cut)
        boards.append(
            Board(protocol, label, rows, recipes, limits, beneath, baseline, notices, panel=panel)
        )
    return boards


def _part_boards(protocol: str, records: Sequence[Judged]) -> list[Board]:
    """A ranking by each part, written like the score."""
    recipes, limits = recipes_of(records), widest_range(records)
    letters = _by_digest(recipes)
    cuts = ((name, of_part(records, name)) for name in shared_parts(records))
    return [
        Board(protocol, (AXIS, name), standings(cut, letters, ranges_of(cut)), recipes, limits)
        for name, cut in cuts
    ]


def differing_keys(recipes: Sequence[Signature]) -> dict[str, list[str]]:
    """For each key in which identities differ, its value in each of them, as JSON."""
    keys = dict.fromkeys(key for recipe in recipes for key in recipe.identity)
    values = {key: [canonical_json(r.identity.get(key)) for r in recipes] for key in keys}
    return {key: each for key, each in values.items() if len(set(each)) > 1}


def _by_digest(recipes: Sequence[Signature]) -> dict[str, str]:
    """The letter of each recipe."""
    return dict(zip([r.digest for r in recipes], _letters(len(recipes)), strict=True))


def _letters(recipes: int) -> tuple[str, ...]:
    """`a` to `z`, then `a1` to `z1` and on; an empty text for a single recipe."""
    if recipes == 1:
        return ("",)
    return tuple(f"{ascii_lowercase[i % 26]}{i // 26 or ''}" for i in range(recipes))


def recipes_of(records: Iterable[Judged]) -> tuple[Signature, ...]:
    """The different recipes, in the order of the first agent that each was used for."""
    used = by_recipe(records)
    first: dict[str, Signature] = {}
    for each in sorted(used, key=lambda each: (each.agent, each.signature.digest)):
        first.setdefault(each.signature.digest, each.signature)
    return tuple(first.values())


SAY_WHO: Final = "Say who judged: --judged-by NAME for all files, --judged-by FILE=NAME for one."


def check_recipes(
    protocol: str,
    records: Sequence[Judged],
    remedy: str = "Rank them separately, or all the same and marked, with --allow-mixed.",
) -> None:
    """Raises BadInput unless one recipe made the scores; two unknown judges may be two recipes."""
    recipes, unnamed = recipes_of(records), nameless(records)
    if len(recipes) > 1:
        published = unnamed and "edition" not in differing_keys(recipes)
        remedy = f"{SAY_WHO} {remedy}" if published else remedy
        raise _unequal(protocol, records, recipes, remedy)
    if len(unnamed) > 1:
        raise BadInput(
            f"The files with the scores of {protocol} do not say who judged {', '.join(unnamed)}: "
            "scores of different judges do not stand side by side.",
            f"{SAY_WHO} {remedy}",
        )


def _unequal(
    protocol: str, records: Sequence[Judged], recipes: Sequence[Signature], remedy: str
) -> BadInput:
    """The refusal: each key that differs, and which agents have which value."""
    lines = []
    for key, values in differing_keys(recipes).items():
        for value in dict.fromkeys(values):
            used = {r.digest for r, own in zip(recipes, values, strict=True) if own == value}
            agents = sorted({each.agent for each in records if each.signature.digest in used})
            lines.append(f"  {key} = {value}: {', '.join(agents)}")
    return BadInput(
        f"The scores of {protocol} were not made by one recipe:\n" + "\n".join(lines),
        remedy,
    )


def _check_cut(labels: Collection[str], by: str) -> None:
    """Raises BadSetting for what no ranking can be cut by, saying how else one gets it."""
    if by in NO_LABELS and by not in labels:
        raise BadSetting(f"{by!r} is no label of tasks.", NO_LABELS[by])
    check_label(labels, by)


def check_label(labels: Collection[str], by: str) -> None:
    """Raises BadSetting for a label that no task has. labels: those that there are."""
    if by not in labels:
        names = ", ".join(sorted(labels)) or "none"
        raise BadSetting(f"No task has a label {by!r}.", f"Labels of these tasks: {names}.")


CLOSED: Final = (
    "Closed, because the offline rule judged and cannot tell good reports from bad ones there: {}."
)


@dataclass(frozen=True)
class ArrangedBoards:
    """Rankings with a score, by where they stand. read_off: the tables of what code reads."""

    read_off: tuple[Table, ...]
    opened: tuple[Board, ...]
    closed: tuple[Board, ...]

    @property
    def by_model(self) -> bool:
        """Whether a model made one of those that are open: then these stand before `read_off`."""
        return any(not board.offline for board in self.opened)

    @property
    def why_closed(self) -> str:
        """A sentence on those that are closed; empty where there are none."""
        names = dict.fromkeys(board.protocol for board in self.closed)
        return CLOSED.format(", ".join(names)) if names else ""


def arranged(boards: Sequence[Board]) -> ArrangedBoards:
    """The boards that have a score, arranged."""
    scored = [board for board in boards if any(row.summary.tasks.scored for row in board.standings)]
    surface = [board for board in scored if is_surface(board.protocol)]
    ranked = [board for board in scored if board not in surface]
    blind = [board for board in ranked if board.offline and not board.reads]
    closed = blind if surface or len(blind) < len(ranked) else []
    return ArrangedBoards(
        tuple(
            table
            for board in surface
            for table in read_off(board.beneath.graded.records, board.label)
        ),
        tuple(board for board in ranked if board not in closed),
        tuple(closed),
    )
