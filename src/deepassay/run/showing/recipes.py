"""What decides the scores of a run's protocols, over all its tasks, as the run file says it.

Files of earlier versions left some of it unsaid. The protocols that are installed say it then, and
are loaded only then.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from deepassay.runfile import RunFile, StoredScore
from deepassay.runfile.rows import bad_row
from deepassay.runfile.shapes import BadShape, check_shape
from deepassay.score import Json, Metric, current, digest

_FIRST: Final = ("protocol", "edition", "judges")


def task_labels(run: RunFile) -> dict[str, Mapping[str, str]]:
    """The labels of every task. Raises BadRow for a task that has none."""
    found: dict[str, Mapping[str, str]] = {}
    for task, body in run.tasks():
        try:
            check_shape("texts", found.setdefault(task, body.get("labels") or {}))
        except BadShape as error:
            raise bad_row(run.path, f"task {task}: labels: {error}") from None
    return found


def bases_of(run: RunFile, metrics: Mapping[str, Metric]) -> dict[str, dict[str, Json]]:
    """What decides the scores of each protocol besides their identity, over all tasks.

    metrics: see `metrics_of`.
    """
    made = _made(run, [name for name, each in metrics.items() if "maker" in each.roles])
    tasks = dict(run.tasks())
    whole = digest([tasks[name] for name in sorted(tasks)])[:12]
    unsaid = _unsaid(run, metrics)
    return {
        name: {"tasks": whole, **unsaid.get(name, metric.basis), **made.get(name, {})}
        for name, metric in metrics.items()
    }


def _unsaid(run: RunFile, metrics: Mapping[str, Metric]) -> dict[str, Mapping[str, str]]:
    """What older run files do not say of protocols, from those that are installed."""
    names = metrics.keys() - run.metrics().keys()
    if not names:
        return {}
    from deepassay.protocols.registry import installed
    from deepassay.run.showing.yardsticks import about

    whole = about(run, metrics)
    known = {name: installed(name) for name in names}
    return {name: whole.basis(protocol) if protocol else {} for name, protocol in known.items()}


def _made(run: RunFile, protocols: Collection[str]) -> dict[str, dict[str, Json]]:
    """What decides the scores of protocols and was made in the run, over all tasks."""
    found: dict[str, dict[str, dict[str, str]]] = {name: {} for name in protocols}
    for name in protocols:
        for row in run.columns((), [name]):
            if isinstance(row, StoredScore):
                key, task, record = row.key, row.task, row.record
            else:
                key, _, _, task, *_, named = row
                record = run.shared[named]
            made = record.get("made")
            if made is None:
                made = _made_by_installed(name, run, key)
            for what, value in made.items():
                found[name].setdefault(what, {})[task] = value
    return {
        name: {what: digest(by_task)[:12] for what, by_task in made.items()}
        for name, made in found.items()
    }


def _made_by_installed(name: str, run: RunFile, key: str) -> Mapping[str, str]:
    """What older run files do not say of what was made on the way to an outcome."""
    from deepassay.protocols.registry import installed

    protocol = installed(name)
    return protocol.made_basis(run.whole(key).outcome["details"]) if protocol else {}


def ordered(identity: Mapping[str, Json]) -> dict[str, Json]:
    """The identity with what people look for first at its head; the file keeps no order."""
    identity = current(identity)
    return {key: identity[key] for key in (*_FIRST, *sorted(set(identity) - set(_FIRST)))}
