"""An outcome in columns: numbers, verdicts and names by themselves, words in what is left of it.

Rankings, comparisons and figures read columns, and so does anybody with SQLite; wording, reasons,
quotes and places stay in the body. What stands in a column stands nowhere else, so that nothing has
to agree with anything. `split` only moves what it finds, so `joined` gives it back to the byte of
its canonical JSON. An outcome with numbers or texts that no column can hold is kept whole.

`in_sql` writes what is split, and `put_in_columns` splits what an earlier version kept as one body.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import copysign
from pathlib import Path
from typing import Any, Final

from deepassay.errors import BadRow, Notice
from deepassay.runfile.rows import Bodies, Body, StoredScore
from deepassay.runfile.seals import keep_seals, sealed
from deepassay.runfile.shapes import BadShape, check_shape
from deepassay.score import MOST, Json, digest, strict_json

PLACE: Final = ("protocol", "agent", "task", "sample", "repeat")
NUMBERS: Final = ("value", "lowest", "highest", "low", "high", "met", "of")
"""Columns without a type: SQLite would make 1.0 of 1, or 1 of 1.0, in one that has any."""

_PAIRS: Final = (("bounds", ("lowest", "highest")), ("tally", ("met", "of")))
_TEXTS: Final = ("cause", "detail")
SAID: Final = (
    *("open", "again", "statements_by", "agreement", "baseline", "not_asked", "winner", "games"),
    *("consistent", "totals", "issues", "quirks", "page_classes", "funnel", "errors"),
    *("released_counts", "ratings", "correct"),
)
"""Entries of details that figures read, besides those that have a column of their own."""

_SAME: Final = ("key", "axis", "dimension", "weight", "mandatory", "reference", "depth")
"""What an item has in all reports of a task: one list of these serves them all."""
_OWN: Final = ("score", "verdict", "cause")
"""What was decided of an item. Its words stay in the body."""
_SIDES: Final = dict.fromkeys(_SAME, 0) | dict.fromkeys(_OWN, 1)

_SHARED: Final = ("recipe", "record", "list")
_JSON: Final = ("counts", "parts", "marks", "said", "pages", "voices")
COLUMNS: Final = (
    *("value", "cause", "detail", "open", "partial"),
    *("lowest", "highest", "low", "high", "met", "of"),
    *(*_SHARED, *_JSON),
)
"""Those of the table `outcomes` between the place and the body, in their order.

open: `End.mark`. partial: whether a judge or an item is unscored. recipe, record, list: digests of
texts in `shared`: the identity of the score, its record without pages, and its items.
counts, parts: as the outcome has them. marks: score, verdict and cause of each item, in their
order. said: other entries of details. pages: of the record. voices: of a panel, what each judge
said in the same columns, without open and partial. An outcome that is kept whole has no recipe.
"""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class InColumns:
    """An outcome as it is written. shared: texts by their digests. body: what is in no column."""

    columns: dict[str, Any]
    shared: dict[str, str]
    body: Json

    @classmethod
    def of(cls, kept: Mapping[str, Json], mark: int) -> InColumns:
        """Of outcome, identity and record, all JSON, with tuples for lists. mark: see `End`."""
        outcome = kept["outcome"]
        partial = _is_partial(outcome.get("details") or {})
        whole = {"cause": outcome.get("cause"), "open": mark, "partial": partial}
        found, rest = split(outcome)
        if ("value" in found) == ("cause" in found) or _leaves_numbers(rest):
            return cls(whole, {}, dict(kept))
        shared: dict[str, str] = {}
        record = dict(kept["record"])
        if record.get("pages") is not None:
            found["pages"] = record.pop("pages")
        try:
            columns = _named(found | {"recipe": kept["identity"], "record": record}, shared)
            texts = {name: strict_json(columns[name]) for name in _JSON if name in columns}
        except (TypeError, ValueError, RecursionError):  # who packs the whole says what is wrong
            return cls(whole, {}, dict(kept))
        words = [columns[name] for name in _TEXTS if name in columns]
        if not _are_texts(*words, *texts.values(), *shared.values()):
            return cls(whole, {}, dict(kept))
        return cls(columns | texts | {"open": mark, "partial": partial}, shared, rest)


def _is_partial(details: Mapping[str, Json]) -> int:
    """Whether a judge or an item is unscored, as 1 or 0."""
    judges = details.get("judges")
    voices = [*judges.values()] if isinstance(judges, dict) else []
    return int(
        bool(details.get("open"))
        or any(
            "cause" in each or bool((each.get("details") or {}).get("open"))
            for each in voices
            if isinstance(each, dict)
        )
    )


def _leaves_numbers(rest: Mapping[str, Json]) -> bool:
    """Whether the rest has numbers that who reads columns would miss: -0.0, or very large ones."""
    details = rest.get("details")
    details = details if isinstance(details, dict) else {}
    judges = details.get("judges")
    names = ("value", *(name for name, _ in _PAIRS))
    return (
        any(rest.get(name) is not None for name in names)
        or any(details.get(name) is not None for name in ("low", "high"))
        or (
            isinstance(judges, dict)
            and any(_leaves_numbers(each) for each in judges.values() if isinstance(each, dict))
        )
    )


def _are_texts(*texts: str) -> bool:
    """Whether none of them has half a character, which SQLite refuses."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True


