"""Every installed protocol as a scorer of Inspect, `deepassay/NAME`: what its entry point loads.

The arguments of a scorer (`-S`) are the fields of its protocol, files that stand in for what
samples do not say, and, where our judge is asked, the settings of `deepassay settings`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from deepassay.errors import BadInput, BadSetting, DeepAssayError
from deepassay.protocols.protocol import Pairwise, Protocol
from deepassay.protocols.registry import PROTOCOLS, parse_protocols
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.run.asking.planning import check_models, others_of, panel_of
from deepassay.run.asking.reading_inputs import read_tasks
from deepassay.run.settings import Settings
from deepassay.score import Json
from deepassay.wings.bridges.inspect.outcomes import inspect_metrics_of
from deepassay.wings.bridges.inspect.scoring import Scoring

FILES: Final = {"criteria_file": "criteria", "rubric_file": "rubric", "ace_file": "ace"}
"""Arguments that name a file for the tasks of another file, and the setting that each is."""

_ALWAYS: Final = frozenset({"snapshots", "date", "frozen_dates", *FILES.values()})
_OURS: Final = frozenset(
    {"judge", "extractor", "cleaner", "maker", "verifier", "base_url", "effort", "temperature"}
    | {
        "max_output",
        "structured",
        "quotes",
        "context_window",
        "max_connections",
        "deadline",
        "budget",
    }
    | {"allow_unpriced", "prices", "run", "retry_unscored"}
)
"""Settings that a judge of ours is asked by."""


def as_scorer(protocol: str | Protocol, **arguments: Any) -> Scorer:  # noqa: ANN401 - see Settings
    """A protocol as a scorer for `Task(scorer=...)`: `as_scorer("race(reference=False)")`.

    protocol: a name, `module:Class`, `metric.yaml`, or the protocol itself. arguments: as `-S`
    takes them. Raises PrerequisiteError.
    """
    try:
        several = parse_protocols([protocol])
        if len(several) > 1:
            raise BadSetting(f"{protocol} means {len(several)} protocols.", "Name one.")
    except BadInput as error:
        raise PrerequisiteError(str(error)) from error
    (found,) = several
    given = {
        each.name: getattr(found, each.name)
        for each in fields(found)
        if getattr(found, each.name) != each.default
    }
    known = _SCORERS.get(found.name)
    if known is None or type(found) is not PROTOCOLS[found.name]:
        return _scorer(found.name, found)(**arguments)
    return known(**given, **arguments)


def _scorer(name: str, protocol: Protocol | None = None) -> Callable[..., Scorer]:
    """The scorer of a protocol, which Inspect knows from here on. protocol: if not registered."""

    def make(**arguments: Any) -> Scorer:  # noqa: ANN401 - see Settings
        try:
            scoring = _scoring(name, protocol, arguments)
        except DeepAssayError as error:
            raise PrerequisiteError(str(error)) from error

        async def score(state: TaskState, target: Target) -> Score | None:
            return await scoring(state)

        return score

    return scorer(metrics=inspect_metrics_of(name), name=name)(make)


def _scoring(name: str, protocol: Protocol | None, arguments: Mapping[str, Json]) -> Scoring:
    """What the arguments of a scorer mean. Raises BadInput for those that mean nothing."""
    found = protocol or parse_protocols([name])[0]
    own = {each.name for each in fields(found)}
    if isinstance(found, Pairwise):
        own -= {"baseline"}
    given = {key: value for key, value in arguments.items() if key in own}
    if given:
        found = _with(found, given)
    references, rivals = (
        _of_one(key, arguments.get(key)) for key in ("reference_file", "baseline_file")
    )
    if rivals:
        if not isinstance(found, Pairwise):
            raise BadSetting(f"{name} compares no pairs.", "Leave baseline_file out.")
        found = replace(found, baseline=rivals[0].agent)
    settings, ours = _settings(found, own, arguments)
    tasks = arguments.get("tasks")
    if tasks is None and (idle := sorted(set(FILES) & set(arguments))):
        raise BadSetting(
            f"{idle[0]} is for the tasks of a file, and none is given.",
            f"Give -S tasks=FILE too, or metadata assay_{FILES[idle[0]]} to the samples.",
        )
    return Scoring(
        found,
        settings,
        ours,
        None if tasks is None else read_tasks(Path(str(tasks)), settings),
        references,
        rivals,
    )


def _with(protocol: Protocol, given: Mapping[str, Json]) -> Protocol:
    """The protocol with options, checked as those in brackets are. Raises BadSetting."""
    if protocol.name in PROTOCOLS:
        options = ", ".join(f"{key}={value!r}" for key, value in given.items())
        return parse_protocols([f"{protocol.name}({options})"])[0]
    return replace(protocol, **given)


def _settings(
    protocol: Protocol, own: set[str], arguments: Mapping[str, Json]
) -> tuple[Settings, bool]:
    """The settings among the arguments, and whether they name a judge. Raises BadSetting."""
    others = {"tasks", "reference_file", "baseline_file"} | own
    rest = {FILES.get(key, key): arguments[key] for key in arguments if key not in others}
    ours = "judge" in rest
    known = (_ALWAYS - {*FILES.values()}) | {*FILES} | (_OURS if ours else {"judge"})
    for key in arguments:
        if key not in others | known:
            told = " It is for a judge of ours, and none is named." * (key in _OURS)
            raise BadSetting(
                f"The scorer of {protocol.name} takes no argument {key!r}.{told}",
                f"It takes: {', '.join(sorted(others | known))}.",
            )
    settings = Settings(**rest, protocols=(protocol,), offline_sources=True)
    if ours:
        check_models(panel_of(settings), others_of(settings))
    return settings, ours


def _of_one(argument: str, file: Json) -> tuple[Report, ...]:
    """The reports of a file, all of one agent. Raises BadInput."""
    if file is None:
        return ()
    found = load_reports([str(file)])
    agents = sorted({report.agent for report in found})
    if len(agents) > 1:
        raise BadSetting(
            f"{argument}={file} holds the reports of {len(agents)} agents.",
            "Give the reports of one of them.",
        )
    return found


_SCORERS: Final = {name: _scorer(name) for name in PROTOCOLS}
