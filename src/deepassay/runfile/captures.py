"""What was found on pages: captures, each body once however often it came, and verdicts on them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from deepassay.errors import BadRunFile
from deepassay.files import without_surrogates
from deepassay.runfile.rows import (
    DAMAGED,
    RENAMED,
    Body,
    Capture,
    StoredVerdict,
    to_bytes,
    to_text,
    torn,
)
from deepassay.runfile.store import Store, Write

if TYPE_CHECKING:
    import asyncio

_FIELDS: Final = (
    "url", "fetched", "reader", "final_url", "status", "media", "title", "failure", "detail",
)  # fmt: skip
_COLUMNS: Final = ", ".join(("id", *_FIELDS))
_READ: Final = f"{_COLUMNS}, (SELECT version FROM readings WHERE capture=id)"
_ORDER: Final = "ORDER BY url, fetched, id"


class Captures:
    """The captures of one run file.

    They hold everything but, where it is stated, the body; the name of a capture is the same
    with and without it.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def keep(self, capture: Capture, *, body: bool = True) -> None:
        """Keep a capture, with its body or without; returns once it is on the disk."""
        await self._store.write_later(list(self._writes(capture, body)))

    def best(self, url: str) -> Capture | None:
        """Of a canonical address the newest page, else the newest in doubt, else failure."""
        return self.get(name) if (name := self._best(url)) else None

    def best_to_read(self, url: str) -> Capture | None:
        """What `best` finds, without its body; its failure is DAMAGED where its text is."""
        return self.to_read(name) if (name := self._best(url)) else None

    def to_read(self, name: str) -> Capture | None:
        """The capture of this name without its body; a failure where its text is damaged."""
        sql = f"SELECT {_READ}, text FROM captures WHERE id=?"
        for *columns, text in self._store.rows(sql, storable(name)):
            try:
                content = self._content(text)
            except BadRunFile:
                # A whole row beside a damaged one: the rest of the file may be as it was.
                capture = _capture(columns)
                vars(capture).update(failure=DAMAGED, detail="Its snapshot is damaged.")
                return capture
            return _capture(columns, None if content is None else to_text(content))
        return None

    def text(self, sha256: str) -> str | None:
        """The text of which this is the SHA-256, where a page has it."""
        there = self._store.rows("SELECT 1 FROM contents WHERE sha256=?", sha256)
        content = self._content(sha256) if there else None
        return None if content is None else to_text(content)

    def get(self, name: str) -> Capture | None:
        """The capture of this name (its `id`)."""
        sql = f"SELECT {_READ}, text, body FROM captures WHERE id=?"
        for *columns, text, raw in self._store.rows(sql, storable(name)):
            content = self._content(text)
            return _capture(
                columns,
                text=None if content is None else to_text(content),
                body=self._content(raw),
            )
        return None

    def rows(self) -> Iterator[Capture]:
        """All captures without body and text, ordered by address and time."""
        for columns in self._store.rows(f"SELECT {_READ} FROM captures {_ORDER}"):
            yield _capture(columns)

    def all(self) -> Iterator[Capture]:
        """All captures, whole, one at a time, in the same order."""
        for (name,) in self._store.rows(f"SELECT id FROM captures {_ORDER}"):
            if (capture := self.get(name)) is not None:
                yield capture

    def _best(self, url: str) -> str | None:
        found = self._store.rows(
            "SELECT id FROM captures WHERE url=? "
            "ORDER BY text IS NULL, text IS NOT NULL AND detail != '', "
            "fetched DESC, position DESC LIMIT 1",
            storable(url),
        )
        return found[0][0] if found else None

    def _writes(self, capture: Capture, body: bool) -> Iterator[Write]:
        digests: list[str | None] = []
        raw = capture.body if body else None
        text = None if capture.text is None else to_bytes(capture.text)
        for content in (text, raw):
            if content is None:
                digests.append(None)
                continue
            packed, sha256 = self._store.bodies.pack_bytes(content)
            # In place of one that is damaged.
            yield (
                "INSERT INTO contents VALUES(?,?) ON CONFLICT DO UPDATE SET body=excluded.body "
                "WHERE body<>excluded.body",
                [sha256, packed],
            )
            digests.append(sha256)
        values = [getattr(capture, name) for name in _FIELDS]
        row = [capture.id, *map(storable, values), *digests]
        places = ",".join("?" * len(row))
        yield (
            f"INSERT INTO captures({_COLUMNS}, text, body) VALUES({places}) "
            "ON CONFLICT(id) DO UPDATE SET body=coalesce(body, excluded.body)",
            row,
        )
        if capture.reading:
            yield "INSERT OR IGNORE INTO readings VALUES(?,?)", [capture.id, capture.reading]

    def _content(self, sha256: str | None) -> bytes | None:
        if sha256 is None:
            return None
        name = f"content {sha256[:12]}"
        found = self._store.rows("SELECT body FROM contents WHERE sha256=?", sha256)
        if not found:
            raise torn(self._store.path, f"{name} is not there")
        return self._store.bodies.unpack_bytes(name, found[0][0], sha256)


