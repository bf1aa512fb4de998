"""Support verdicts: what a judge said of a statement and a page, for whoever asks it again."""

from __future__ import annotations

from collections.abc import Sequence

from deepassay.runfile.bodies import Body
from deepassay.runfile.rows import StoredVerdict
from deepassay.runfile.store import Store


class Verdicts:
    """The verdicts of one run file."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, key: str) -> StoredVerdict | None:
        """The verdict under this key; none if it is damaged, see `Store.record`."""
        found = self._store.rows("SELECT body, sha256 FROM verdicts WHERE key=?", key)
        kept = self._store.record("verdicts", key, *found[0]) if found else None
        return None if kept is None else StoredVerdict(**kept)

    async def keep(self, verdicts: Sequence[StoredVerdict]) -> None:
        """Keep verdicts; one that is there already stays as it is."""
        sql = "INSERT INTO verdicts VALUES(?,?,?,?) ON CONFLICT(key) DO NOTHING"
        await self._store.write_later(
            [(sql, [each.key, each.verdict, Body(vars(each))]) for each in verdicts]
        )