def name_of(text: str) -> str:
    """Under which a text of the table `shared` stands: hexadecimal, 16 characters of its digest."""
    return digest(text)[:16]


def _named(found: Mapping[str, Any], shared: dict[str, str]) -> dict[str, Any]:
    """Columns with digests in place of what is shared, which is put there."""
    columns = dict(found)
    for name in _SHARED:
        if name in columns:
            text = strict_json(columns[name])
            columns[name] = name_of(text)
            shared[columns[name]] = text
    if "voices" in columns:
        columns["voices"] = {judge: _named(own, shared) for judge, own in found["voices"].items()}
    return columns


def split(outcome: Mapping[str, Json]) -> tuple[dict[str, Any], dict[str, Json]]:
    """Columns by their names, of which absent ones are left out, and the rest of the outcome."""
    rest = dict(outcome)
    found: dict[str, Any] = {}
    if _is_number(rest.get("value")):
        found["value"] = rest.pop("value")
    found |= {name: rest.pop(name) for name in _TEXTS if isinstance(rest.get(name), str)}
    for name, ends in _PAIRS:
        pair = rest.get(name)
        if isinstance(pair, list | tuple) and len(pair) == 2 and all(map(_is_number, pair)):
            found |= zip(ends, rest.pop(name), strict=True)
    if rest.get("parts"):
        found["parts"] = rest.pop("parts")
    if not isinstance(rest.get("details"), dict):
        return found, rest
    details = rest["details"] = dict(rest["details"])
    found |= {name: details.pop(name) for name in ("low", "high") if _is_number(details.get(name))}
    if details.get("counts") is not None:
        found["counts"] = details.pop("counts")
    if said := {name: details.pop(name) for name in SAID if name in details}:
        found["said"] = said
    items = details.get("items")
    if isinstance(items, list | tuple) and all(isinstance(each, dict) for each in items):
        sides: tuple[list[Json], ...]
        sides = found["list"], found["marks"], details["items"] = [], [], []
        for each in items:
            parted: tuple[dict[str, Json], ...] = ({}, {}, {})
            for name, value in each.items():
                parted[_SIDES.get(name, 2)][name] = value
            for side, part in zip(sides, parted, strict=True):
                side.append(part)
    judges = details.get("judges")
    if (
        judges
        and isinstance(judges, dict)
        and all(isinstance(each, dict) for each in judges.values())
    ):
        each = {judge: split(own) for judge, own in judges.items()}
        found["voices"] = {judge: columns for judge, (columns, _) in each.items()}
        details["judges"] = {judge: left for judge, (_, left) in each.items()}
    return found, rest


def _is_number(value: Json) -> bool:
    """Whether SQLite gives back the same number: none too large, no -0.0."""
    if type(value) is float:
        return abs(value) <= MOST and (value != 0 or copysign(1, value) > 0)
    return type(value) is int and -(2**63) <= value < 2**63


def joined(found: Row, rest: Mapping[str, Json]) -> dict[str, Json]:
    """What `split` was given; names in their order, as JSON was read from a body.

    Raises LookupError, TypeError or ValueError for what `split` did not give.
    """
    whole = dict(rest) | {
        name: found[name] for name in ("value", *_TEXTS, "parts") if name in found
    }
    whole |= {name: [found[end] for end in ends] for name, ends in _PAIRS if ends[0] in found}
    if not isinstance(rest.get("details"), dict):
        return dict(sorted(whole.items()))
    details = dict(rest["details"])
    if not details.keys().isdisjoint(SAID) or details.get("counts") is not None:
        raise ValueError("what belongs in columns stands in the body")
    details |= found.get("said", {})
    details |= {name: found[name] for name in ("low", "high", "counts") if name in found}
    if "list" in found:
        together = zip(found["list"], found["marks"], details["items"], strict=True)
        details["items"] = [dict(sorted((a | b | c).items())) for a, b, c in together]
    if "voices" in found:
        left = details["judges"]
        details["judges"] = {
            judge: joined(own, left[judge]) for judge, own in found["voices"].items()
        }
    whole["details"] = dict(sorted(details.items()))
    return dict(sorted(whole.items()))