class Turns:
    """Who makes what, so that who asks for what somebody else is making finds it made.

    Nobody waits while holding anything, so that none waits for another in a ring.
    """

    def __init__(self) -> None:
        self._made: dict[str, asyncio.Future[None]] = {}

    @asynccontextmanager
    async def __call__(self, names: Sequence[str]) -> AsyncIterator[Sequence[str]]:
        """Of what is named, what nobody else makes, as soon as there is some: to be made within."""
        import asyncio  # who only reads a run waits for nobody

        names = [*dict.fromkeys(names)]
        while not (free := [each for each in names if each not in self._made]):
            others = {self._made[each] for each in names}
            await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)
        over = asyncio.get_running_loop().create_future()
        self._made.update(dict.fromkeys(free, over))
        try:
            yield free
        finally:
            for each in free:
                del self._made[each]
            over.set_result(None)


class SourceVerdicts:
    """The verdicts of one run file."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.turn = Turns()

    async def find_all(self, keys: Iterable[str]) -> dict[str, StoredVerdict]:
        """The verdicts under these keys, as far as there are any."""
        return {key: found for key in keys if (found := self.find(key)) is not None}

    def find(self, key: str) -> StoredVerdict | None:
        """The verdict under this key; none if it is damaged, see `Store.come_by`."""
        return self._store.come_by("verdicts", StoredVerdict, key)

    def each(self) -> Iterator[StoredVerdict]:
        """Every verdict, in the order in which they were kept. Raises BadRow for a damaged one."""
        sql = "SELECT key, body, sha256 FROM verdicts ORDER BY rowid"
        for key, *body in self._store.each(sql):
            yield self._store.record(StoredVerdict, f"verdict {key[:12]}", *body)

    async def keep(self, verdicts: Sequence[StoredVerdict]) -> None:
        """Keep verdicts; one that is there already stays as it is."""
        sql = "INSERT INTO verdicts VALUES(?,?,?,?) ON CONFLICT(key) DO NOTHING"
        await self._store.write_later(
            [(sql, [each.key, each.verdict, Body(vars(each))]) for each in verdicts]
        )


def _capture(columns: list[Any], text: str | None = None, body: bytes | None = None) -> Capture:
    name, *values, reading = columns
    fields = dict(zip(_FIELDS, values, strict=True), reading=reading or "")
    fields["failure"] = RENAMED.get(fields["failure"], fields["failure"])
    capture = Capture(**fields, text=text, body=body)
    # What it was called when it was whole, and not what it would be called now.
    vars(capture)["id"] = name
    return capture


def storable(value: str | int | None) -> str | int | None:
    """A value that SQLite and UTF-8 can hold: an address or a title may have lone surrogates."""
    return without_surrogates(value) if isinstance(value, str) else value
