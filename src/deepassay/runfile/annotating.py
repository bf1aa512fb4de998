"""What people decide on and what they said: items, who has which, and every rating in its order.

Ratings are appended and never changed: the last one of a rater on an item counts, the others are
its history. Taking a rating back is a row too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final, Literal

from deepassay.errors import ConfigurationChanged
from deepassay.runfile.rows import Body
from deepassay.runfile.store import Store, Write
from deepassay.score import Json, canonical_json

TextName = Literal["first", "second"]
"""Of the texts of an item, as they are shown: that on the left, or alone, and that beside it."""

_STUDY: Final = "study"
_KEYS: Final = "keys"
_LANGUAGES: Final = "languages"


@dataclass(frozen=True)
class Duty:
    """An item that a rater has. place: where it stands in the rater's own order, from 0."""

    rater: str
    item: int
    place: int


@dataclass(frozen=True)
class MarkedSpan:
    """Words of an item's text that a rater marked.

    text: which of its texts. start, end: characters of it as the item has it, which is not as it
    was shown: without names, and with its citations in one form. digest: SHA-256 of that text.
    label: value of one of the question's. words: as they were shown. comment: why.
    """

    text: TextName
    start: int
    end: int
    digest: str
    label: str
    words: str
    comment: str = ""


@dataclass(frozen=True)
class Rating:
    """What a rater said of an item at once.

    answers: value by the key of each question that has a menu; None where an earlier rating is
    taken back. lines: by key, what was written: a modified version, a draft, lines. comments: by
    key, why. spans: by key, what was marked in the texts. second: whether it is the second look,
    at what the judges said: then the answers name a judge. note: in the rater's words. seconds:
    with the item open. at: UTC, ISO 8601. saw_judge: whether what a judge said had been shown
    before. form: names the page that it was sent from; what is sent twice from one page, as after a
    broken connection, is kept once.
    """

    form: str
    rater: str
    item: int
    answers: Mapping[str, str] | None
    note: str = ""
    seconds: float = 0.0
    at: str = ""
    saw_judge: bool = False
    second: bool = False
    lines: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    spans: Mapping[str, Sequence[MarkedSpan]] = field(default_factory=dict)


class Annotating:
    """The study of one run file."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def study(self) -> dict[str, Json]:
        """How the study was set up; empty before it was."""
        return dict(self._store.told(_STUDY, "object") or {})

    def begin(
        self, study: Mapping[str, Json], items: Sequence[Json], duties: Iterable[Duty]
    ) -> None:
        """Keep how the study is set up, once; returns when it is on the disk.

        The same again is passed over. Raises ConfigurationChanged naming what differs.
        """
        kept = self.study
        if kept:
            wanted = json.loads(canonical_json(dict(study)))
            if different := sorted(
                name for name in {*kept, *wanted} if kept.get(name) != wanted.get(name)
            ):
                raise ConfigurationChanged(
                    f"{self._store.path} holds a study that was set up otherwise: "
                    f"{', '.join(different)}.",
                    "Give what was given when it began, or another file with --study.",
                )
            return
        self.go_on(study, items, duties, 0)

    def go_on(
        self, study: Mapping[str, Json], items: Sequence[Json], duties: Iterable[Duty], first: int
    ) -> None:
        """Keep further items, numbered from `first`, and how the study is set up with them."""
        writes: list[Write] = [
            ("REPLACE INTO meta VALUES(?,?)", [_STUDY, canonical_json(dict(study))])
        ]
        writes += [
            ("INSERT INTO items VALUES(?,?,?)", [number, Body(item)])
            for number, item in enumerate(items, start=first)
        ]
        writes += [
            ("INSERT INTO duties VALUES(?,?,?)", [each.rater, each.item, each.place])
            for each in duties
        ]
        self._store.write(writes)

    @property
    def keys(self) -> dict[str, str]:
        """By rater, the SHA-256 of the key that opens the study."""
        return dict(self._store.told(_KEYS, "texts") or {})

    def keep_keys(self, keys: Mapping[str, str]) -> None:
        """Keep the digests of keys, in place of those before."""
        self._store.write([("REPLACE INTO meta VALUES(?,?)", [_KEYS, canonical_json(dict(keys))])])

    @property
    def languages(self) -> dict[str, str]:
        """By rater, in which language the pages are; under an empty name, for all others."""
        return dict(self._store.told(_LANGUAGES, "texts") or {})

    def keep_languages(self, languages: Mapping[str, str]) -> None:
        """Keep in which languages the pages are, in place of what was said before."""
        text = canonical_json(dict(languages))
        self._store.write([("REPLACE INTO meta VALUES(?,?)", [_LANGUAGES, text])])

    def items(self) -> Iterator[Json]:
        """What is decided on, in the order of its numbers."""
        for number, *body in self._store.each("SELECT number, body, sha256 FROM items ORDER BY 1"):
            yield self._store.body("object", f"item {number}", *body)

    def duties(self) -> list[Duty]:
        """Who has which item, ordered by rater and place."""
        rows = self._store.rows("SELECT rater, item, place FROM duties ORDER BY rater, place")
        return [Duty(*row) for row in rows]

    async def keep(self, rating: Rating) -> None:
        """Keep a rating; returns once it is on the disk."""
        row = [None, rating.form, rating.rater, rating.item, Body(asdict(rating))]
        sql = "INSERT INTO ratings VALUES(?,?,?,?,?,?) ON CONFLICT(form) DO NOTHING"
        await self._store.write_later([(sql, row)])

    def ratings(self) -> Iterator[Rating]:
        """Every rating, in the order in which they came, with those that were taken back."""
        sql = "SELECT number, body, sha256 FROM ratings ORDER BY number"
        for number, *body in self._store.each(sql):
            yield self._store.record(Rating, f"rating {number}", *body)


def latest(ratings: Iterable[Rating]) -> dict[tuple[str, int], Rating]:
    """By rater and item the rating that counts; none where the last one was taken back.

    Second looks are none of them.
    """
    found: dict[tuple[str, int], Rating] = {}
    for each in ratings:
        if each.second:
            continue
        if each.answers is None:
            found.pop((each.rater, each.item), None)
        else:
            found[each.rater, each.item] = each
    return found
