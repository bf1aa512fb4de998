"""What a run is about, compared with what it was: new things are added, changed ones refused.

A run may be a shard of a plan: `merging` knows by `Parts` what belongs together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from deepassay.errors import BadRunFile, ConfigurationChanged
from deepassay.runfile.rows import Body, StoredReport, bad_row
from deepassay.runfile.store import Store, Write
from deepassay.score import Cause, Json, canonical_json, digest, report_key

_LACKING: Final = str(Cause.MISSING_INPUT)
_PARTS: Final = "parts"
"""Under which key `meta` has the shards."""

MOST_CHANGED: Final = 10
"""Tasks, reports and the like that a refusal names."""


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
    kept: Json = store.told(_PARTS, "parts") or {}
    for command, each in kept.items():
        if max(each["numbers"], default=0) > each["count"]:
            raise bad_row(store.path, f"meta, parts: {command} has a shard past {each['count']}")
    return {
        command: Parts(each["count"], each["whole"], frozenset(each["numbers"]))
        for command, each in kept.items()
    }


MERGED: Final = "merged"
"""Under which name a file says of how many it was merged."""


def parts_in_sql(parts: Mapping[str, Parts]) -> Iterator[Write]:
    """The statement that keeps them, in place of what was kept before."""
    plain: Json = {
        command: {"count": each.count, "whole": each.whole, "numbers": sorted(each.numbers)}
        for command, each in parts.items()
    }
    if plain:
        yield "REPLACE INTO meta VALUES(?, ?)", [_PARTS, canonical_json(plain)]
    else:
        yield "DELETE FROM meta WHERE key=?", [_PARTS]


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


class Written(Protocol):
    """A report. Its text is read where it is needed, one after the other."""

    @property
    def agent(self) -> str: ...  # noqa: D102
    @property
    def task(self) -> str: ...  # noqa: D102
    @property
    def sample(self) -> int: ...  # noqa: D102
    @property
    def text(self) -> str: ...  # noqa: D102


_ALSO_OF_ALL: Final = {"date": "date", "repeats": "repeat"}
"""What the identity of a protocol repeats, by its name there, of the configuration of all."""


class Registration:
    """The statements by which `RunFile.register` adds what is new.

    What is there and was different is noted by each method; `refuse_changes` raises it all at once.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._of_all: dict[str, str] = {}
        self._of_protocols: dict[str, list[str]] = {}
        self._changed: list[str] = []

    def configuration(self, kept: Json, wanted: Mapping[str, Json]) -> Iterator[Write]:
        """The configuration, of which nothing may be added later."""
        text = canonical_json(dict(wanted))
        if kept:
            self._of_all = _differences(kept, json.loads(text))
        else:
            yield "INSERT INTO meta VALUES('configuration', ?)", [text]

    def protocols(self, kept: Mapping[str, Json], wanted: Mapping[str, Json]) -> Iterator[Write]:
        """Names of protocols and the identity of their scores."""
        for name, identity in wanted.items():
            text = canonical_json(identity)
            if name not in kept:
                yield "INSERT INTO protocols VALUES(?,?)", [name, text]
                continue
            for key, difference in _differences(kept[name], json.loads(text)).items():
                if _ALSO_OF_ALL.get(key) not in self._of_all:
                    self._of_protocols.setdefault(difference, []).append(name)

    def part(self, command: str, part: Part | None) -> Iterator[Write]:
        """The shard of what a command does; None stands for all of it, which is no shard any more.

        Shards of a plan that has changed since are forgotten: they are not whole any more. Those
        of another count are refused.
        """
        kept = parts_of(self._store)
        before = kept.pop(command, None)
        if part is None:
            if before is not None:
                yield from parts_in_sql(kept)
            return
        if before is not None and before.count != part.count:
            raise ConfigurationChanged(
                f"{self._store.path} holds shards of {before.count}, and this is "
                f"{part.number}/{part.count}.",
                f"Give a shard of {before.count}, or another --run FILE.",
            )
        numbers = frozenset[int]()
        if before is not None and before.whole == part.whole:
            numbers = before.numbers
        now = Parts(part.count, part.whole, numbers | {part.number})
        yield from parts_in_sql(kept | {command: now})

    def tasks(self, tasks: Mapping[str, Json], places: Mapping[str, int]) -> Iterator[Write]:
        """Tasks by identifier; the order in which they come is kept.

        places: of the tasks of a shard, where they stand among all.
        """
        kept = dict(self._store.rows("SELECT id, sha256 FROM tasks"))
        position = len(kept)
        for identifier, body in tasks.items():
            if identifier not in kept:
                place = places.get(identifier, position)
                yield "INSERT INTO tasks VALUES(?,?,?,?)", [identifier, place, Body(body)]
                position += 1
            elif kept[identifier] != digest(canonical_json(body)):
                self._changed.append(f"task {identifier}")

    def reports(self, reports: Iterable[Written]) -> Iterator[Write]:
        """The reports that are scored."""
        sql = "SELECT agent, task, sample, sha256 FROM reports"
        kept = {tuple(place): sha256 for *place, sha256 in self._store.rows(sql)}
        for each in reports:
            place = report_key(each)
            if place not in kept:
                text = Body(partial(getattr, each, "text"))
                yield "INSERT INTO reports VALUES(?,?,?,?,?)", [*place, text]
            elif kept[place] != digest(canonical_json(each.text)):
                self._changed.append(f"the report of {each.agent} for task {each.task}")

    def judged_by(self, by_role: Mapping[str, Iterable[StoredReport]]) -> Iterator[Write]:
        """What reports are judged by, one for each role and task.

        With a new one, what was unscored for want of an input is forgotten: it may be scored now.
        """
        sql = "SELECT DISTINCT task FROM outcomes WHERE cause=?"
        lacking = {task for (task,) in self._store.rows(sql, _LACKING)}
        sql = "SELECT role, task, agent, sha256 FROM yardsticks"
        kept = {(role, task): what for role, task, *what in self._store.rows(sql)}
        for role, reports in by_role.items():
            for each in reports:
                place = (role, each.task)
                if place not in kept:
                    row = [*place, each.agent, Body(each.text)]
                    yield "INSERT INTO yardsticks VALUES(?,?,?,?,?)", row
                    if each.task in lacking:
                        yield "DELETE FROM outcomes WHERE task=? AND cause=?", [each.task, _LACKING]
                elif kept[place] != [each.agent, digest(canonical_json(each.text))]:
                    self._changed.append(f"the {role} for task {each.task}")

    def refuse_changes(self) -> None:
        """Raise ConfigurationChanged where anything that is there was different.

        It names what differs: each setting once, and of tasks, reports and the like the first.
        """
        rest = len(self._changed) - MOST_CHANGED
        named = ", ".join(self._changed[:MOST_CHANGED]) + (f" and {rest} more" if rest > 0 else "")
        changed = f"{named} changed since the run began."
        lines = [
            *self._of_all.values(),
            *(f"{', '.join(names)}, {each}" for each, names in self._of_protocols.items()),
        ]
        if lines:
            shown = "\n  ".join([*lines, *([changed] if self._changed else [])])
            raise ConfigurationChanged(
                f"{self._store.path} was made under another configuration:\n  {shown}",
                "Use the same options to resume it, or another --run FILE to start anew.",
            )
        if self._changed:
            raise ConfigurationChanged(
                f"{self._store.path}: {changed}", "Use another --run FILE for what has changed."
            )


def _differences(kept: Mapping[str, Json], wanted: Mapping[str, Json]) -> dict[str, str]:
    """What differs, by its name, in words."""
    return {
        key: f"{key}: {kept.get(key)!r} when the run began, {wanted.get(key)!r} now"
        for key in sorted({*kept, *wanted})
        if kept.get(key) != wanted.get(key)
    }
