"""What a run is about, compared with what it was: new things are added, changed ones refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from deepassay.errors import ConfigurationChanged
from deepassay.runfile.bodies import Body
from deepassay.runfile.rows import StoredReport
from deepassay.runfile.store import Store
from deepassay.runfile.writer import Write
from deepassay.score import Cause, Json, canonical_json, digest

if TYPE_CHECKING:
    from deepassay.runfile.file import RunFile

_LACKING: Final = str(Cause.MISSING_INPUT)


class Registration:
    """The statements by which `RunFile.register` adds what is new.

    Every method raises ConfigurationChanged for something that is there and was different.
    """

    def __init__(self, run: RunFile, store: Store) -> None:
        self._run = run
        self._store = store

    def configuration(self, configuration: Mapping[str, Json]) -> Iterator[Write]:
        """The configuration, of which nothing may be added later."""
        wanted = canonical_json(dict(configuration))
        if kept := self._run.configuration:
            self._refuse(_differences(kept, json.loads(wanted)))
        else:
            yield "INSERT INTO meta VALUES('configuration', ?)", [wanted]

    def protocols(self, protocols: Mapping[str, Json]) -> Iterator[Write]:
        """Names of protocols and the identity of their scores."""
        known = self._run.protocols()
        for name, identity in protocols.items():
            wanted = canonical_json(identity)
            if name not in known:
                yield "INSERT INTO protocols VALUES(?,?)", [name, wanted]
            else:
                self._refuse(
                    f"{name}, {difference}"
                    for difference in _differences(known[name], json.loads(wanted))
                )

    def tasks(self, tasks: Mapping[str, Json]) -> Iterator[Write]:
        """Tasks by identifier; the order in which they come is kept."""
        known = dict(self._run.tasks())
        position = len(known)
        for identifier, body in tasks.items():
            if identifier not in known:
                yield "INSERT INTO tasks VALUES(?,?,?,?)", [identifier, position, Body(body)]
                position += 1
            elif canonical_json(known[identifier]) != canonical_json(body):
                raise self._changed(f"task {identifier}")

    def reports(self, reports: Iterable[StoredReport]) -> Iterator[Write]:
        """The reports that are scored."""
        sql = "SELECT agent, task, sample, sha256 FROM reports"
        known = {tuple(place): sha256 for *place, sha256 in self._store.rows(sql)}
        for report in reports:
            place = (report.agent, report.task, report.sample)
            if place not in known:
                yield "INSERT INTO reports VALUES(?,?,?,?,?)", [*place, Body(report.text)]
            elif known[place] != digest(canonical_json(report.text)):
                raise self._changed(f"the report of {report.agent} for task {report.task}")

    def yardsticks(self, yardsticks: Mapping[str, Iterable[StoredReport]]) -> Iterator[Write]:
        """The reports that others are held against, one for each role and task.

        With a new one, what was unscored for want of an input is forgotten: it may be scored now.
        """
        sql = "SELECT DISTINCT task FROM scores WHERE cause=?"
        lacking = {task for (task,) in self._store.rows(sql, _LACKING)}
        for role, reports in yardsticks.items():
            known = {task: (agent, text) for task, agent, text in self._run.yardsticks(role)}
            for report in reports:
                if report.task not in known:
                    row = [role, report.task, report.agent, Body(report.text)]
                    yield "INSERT INTO yardsticks VALUES(?,?,?,?,?)", row
                    if report.task in lacking:
                        yield "DELETE FROM scores WHERE task=? AND cause=?", [report.task, _LACKING]
                elif known[report.task] != (report.agent, report.text):
                    raise self._changed(f"the {role} for task {report.task}")

    def _refuse(self, differences: Iterable[str]) -> None:
        if lines := "\n  ".join(differences):
            raise ConfigurationChanged(
                f"{self._run.path} was made under another configuration:\n  {lines}",
                "Use the same options to resume it, or another --run FILE to start anew.",
            )

    def _changed(self, what: str) -> ConfigurationChanged:
        return ConfigurationChanged(
            f"{self._run.path}: {what} changed since the run began.",
            "Use another --run FILE for what has changed.",
        )


def _differences(kept: Mapping[str, Json], wanted: Mapping[str, Json]) -> list[str]:
    return [
        f"{key}: {kept.get(key)!r} when the run began, {wanted.get(key)!r} now"
        for key in sorted({*kept, *wanted})
        if kept.get(key) != wanted.get(key)
    ]
