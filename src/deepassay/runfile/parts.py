"""Which shards of a plan a run file holds, so that `merging` knows what belongs together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from deepassay.errors import BadRunFile, ConfigurationChanged
from deepassay.runfile.rows import bad_row
from deepassay.runfile.store import Store, Write
from deepassay.score import Json, canonical_json

_META: Final = "parts"


@dataclass(frozen=True)
class Part:
    """One shard of a plan.

    number, count: which of how many, from 1. whole: a digest of all that the plan is about.
    places: of the tasks of the shard, where they stand among all.
    """

    number: int
    count: int
    whole: str
    places: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Parts:
    """The shards of one plan that a file holds."""

    count: int
    whole: str
    numbers: frozenset[int]

    @property
    def missing(self) -> list[str]:
        """Those that it does not hold, as they are asked for: `3/7`."""
        lacking = sorted({*range(1, self.count + 1)} - self.numbers)
        return [f"{number}/{self.count}" for number in lacking]


def parts_of(store: Store) -> dict[str, Parts]:
    """What a file holds, by the command that was sharded; empty for a run of all tasks."""
    kept: Json = store.told(_META, "parts") or {}
    for command, each in kept.items():
        if max(each["numbers"], default=0) > each["count"]:
            raise bad_row(store.path, f"meta, parts: {command} has a shard past {each['count']}")
    return {
        command: Parts(each["count"], each["whole"], frozenset(each["numbers"]))
        for command, each in kept.items()
    }


def written(parts: Mapping[str, Parts]) -> Iterator[Write]:
    """The statement that keeps them, in place of what was kept before."""
    plain: Json = {
        command: {"count": each.count, "whole": each.whole, "numbers": sorted(each.numbers)}
        for command, each in parts.items()
    }
    if plain:
        yield "REPLACE INTO meta VALUES(?, ?)", [_META, canonical_json(plain)]
    else:
        yield "DELETE FROM meta WHERE key=?", [_META]


def added(store: Store, command: str, part: Part | None) -> Iterator[Write]:
    """The statement that adds a shard; None stands for all tasks, which is no shard any more.

    Shards of a plan that has changed since are forgotten: they are not whole any more. Raises
    ConfigurationChanged where the file holds shards of another count.
    """
    kept = parts_of(store)
    before = kept.pop(command, None)
    if part is None:
        if before is not None:
            yield from written(kept)
        return
    if before is not None and before.count != part.count:
        raise ConfigurationChanged(
            f"{store.path} holds shards of {before.count}, and this is {part.number}/{part.count}.",
            f"Give a shard of {before.count}, or another --run FILE.",
        )
    numbers = before.numbers if before is not None and before.whole == part.whole else frozenset()
    yield from written(kept | {command: Parts(part.count, part.whole, numbers | {part.number})})


def merged(ours: Mapping[str, Parts], theirs: Mapping[str, Parts], path: Path) -> dict[str, Parts]:
    """The shards of two files. Raises BadRunFile where those of `path` are of another plan."""
    together = dict(ours)
    for command, each in theirs.items():
        before = together.setdefault(command, each)
        if before.whole != each.whole:
            raise BadRunFile(
                f"{path} is a shard of another plan: its tasks or reports are not those of the "
                "files before it.",
                f"Give all shards of one `{command}`; where tasks or reports were added, run the "
                "same command for every shard again.",
            )
        together[command] = replace(each, numbers=before.numbers | each.numbers)
    return together
