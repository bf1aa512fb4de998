"""What stands first in files: who is ahead and how sure that is, agents by tasks, recipe and cost.

It is made of what ranks need alone, so that it is there long before reports are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from deepassay.results.aggregate import Count, verdicts_of
from deepassay.results.opening import contests_of, opening_of
from deepassay.results.ranking import ArrangedBoards, Board, arranged
from deepassay.results.records import NO_READING, Judged, by_protocol, judges_of
from deepassay.results.shortfalls import shortfalls
from deepassay.results.surface import is_surface
from deepassay.results.tables import Table
from deepassay.runfile import RunFile
from deepassay.score import Cause, ReportKey, canonical_json, report_key
from deepassay.wings.view.heat import HeatMap, maps_of
from deepassay.wings.view.judges import judges_in_words
from deepassay.wings.view.room import Place, Room
from deepassay.wings.view.standing import AgentBoard, agent_board

Pairs = tuple[tuple[str, str], ...]
"""Names and values."""


@dataclass(frozen=True)
class ShownRecipe:
    """How the scores of a protocol were made; records: what else is known, each once."""

    protocol: str
    digest: str
    identity: Pairs
    records: tuple[str, ...]


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run as a whole.

    spent: USD, as far as known; unpriced: some of it is not. usage: tokens by kind. attempts: by
    the kind of end they came to.
    """

    name: str
    configuration: Pairs
    spent: float
    unpriced: bool
    usage: Mapping[str, int]
    attempts: Mapping[str, int]

    @property
    def cost(self) -> str:
        """What it cost, as far as known."""
        return cost_told(f"{self.spent:.4f}", self.spent, unpriced=self.unpriced)


class Front:
    """What can be said before a report is read. places: where the reports are."""

    def __init__(
        self,
        boards: Sequence[Board],
        records: Sequence[Judged],
        room: Room,
        places: Mapping[ReportKey, Place],
    ) -> None:
        self.boards = boards
        self.records = records
        self._places = places
        self.runs = [_facts(run.file, room.names[run.number]) for run in room]
        self._dates = {str(run.file.configuration.get("date") or "") for run in room}

    @cached_property
    def _found(self) -> ArrangedBoards:
        return arranged(self.boards)

    @property
    def read_off(self) -> tuple[Table, ...]:
        """Tables of what code reads off reports."""
        return self._found.read_off

    @property
    def by_model(self) -> bool:
        """Whether these stand after the board: a model judged."""
        return self._found.by_model

    @property
    def unread(self) -> str:
        """By which protocols the means say nothing of who is better; empty where all do."""
        names = dict.fromkeys(board.protocol for board in self._found.closed)
        told = f"{NO_READING.capitalize()} by {', '.join(names)}: the offline rule judged there, "
        return f"{told}and cannot tell good reports from bad ones." if names else ""

    @cached_property
    def opening(self) -> tuple[str, ...]:
        """Who judged, who is ahead of whom, and how sure that is."""
        ranked = [*self._found.opened, *self._found.closed] or self.boards
        told = opening_of(self._found, *contests_of(ranked, self.records))
        return (*shortfalls(*self.boards), *told)

    @cached_property
    def board(self) -> AgentBoard:
        """Agents by protocols that say who is better, or by all where none does."""
        return agent_board(0, [each for each in self.boards if not is_surface(each.protocol)])

    @cached_property
    def protocols(self) -> list[str]:
        """All that something was judged by, in their order."""
        return [*by_protocol(self.records)]

    @cached_property
    def maps(self) -> list[HeatMap]:
        """Agents by tasks under each protocol."""
        return maps_of(by_protocol(self.records), self._places)

    @cached_property
    def judgements(self) -> Count:
        """Those of single judges, as `leaderboard` counts them, also within a panel."""
        verdicts = [verdict for each in self.records for verdict in verdicts_of(each)]
        causes = sum(isinstance(verdict, Cause) for verdict in verdicts)
        return Count(len(verdicts) - causes, len(verdicts))

    @property
    def failed(self) -> int:
        """How many judgements have no score."""
        return self.judgements.expected - self.judgements.scored

    @cached_property
    def unasked(self) -> int:
        """How many judgements no judge is asked for: those of code, and of references."""
        return sum(
            len(verdicts_of(each))
            for each in self.records
            if each.is_reference or judges_of(each.signature) in ([], ["none"])
        )

    @cached_property
    def judges(self) -> str:
        """Who judged, in the words of a sentence."""
        recipes = {id(each.signature): each.signature for each in self.records}
        return judges_in_words(
            name for recipe in recipes.values() for name in judges_of(recipe) or ["none"]
        )

    @property
    def date(self) -> str:
        """The days that runs were made for, as they were given."""
        return ", ".join(sorted(filter(None, self._dates)))

    @cached_property
    def counts(self) -> Pairs:
        """How much of what there is."""
        records = self.records
        spent = sum(run.spent for run in self.runs)
        unpriced = any(run.unpriced for run in self.runs)
        numbers = [
            ("agents", len({each.agent for each in records})),
            ("tasks", len({each.task for each in records})),
            ("protocols", len(self.protocols)),
        ]
        written = len(self._places)
        expected = len({*map(report_key, records), *self._places})
        scored = f"{self.judgements.scored:,} of {self.judgements.expected:,}"
        without = f" ({self.unasked:,} need no judge)" if self.unasked else ""
        return (
            *((name, f"{number:,}") for name, number in numbers),
            ("reports", f"{written:,}" + f" of {expected:,}" * (written < expected)),
            ("judgements scored", scored + without),
            ("cost", cost_told(f"${spent:,.2f}", spent, unpriced=unpriced)),
            ("run files", ", ".join(run.name for run in self.runs)),
        )

    @cached_property
    def recipes(self) -> list[ShownRecipe]:
        """The recipes of every board, with the different records that were kept of the protocol."""
        kept: dict[str, dict[str, None]] = {}
        recorded = {(each.protocol, id(each.signature)): each for each in self.records}
        for each in recorded.values():
            about = {key: value for key, value in each.signature.record.items() if key != "pages"}
            if about:
                kept.setdefault(each.protocol, {}).setdefault(canonical_json(about))
        return [
            ShownRecipe(
                board.protocol,
                recipe.digest,
                tuple((key, _told(value)) for key, value in recipe.identity.items()),
                tuple(kept.get(board.protocol, ())),
            )
            for board in self.boards
            for recipe in board.recipes
        ]


def cost_told(written: str, spent: float, *, unpriced: bool) -> str:
    """What runs cost. spent: USD, as far as known, and how that is written."""
    if unpriced and not spent:
        return "at an unknown price"
    return f"{'at least ' * unpriced}{written}"


def _told(value: object) -> str:
    return value if isinstance(value, str) else canonical_json(value)


def _facts(run: RunFile, name: str) -> RunFacts:
    configuration = tuple((key, _told(value)) for key, value in run.configuration.items())
    return RunFacts(name, configuration, run.spent(), run.unpriced(), run.usage(), run.attempts())
