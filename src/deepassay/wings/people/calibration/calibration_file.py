"""A calibration as a file of JSON: what `calibrate -o` writes and `leaderboard` reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import ClassVar, Final, Literal, Self

from deepassay.results.records import Judged
from deepassay.results.saved_file import SavedFile, SavedPart
from deepassay.score import Json, Score, digest
from deepassay.stats.mappings import Cut, Isotonic
from deepassay.wings.people.calibration.calibrate import Calibration, Estimated
from deepassay.wings.people.calibration.labelled import Kind

VERSION: Final = 1
AGAIN: Final = "Write it again: deepassay calibrate RUN --human FILE -o FILE."

Ends = tuple[float, float]

AgentKey = tuple[str, str]
"""Digest of a recipe, and an agent."""


def digests(records: Iterable[Judged]) -> dict[AgentKey, str]:
    """A digest of all scores of each agent by each recipe: it says whether they are the same."""
    own: defaultdict[AgentKey, list[tuple[str, int, int, float | None]]] = defaultdict(list)
    for each in records:
        value = each.outcome.value if isinstance(each.outcome, Score) else None
        place = each.task, each.sample, each.repeat
        own[each.signature.digest, each.agent].append((*place, value))
    return {key: digest(sorted(scores, key=repr))[:12] for key, scores in own.items()}


class SavedFigure(SavedPart):
    """A number with its 95 % interval; none where it is undefined."""

    value: float | None = None
    interval: Ends | None = None


class NamedFigure(SavedFigure):
    """A kept figure with its name, and the number of labels it rests on."""

    name: str
    labels: int


class SavedError(SavedPart):
    """How often the judge contradicts people; see `JudgeError`."""

    share: float
    interval: Ends
    unit: str
    of: int
    tasks: int


class SavedGap(SavedFigure):
    """One agent less another, by people; see `AgentGap`."""

    one: str
    other: str
    flip: float


class SavedAgent(SavedPart):
    """One agent; see `Estimated` and `Powered`. people: by labels and judge together.

    scores: digest of its scores, see `digests`. ranks: lowest and highest, by people.
    """

    agent: str
    scores: str
    judge: float
    judged: int
    labels: int
    labels_alone: SavedFigure
    people: SavedFigure
    why_not: str
    weight: float | None
    worth: float | None
    more_labels: int | None
    rate: SavedFigure | None
    why_no_rate: str
    ranks: tuple[int, int] | None = None

    @classmethod
    def of(cls, own: Estimated, scores: str) -> Self:
        """The estimate of an agent in the form that the file of a calibration has."""
        value, interval = own.alone
        powered, rate = own.powered, own.rate
        return cls(
            agent=own.agent,
            scores=scores,
            judge=own.raw,
            judged=own.judged,
            labels=own.labels,
            labels_alone=SavedFigure(value=value, interval=interval),
            people=SavedFigure(value=powered.value, interval=powered.interval)
            if powered
            else SavedFigure(),
            why_not=own.why,
            weight=powered.weight if powered else None,
            worth=powered.worth if powered else None,
            more_labels=own.more,
            rate=SavedFigure(value=rate.value, interval=rate.interval) if rate else None,
            why_no_rate=rate.why if rate else "",
            ranks=own.ranks,
        )


class SavedMapping(SavedPart):
    """From the judge's number to the people's: straight between the pairs. threshold: yes from it.

    Only one of both is there.
    """

    judge: tuple[float, ...] = ()
    people: tuple[float, ...] = ()
    threshold: float | None = None


class SavedCalibration(SavedPart):
    """One judge under one recipe; see `Calibration` and `Labelled`.

    identity: who judged by what, see `judge_identity.deciding`; empty in files of earlier versions.
    why_no_error: None in files of earlier versions.
    """

    protocol: str
    recipe: str
    judge: str
    shown: bool
    part: str
    labels_are: Kind
    span: Ends
    figures: tuple[NamedFigure, ...]
    mapping: SavedMapping | None
    why_no_mapping: str
    agents: tuple[SavedAgent, ...]
    identity: Mapping[str, Json] = {}
    error: SavedError | None = None
    why_no_error: str | None = None
    gaps: tuple[SavedGap, ...] = ()

    @classmethod
    def of(cls, found: Calibration, scores: Mapping[AgentKey, str]) -> Self:
        """A calibration as it is kept. scores: see `digests`."""
        own, mapping, error = found.labelled, None, found.error
        if isinstance(found.mapping, Isotonic):
            knots = (found.mapping.old.tolist(), found.mapping.new.tolist())
            mapping = SavedMapping(judge=knots[0], people=knots[1])
        elif isinstance(found.mapping, Cut):
            mapping = SavedMapping(threshold=found.mapping.at)
        return cls(
            protocol=own.protocol,
            recipe=own.recipe,
            judge=own.judge,
            shown=own.shown,
            part=own.part,
            labels_are=own.kind,
            span=found.span,
            figures=tuple(
                NamedFigure(name=each.name, value=each.value, interval=each.interval, labels=each.n)
                for each in found.figures
            ),
            mapping=mapping,
            why_no_mapping=found.why,
            agents=tuple(
                SavedAgent.of(each, scores.get((own.recipe, each.agent), ""))
                for each in found.agents
            ),
            identity=own.identity,
            error=None if isinstance(error, str) else SavedError(**error._asdict()),
            why_no_error=error if isinstance(error, str) else "",
            gaps=tuple(SavedGap(**each._asdict()) for each in found.gaps),
        )


class CalibrationFile(SavedFile):
    """All calibrations of one file of labels."""

    what: ClassVar[str] = "calibration"
    again: ClassVar[str] = AGAIN

    calibration: Literal[1] = VERSION
    labels: str
    judges: tuple[SavedCalibration, ...]

    @classmethod
    def of(cls, labels: str, found: Iterable[Calibration], scores: Mapping[AgentKey, str]) -> Self:
        """labels: the name of their file. scores: see `digests`."""
        judges = tuple(SavedCalibration.of(each, scores) for each in found)
        return cls(labels=labels, judges=judges)