def read_back(
    row: Row, shared: Mapping[str, Json], body: Json, parsed: Callable[[str], Json]
) -> dict[str, Json]:
    """Outcome, identity and record of a row, of which empty columns are left out.

    shared: what the digests in it stand for, by them. parsed: reads JSON. Raises LookupError,
    TypeError, ValueError or AttributeError for what no run wrote.
    """
    if "recipe" not in row:
        return {name: body[name] for name in ("outcome", "identity", "record")}
    columns = dict(row) | {name: parsed(row[name]) for name in _JSON if name in row}
    columns = _spelled_out(columns, shared)
    record = columns["record"]
    if "pages" in columns:
        record = dict(sorted({**record, "pages": columns["pages"]}.items()))
    return {"outcome": joined(columns, body), "identity": columns["recipe"], "record": record}


def _spelled_out(columns: Row, shared: Mapping[str, Json]) -> dict[str, Any]:
    """Columns with what is shared in place of its digests."""
    found = dict(columns) | {name: shared[columns[name]] for name in _SHARED if name in columns}
    if "voices" in found:
        found["voices"] = {
            judge: _spelled_out(own, shared) for judge, own in found["voices"].items()
        }
    return found


_ROW: Final = ("key", *PLACE, *COLUMNS)
_KEEP: Final = (
    f"INSERT INTO outcomes({', '.join(_ROW)}, body, sha256) "
    f"VALUES({', '.join('?' * (len(_ROW) + 2))}) ON CONFLICT(key) DO UPDATE SET "
    + ", ".join(f"{name}=excluded.{name}" for name in (*COLUMNS, "body", "sha256"))
    + " WHERE outcomes.open"
)
"""An outcome that is open gives way to a later one, others to nothing."""


def in_sql(score: StoredScore, found: InColumns) -> Iterator[tuple[str, Sequence[Any]]]:
    """The statements that keep an outcome. found: what it says."""
    for name, text in found.shared.items():
        yield "INSERT OR IGNORE INTO shared VALUES(?, ?)", [name, text]
    columns = [found.columns.get(name) for name in COLUMNS]
    yield _KEEP, [score.key, *score.place, *columns, Body(found.body)]


_AT_A_TIME: Final = 500
MANY: Final = 20_000
"""Outcomes of which it is said that they are put in columns: it takes seconds."""


def put_in_columns(db: sqlite3.Connection, path: Path) -> None:
    """Move every outcome from the table `scores` to `outcomes`, inside the caller's transaction.

    What is not as it was written stays in `scores`, where reading passes over it and `verify`
    names it.
    """
    (count,) = db.execute("SELECT count(*) FROM scores").fetchone()
    if not count:
        return
    if count >= MANY:
        warnings.warn(Notice(f"{path}: {count:,} outcomes are put in columns."), stacklevel=2)
    keep_seals(db)
    bodies = Bodies(path)
    for row, score, kept in _whole(db, bodies):
        for sql, values in in_sql(score, InColumns.of(kept, score.end.mark)):
            db.execute(sql, [*bodies.columns(values)])
        db.execute("DELETE FROM scores WHERE rowid=?", [row])


def _whole(db: sqlite3.Connection, bodies: Bodies) -> Iterator[tuple[int, StoredScore, Json]]:
    """Row and outcome of those that are what was written."""
    names = ("key", *PLACE)
    sql = (
        f"SELECT rowid, {sealed(db, 'scores')}, {', '.join(names)}, body, sha256 FROM scores "
        f"WHERE rowid > ? ORDER BY rowid LIMIT {_AT_A_TIME}"
    )
    last = -(2**63)
    while rows := db.execute(sql, [last]).fetchall():
        for last, is_sealed, *place, body, sha256 in rows:
            try:
                kept = bodies.unpack(f"score {place[0][:12]}", body, sha256)
                check_shape("score", kept)
            except (BadRow, BadShape):
                continue  # it stays where it is: `replay` names it, `evaluate` judges it anew
            if is_sealed and [kept[name] for name in names] == place:
                said = {name: kept[name] for name in ("outcome", "identity", "record")}
                yield last, StoredScore(*place, **said), said
