"""Outcomes made of the columns of a run file, without the words that only people read.

Half a million scores fit into memory as their numbers do: what they share is made once. A ranking
needs values, and of the evidence only what bounds them, who of a panel said what, and whether
citations were counted; figures and calibrations need parts, counts and the verdicts of items too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from deepassay.results.evidence import EvidenceItem
from deepassay.runfile.columns import NUMBERS
from deepassay.runfile.shapes import check_shape
from deepassay.score import Cause, Json, Score, Unscored, canonical_json, is_possible

T = TypeVar("T")

STRANGE: Final = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""What comes of columns that no run wrote."""

MOST: Final = 200_000
"""Values that are held ready, to be shared by those that come after."""


class Extent(Enum):
    """How much of an outcome is read: for ranks, for figures, or all of it, with its words."""

    RANKS = "ranks"
    FIGURES = "figures"
    WORDS = "words"


_RANKED: Final = (*NUMBERS, "cause", "detail", "partial", "said", "voices", "counts")
"""The last makes outcomes differ for ranks only by whether it is there."""

READ: Final = {Extent.RANKS: _RANKED, Extent.FIGURES: (*_RANKED, "parts", "list", "marks")}
"""The columns that are read, besides those that say which outcome it is."""

_BOUNDING: Final = ("statements_by", "agreement", "baseline", "open", "not_asked")
"""Of what was said beside numbers: what bounds a score, or says by whom it is."""

_NONE: Final[Mapping[str, float | None]] = {}
_PAIRS: Final = (("bounds", "lowest", "highest"), ("tally", "met", "of"))

Columns = Mapping[str, Any]


