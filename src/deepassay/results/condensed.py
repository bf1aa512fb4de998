"""Scores without the words, so that half a million fit into memory: as figures need them, or bare.

Figures and calibrations need all but what only people read: wording, reasons, quotes and places of
items, and pages.
The first score with items of an agent by a protocol keeps its words, because captions quote what is
asked. Bare, as a ranking needs it, a score has neither items nor parts, and of its evidence only
what bounds it, who of a panel said what, and whether citations were counted.
What scores share is held once.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from sys import intern
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import ValidationError
from pydantic_core import SchemaValidator, core_schema

from deepassay.results.evidence import RELEASED_COUNTS, EvidenceItem
from deepassay.runfile import StoredScore
from deepassay.runfile.shapes import ANY, DETAILS, OUTCOME, PLACE, RECORD, by_name, listed, maybe
from deepassay.score import Json, Score, Unscored, canonical_json, from_json

_Schema = core_schema.CoreSchema
T = TypeVar("T")


def _object(*names: str, **fields: _Schema) -> _Schema:
    """A JSON object of which these entries are taken as they stand, and no others are read."""
    known = {name: _KNOWN.get(name, ANY) for name in names} | fields
    entries = {
        name: core_schema.typed_dict_field(each, required=False) for name, each in known.items()
    }
    return core_schema.typed_dict_schema(entries, extra_behavior="ignore")


_KNOWN: Final = {**OUTCOME, **DETAILS, **PLACE, **RECORD}
"""What these entries hold; of others, what figures make of them says whether they can be read."""


def _items() -> _Schema:
    names = ("key", "axis", "weight", "mandatory", "score", "verdict", "cause", "depth")
    item = dict.fromkeys(names, ANY)
    return maybe(listed(_object(**item)))


_DETAILS: Final = (
    *("counts", "statements_by", RELEASED_COUNTS, "page_classes", "funnel", "errors", "agreement"),
    *("baseline", "winner", "games", "consistent", "totals", "low", "high", "open", "issues"),
    *("quirks", "not_asked", "ratings", "correct"),
)
"""Entries that `Evidence` reads, but for items and judges, summary and pages."""

_BARE_DETAILS: Final = (
    *("statements_by", "agreement", "baseline", "low", "high", "open", "not_asked"),
)
"""Those that bound a score, or say by whom it is; of counts it is kept that there are some."""

_BARE: Final = ("value", "bounds", "tally", "cause", "detail")
_OUTCOME: Final = (*_BARE, "parts")
_PLACE: Final = ("protocol", "agent", "task", "sample", "repeat")
_place_of: Final = itemgetter(*_PLACE)


def _score(outcome: tuple[str, ...], *names: str, **details: _Schema) -> SchemaValidator:
    """A body of the table `scores` with these entries in its outcome and in the details of that."""
    said = _object(*outcome, details=_object(*names, **details))
    judges = maybe(by_name(said))
    whole = _object(*outcome, details=_object(*names, **details, judges=judges))
    record = _object("version", "converter", "made", "served")
    return SchemaValidator(_object(*_PLACE, record=record, outcome=whole))


_SCORE: Final = _score(_OUTCOME, *_DETAILS, items=_items())
_BARE_SCORE: Final = _score(_BARE, *_BARE_DETAILS, counts=maybe(_object()))

MOST: Final = 200_000
"""Values that are held ready, to be shared by those that come after."""


_NONE: Final[Mapping[str, float | None]] = {}

Place = tuple[str, str, str, int, int]
"""Protocol, agent, task, sample and repeat."""


class ReadScore(NamedTuple):
    """An outcome of a run file.

    identity: None where it is that of its protocol. record: see `Signature`; shared: whether it is
    the same object in all scores that have the same.
    """

    place: Place
    outcome: Score | Unscored
    identity: Json | None
    record: Mapping[str, Json]
    shared: bool = False


class Condenser:
    """Reads the outcomes of one run. identities: of the scores of each protocol.

    whole: reads one with all that it says. bare: as a ranking needs them.
    """

    def __init__(
        self,
        identities: Mapping[str, Json],
        whole: Callable[[bytes], StoredScore],
        *,
        bare: bool = False,
    ) -> None:
        self._whole = whole
        self._bare = bare
        self._schema = _BARE_SCORE if bare else _SCORE
        self._identities = {
            name: f'"identity":{canonical_json(each)},"key":'.encode("utf-8", "surrogatepass")
            for name, each in identities.items()
        }
        self._quoted: set[tuple[str, str]] = set()
        self._items: dict[bytes, EvidenceItem] = {}
        self._shared: dict[bytes, Any] = {}

    def read(self, content: bytes) -> ReadScore:
        """The outcome that a body of the table `scores` holds. Raises BadRow for what is none."""
        try:
            score = self._schema.validate_json(content)
            return self._read_score(score, content)
        except (ValidationError, LookupError, ValueError):
            # Half a character, details that no figure can be made of, or no score at all.
            return in_full(self._whole(content))

    def _read_score(self, score: dict[str, Json], content: bytes) -> ReadScore:
        protocol, agent, task, sample, repeat = _place_of(score)
        outcome = score["outcome"]
        identity = self._identities.get(protocol)
        if identity is None or identity not in content:
            return in_full(self._whole(content))
        record = self._same(score["record"])
        if not self._bare and self._quotes((protocol, agent), outcome):
            whole = in_full(self._whole(content))
            return whole._replace(identity=None, record=record, shared=True)
        place = (intern(protocol), intern(agent), intern(task), sample, repeat)
        return ReadScore(place, self._condensed(outcome), None, record, shared=True)

    def _quotes(self, whose: tuple[str, str], outcome: Mapping[str, Json]) -> bool:
        """Whether this is the first score with items of an agent by a protocol."""
        if whose in self._quoted:
            return False
        sides = (outcome, *(outcome["details"].get("judges") or {}).values())
        if found := any(each["details"].get("items") for each in sides):
            self._quoted.add(whose)
        return found

    def _condensed(self, outcome: dict[str, Json]) -> Score | Unscored:
        details = outcome["details"]
        if self._bare:
            if not (details.get("open") or details.get("judges")):  # then nothing reads them
                details.pop("low", None)
                details.pop("high", None)
            details = outcome["details"] = self._same(details)
        else:
            self._share(outcome)
            for own in (details.get("judges") or {}).values():
                self._share(own)
        if "cause" in outcome:
            return from_json(outcome)
        bounds, tally = outcome["bounds"], outcome["tally"]
        return Score(
            outcome["value"],
            bounds and self._same(tuple(bounds)),
            outcome.get("parts", _NONE),
            tally and self._same(tuple(tally)),
            details,
        )

    def _share(self, outcome: dict[str, Json]) -> None:
        """Put one value in place of all that are the same."""
        details = outcome["details"]
        if parts := outcome.get("parts"):
            outcome["parts"] = self._same(parts)
        for name in ("counts", "page_classes"):
            if counted := details.get(name):
                details[name] = self._same(counted)
        if items := details.get("items"):
            details["items"] = self._read(items)

    def _read(self, items: list[dict[str, Json]]) -> Sequence[Json]:
        found = []
        for item in items:
            key = _key(item)
            each = self._items.get(key)
            if each is None:
                try:
                    each = _kept(self._items, key, EvidenceItem.model_validate(item))
                except ValidationError:  # no items at all
                    return items
            found.append(each)
        return tuple(found)

    def _same(self, value: Json) -> Json:
        key = _key(value)
        known = self._shared.get(key)
        return _kept(self._shared, key, value) if known is None else known


def _kept(held: dict[bytes, T], key: bytes, value: T) -> T:
    if len(held) < MOST:
        held[key] = value
    return value


def _key(value: Json) -> bytes:
    """Bytes that tell values apart: also 0 from 0.0, from -0.0 and from False."""
    return marshal.dumps(value, 2)  # later versions depend on who else holds a value


def in_full(score: StoredScore) -> ReadScore:
    """An outcome with all that it says."""
    return ReadScore(score.place, from_json(score.outcome), score.identity, score.record)
