"""What tables of papers are made of, and cells that say why a number is not there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple

from deepassay.errors import BadInput
from deepassay.results.families import Profiles, by_family
from deepassay.results.lengths import MeasuredReport
from deepassay.results.overview import notes_on
from deepassay.results.ranking import Board, check_recipes, rank
from deepassay.results.records import Judged
from deepassay.results.tables import NONE, Row, Table, decimals, scored_of
from deepassay.score import without_options
from deepassay.stats.ranks import place
from deepassay.wings.papers.figures.boards import is_whole, tasks_expected
from deepassay.wings.people.agreement.decisions import Decisions
from deepassay.wings.people.agreement.rubrics import CriterionPlace


@dataclass(frozen=True)
class TaskFacts:
    """What tables count of a task. words: of its prompt. axes: criteria of its rubric by axis.

    criterion_words: of each criterion of its rubric. topics: its topic as two answers, which may
    differ; nothing where it has none. steps: by which its rubric was made of another one.
    """

    id: str
    labels: Mapping[str, str]
    words: int
    axes: Mapping[str, int] = field(default_factory=dict)
    criterion_words: Sequence[int] = ()
    topics: Sequence[str] = ()
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Given:
    """What one file holds. name: of the file, without its suffix. records: all its judgements.

    references: the agents whose reports others are held against. prices: mean USD of a question,
    by its operation and model; None where nobody knows it.
    """

    name: str
    records: Sequence[Judged] = ()
    tasks: Sequence[TaskFacts] = ()
    references: Sequence[str] = ()
    prices: Mapping[tuple[str, str], float | None] = field(default_factory=dict)


class RankingOrReason(NamedTuple):
    """The ranking by one protocol, or why there is none, as a clause."""

    board: Board | None
    why: str


@dataclass(frozen=True)
class PaperMaterial:
    """Everything that tables of papers are made of; what is empty was not given.

    profiles: families of agents. decisions: scores and verdicts of people. labels: verdicts of
    people on criteria. leakage: the averages that `tasks leakage` writes.
    """

    given: Sequence[Given]
    reports: Sequence[MeasuredReport] = ()
    profiles: Profiles = field(default_factory=dict)
    decisions: Decisions = field(default_factory=Decisions)
    labels: Mapping[CriterionPlace, str] = field(default_factory=dict)
    leakage: Sequence[Row] = ()

    @cached_property
    def records(self) -> list[Judged]:
        """The judgements of all files."""
        return [record for each in self.given for record in each.records]

    @cached_property
    def tasks(self) -> list[TaskFacts]:
        """The tasks of all files, each once. Raises BadInput without any."""
        found = {task.id: task for each in self.given for task in each.tasks}
        if not found:
            raise BadInput("No tasks are given.", "Name a run file or a file of tasks.")
        return list(found.values())

    def judged(self, base: str) -> tuple[list[Judged], str]:
        """The judgements by a protocol without options, else by its only variant; or why none.

        Of both editions, those of `paper`.
        """
        variants: defaultdict[str, list[Judged]] = defaultdict(list)
        for each in self.records:
            if without_options(each.protocol) == base:
                variants[each.protocol].append(each)
        plain = [name for name in sorted(variants, key=len) if without_edition(name) == base]
        if chosen := plain or (list(variants) if len(variants) == 1 else []):
            return variants[chosen[0]], ""
        if not variants:
            return [], f"nobody was judged by {base}"
        return [], f"{base} was judged with options only; choose one with --protocol"

    def exactly(self, protocol: str) -> list[Judged]:
        """The judgements by a protocol with these options; of both editions, those of `paper`.

        Raises BadInput for unequal recipes.
        """
        own = [each for each in self.records if without_edition(each.protocol) == protocol]
        first = min((each.protocol for each in own), key=len, default="")
        chosen = [each for each in own if each.protocol == first]
        check_recipes(first, chosen, "Name the runs of one judge.")
        return chosen

    def found(self, base: str) -> RankingOrReason:
        """The ranking by a protocol over all tasks. Raises BadInput for unequal recipes."""
        records, why = self.judged(base)
        return RankingOrReason(ranked(records)[0], "") if records else RankingOrReason(None, why)

    def by_label(self, base: str, label: str) -> tuple[dict[str, Board], str]:
        """The rankings by a protocol for each value of a label of tasks; or why there are none."""
        records, why = self.judged(base)
        if not records:
            return {}, why
        if not any(label in each.labels for each in records):
            return {}, f"no task has a label {label}"
        boards = ranked(records, label)
        return {board.label[1]: board for board in boards if board.label is not None}, ""

    def agents(self, *found: RankingOrReason) -> list[str]:
        """Everyone who is ranked, in the order of the first ranking that has them.

        Raises BadInput where there is no ranking, with the reasons.
        """
        rows = (row.agent for each in found if each.board for row in each.board.standings)
        if agents := list(dict.fromkeys(rows)):
            return agents
        whys = "; ".join(dict.fromkeys(each.why for each in found))
        raise BadInput(
            f"Nothing that this table counts is there: {whys}.",
            "Evaluate with the protocol, or name another run file.",
        )

    def sections(self, agents: Sequence[str]) -> list[tuple[str, list[str]]]:
        """The agents of each family, families in the order of their file; one without a file.

        Raises BadInput for an agent that the file lacks.
        """
        if not self.profiles:
            return [("", list(agents))]
        if strange := [agent for agent in agents if agent not in self.profiles]:
            raise BadInput(
                f"The file of agents does not name {', '.join(strange)}.",
                "Give each a row with its family.",
            )
        return [*by_family(agents, self.profiles, lambda agent: agent).items()]


PUBLISHED_TOO: Final = (
    "Name the files of one judge and one recipe; of published files, --judged-by says who judged."
)


def ranked(records: Sequence[Judged], by: str | None = None) -> tuple[Board, ...]:
    """`rank` for a table that holds one recipe. Raises BadInput for several, saying what to do."""
    try:
        return rank(records, by=by)
    except BadInput as error:
        raise BadInput(error.problem, PUBLISHED_TOO) from None


def without_edition(protocol: str) -> str:
    """The protocol without its edition: `race(vanilla=True)`."""
    name, _, options = protocol.partition("(")
    kept = [each for each in options[:-1].split(", ") if each and not each.startswith("edition=")]
    return f"{name}({', '.join(kept)})" if kept else name


def edition_of(records: Iterable[Judged]) -> str:
    """The edition by which these were judged."""
    return next((e.signature.edition for e in records), "paper")


def judges_in(board: Board) -> str:
    """Who judged, as one name."""
    judges = board.recipes[0].identity.get("judges", [])
    return " and ".join(str(judge["model"]) for judge in judges) or "not stated"


def basis(*named: tuple[str, Board | None]) -> tuple[str, ...]:
    """Sentences on what columns rest on: who judged what, over how many tasks, what is missing.

    named: what a ranking is called in the table, and the ranking.
    """
    there = [(what, board) for what, board in named if board is not None]
    shared = notes_on(*(board for _, board in there))
    return (*shared, *(note for what, board in there for note in _own_notes(what, board)))


def _own_notes(what: str, board: Board) -> Iterator[str]:
    edition = board.recipes[0].edition
    tasks = tasks_expected(board)
    recipe = f"{without_edition(board.protocol)}, edition {edition}, judge {judges_in(board)}"
    yield f"{what}: {recipe}, tasks: {tasks}."
    thin = [row for row in board.standings if not is_whole(row)]
    if thin:
        counts = (f"{row.agent} {scored_of(row.summary.judgements)}" for row in thin)
        yield f"{what}, judgements scored of expected: {', '.join(counts)}; the rest is left out."
    if unplaced := _unplaced(board):
        yield f"{what}, without a place: {', '.join(unplaced)}."


def _unplaced(board: Board) -> list[str]:
    """Who has a mean and no place: the reference, and who was scored in too few tasks."""
    return [
        f"{row.name} (scored in {scored_of(row.summary.tasks)} tasks)"
        for row in board.standings
        if row.reads and row.summary.mean is not None and row.ranks is None
    ]


def boards_by_recipe(records: Sequence[Judged]) -> list[Board]:
    """A ranking for each recipe, recipes in the order in which they come."""
    recipes: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in records:
        recipes[each.signature.digest].append(each)
    return [ranked(own)[0] for own in recipes.values()]


def agents_placed(board: Board | None) -> frozenset[str]:
    """The agents that have a place on a board: not the reference, nor who has too few scores."""
    return frozenset(row.agent for row in (board.standings if board else ()) if row.ranks)


def with_remarks(table: Table, board: Board | None) -> Table:
    """The table with agents named as on the board: which of them is the reference."""
    names = {row.agent: row.name for row in (board.standings if board else ())}
    rows = tuple((names.get(row[0], row[0]), *row[1:]) for row in table.rows)
    return replace(table, rows=rows)


UNDEFINED: Final = "undefined here"
"""Why there is no number although all that it is made of is there."""


class Cells:
    """Cells of one table. What has no number is a dash, and `notes` say why."""

    def __init__(self) -> None:
        self._why: defaultdict[str, list[str]] = defaultdict(list)

    def number(self, value: float | None, digits: int, why: str, of: str = "") -> str:
        """A number with so many decimals. of: whose it is, or would be."""
        return decimals(value, digits) if value is not None else self.dash(why, of)

    def dash(self, why: str, of: str = "") -> str:
        """What stands where there is no number."""
        if of not in self._why[why]:
            self._why[why].append(of)
        return NONE

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each reason why cells hold a dash, with the agents it is about."""
        return tuple(
            f"{NONE} {', '.join(filter(None, of))}: {why}." if any(of) else f"{NONE}: {why}."
            for why, of in self._why.items()
        )


BEST: Final = "**"
SECOND: Final = "* "
PLAIN: Final = "  "
"""Marks of numbers, two characters wide, so that digits stay below each other."""


def first_and_second(values: Sequence[float | None]) -> list[str]:
    """The marks of the highest and of the second highest values of a column."""
    known = [value for value in values if value is not None]
    marks = {1: BEST, 2: SECOND}
    return [PLAIN if v is None else marks.get(place(v, known), PLAIN) for v in values]


def sectioned(
    sections: Iterable[tuple[str, Sequence[tuple[str, ...]]]], width: int
) -> Iterator[tuple[str, ...]]:
    """Rows under the name of each section, where it has one. width: cells of a row."""
    for name, rows in sections:
        if name:
            yield name, *[""] * (width - 1)
        yield from rows