class Outlines:
    """Makes outcomes of rows. extent: of RANKS or FIGURES. shared: see `runfile.columns`.

    quoted: protocols and agents of whom words were quoted.
    """

    def __init__(self, extent: Extent, shared: Mapping[str, Json]) -> None:
        self._ranks = extent is Extent.RANKS
        self._names = READ[extent]
        self._shared = shared
        self._made: dict[Any, Any] = {}
        self.quoted: set[tuple[str, str]] = set()

    def of(
        self, protocols: Sequence[str], agents: Sequence[str], columns: Sequence[Sequence[Any]]
    ) -> Sequence[Score | Unscored | None]:
        """Outcomes of which these are the columns, see READ; JSON is there as text.

        None where words of one are quoted, and for what no run wrote.
        """
        if not self._ranks:
            whose = zip(protocols, agents, strict=True)
            return [*map(self._read, whose, zip(*columns, strict=True))]
        # Of a few checks many reports have the same outcome: it is one object then.
        *told_apart, counts = columns
        kinds = (map(type, own) for own in columns[: len(NUMBERS)])  # 1 and 1.0 are two numbers
        keys = [*zip(*told_apart, (each is None for each in counts), *kinds, strict=True)]
        found = [*map(self._made.get, keys)]
        for place, key in enumerate(keys):
            if found[place] is None:
                row = [own[place] for own in columns]
                found[place] = self._once(key, partial(self._read, None, row))
        return found

    def _read(
        self, whose: tuple[str, str] | None, columns: Sequence[Any]
    ) -> Score | Unscored | None:
        """One of them. whose: protocol and agent, where words may be quoted."""
        named = zip(self._names, columns, strict=True)
        row = {name: each for name, each in named if each is not None}
        try:
            return None if whose and self._quotes(whose, row) else self._outcome(row)
        except STRANGE:
            return None  # reading all of it says what is wrong

    def _outcome(self, row: Columns) -> Score | Unscored:
        said, voices, counts = row.get("said"), row.get("voices"), row.get("counts")
        low, high = row.get("low"), row.get("high")
        if self._ranks:
            counts = None if counts is None else "{}"
            if voices is None and not row["partial"]:  # then nothing reads them
                low = high = None
        items = None if self._ranks else (row.get("list"), row.get("marks"))
        key = (said, voices, counts, repr(low), repr(high), items)
        details = self._once(key, lambda: self._details(row, said, voices, counts, low, high))
        if "cause" in row:
            return Unscored(Cause(row["cause"]), row.get("detail", ""), details)
        bounds, tally = (self._pair(row.get(one), row.get(two)) for _, one, two in _PAIRS)
        parts = None if self._ranks else row.get("parts")
        if not is_possible(row["value"], bounds):
            raise ValueError("a value that no score has")
        return Score(
            row["value"],
            bounds,
            _NONE if parts is None else self._once(parts, lambda: _numbers(parts)),
            tally,
            details,
        )

    def _quotes(self, whose: tuple[str, str], row: Columns) -> bool:
        """Whether words of it are quoted: for figures, those of the first outcome with items of
        an agent by a protocol, because captions say what is asked.
        """
        if whose in self.quoted:
            return False
        lists = [row["list"]] if "list" in row else []
        if "voices" in row:
            lists += [each["list"] for each in json.loads(row["voices"]).values() if "list" in each]
        if found := any(self._shared[name] for name in lists):
            self.quoted.add(whose)
        return found

    def _pair(self, one: float | None, two: float | None) -> tuple[float, float] | None:
        """Both as they were written: 1 and 1.0 are two numbers."""
        if one is None or two is None:
            return None
        pair = one, two
        return self._once(repr(pair), lambda: pair)

    def _details(
        self,
        row: Columns,
        said: str | None,
        voices: str | None,
        counts: str | None,
        low: float | None,
        high: float | None,
    ) -> dict[str, Json]:
        columns = {"said": said, "voices": voices, "counts": counts}
        plain = {name: json.loads(text) for name, text in columns.items() if text is not None}
        plain |= {name: end for name, end in (("low", low), ("high", high)) if end is not None}
        if not self._ranks and "list" in row:
            plain |= {"list": row["list"], "marks": json.loads(row["marks"])}
        details = self._of_columns(plain)
        check_shape("details", details)  # a run file may come from anybody
        for own in (details, *(each["details"] for each in details.get("judges", {}).values())):
            if own.get("items"):
                own["items"] = self._items(own["items"])
        return details

    def _of_columns(self, plain: Columns) -> dict[str, Json]:
        """The details of an outcome, or of what a judge said. plain: columns as plain JSON."""
        said = plain.get("said", {})
        if self._ranks:
            said = {name: said[name] for name in _BOUNDING if name in said}
        details = dict(said)
        details |= {name: plain[name] for name in ("low", "high", "counts") if name in plain}
        if self._ranks and "counts" in details:
            details["counts"] = {}
        if not self._ranks and "list" in plain:
            pairs = zip(self._shared[plain["list"]], plain["marks"], strict=True)
            details["items"] = [item | mark for item, mark in pairs]
        if "voices" in plain:
            details["judges"] = {judge: self._voice(own) for judge, own in plain["voices"].items()}
        return details

    def _voice(self, plain: Columns) -> dict[str, Json]:
        """What one judge said, as `Said.of` reads it."""
        found = {name: plain[name] for name in ("value", "cause", "detail") if name in plain}
        if not self._ranks and "parts" in plain:
            found["parts"] = plain["parts"]
        found |= {name: [plain[one], plain[two]] for name, one, two in _PAIRS if one in plain}
        return found | {"details": self._of_columns(plain)}

    def _items(self, items: Sequence[Json]) -> Sequence[Json]:
        """The items as they are read; equal ones are one object."""
        try:
            return tuple(
                self._once(
                    ("item", canonical_json(each)), partial(EvidenceItem.model_validate, each)
                )
                for each in items
            )
        except ValidationError:  # no items at all: who reads them says so
            return items

    def _once(self, key: Any, make: Callable[[], T]) -> T:  # noqa: ANN401 - whatever can be hashed
        """What was made under this key, or what is made now."""
        try:
            found: T = self._made[key]
        except KeyError:
            found = make()
            if len(self._made) < MOST:
                self._made[key] = found
        return found


def _numbers(text: str) -> dict[str, float | None]:
    """The parts of a score by their names, out of JSON. Raises BadShape for anything else."""
    found: dict[str, float | None] = json.loads(text)
    check_shape("numbers", found)
    return found
