"""The types that every room shares: a score, the reason why there is none, and the recipe.

A failed judgement is never a number. It is an `Unscored` with a cause, kept beside the scores,
so that every aggregate can say how many of the expected judgements it rests on.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, Protocol

Json = Any
"""A value that `json.dumps` can write: the type of everything kept for evidence."""


ReportKey = tuple[str, str, int]
"""Agent, task, and which of the agent's answers to it."""


class OfReport(Protocol):
    """What is about one report."""

    @property
    def agent(self) -> str:
        """The name of the agent that wrote the report."""

    @property
    def task(self) -> str:
        """The identifier of its task."""

    @property
    def sample(self) -> int:
        """Which of the agent's answers it is."""


def report_key(each: OfReport) -> ReportKey:
    """The report that something is about."""
    return each.agent, each.task, each.sample


def named(key: ReportKey) -> str:
    """A report for messages; which of several answers it is only where it is not the first."""
    agent, task, sample = key
    return f"{agent} on {task}" + (f", sample {sample}" if sample > 1 else "")


def without_options(protocol: str) -> str:
    """The name of a protocol alone: `race` of `race(vanilla=True)`."""
    return protocol.partition("(")[0]


class Cause(StrEnum):
    """The reason for which a judgement has no score."""

    JUDGE_REFUSED = "judge_refused"
    ANSWER_UNREADABLE = "answer_unreadable"
    ANSWER_TRUNCATED = "answer_truncated"
    JUDGE_UNREACHABLE = "judge_unreachable"
    TIMEOUT = "timeout"
    BUDGET = "budget"
    CONTEXT_OVERFLOW = "context_overflow"
    PAGE_DEAD = "page_dead"
    PAGE_BLOCKED = "page_blocked"
    PAGE_DOUBTFUL = "page_doubtful"  # what came may not be the page, and does not say it
    PAGE_TOO_LARGE = "page_too_large"
    NOT_ARCHIVED = "not_archived"
    MISSING_INPUT = "missing_input"
    NOT_ASKED = "not_asked"  # the run was stopped before it came to this


def commonest(causes: Iterable[Cause | None]) -> Cause:
    """Why most of what is open is so; the first of several that are as common."""
    return Counter(cause for cause in causes if cause is not None).most_common(1)[0][0]


def percent_of(part: int, whole: int) -> float | None:
    """A part in percent of the whole; None of nothing."""
    return 100 * part / whole if whole else None


class Direction(StrEnum):
    """Which way a number should move when a report is changed on purpose."""

    LOWER = "lower"
    HIGHER = "higher"
    SAME = "same"
    NOT_HIGHER = "not higher"


WHOLE: Final = "score"
"""The name of a protocol's value beside the names of its parts."""


@dataclass(frozen=True, slots=True)
class Score:
    """One number for one report under one protocol, with what it was made of.

    value: in the unit of the protocol, inside `bounds` where the metric declares a range.
    bounds: the lowest and highest value the metric can take, or None if it has no range.
    parts: named component numbers, e.g. one per check, in the same unit unless they are counts of
    their own; None where unscored.
    tally: (met, of), for metrics that count items: results show the pooled share beside the mean.
    details: evidence that JSON can hold: verdicts, reasons, quotes, quirks that fired.
    """

    value: float
    bounds: tuple[float, float] | None = None
    parts: Mapping[str, float | None] = field(default_factory=dict)
    tally: tuple[float, float] | None = None
    details: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"a score must be a finite number, not {self.value}; use Unscored")


@dataclass(frozen=True, slots=True)
class Unscored:
    """No score, and why. `detail` is one sentence for a person; `details` is the evidence."""

    cause: Cause
    detail: str = ""
    details: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:  # its text will do
            object.__setattr__(self, "cause", Cause(self.cause))
        except ValueError:
            raise ValueError(
                f"{self.cause!r} is no cause: give one of deepassay.Cause, as Cause.MISSING_INPUT"
            ) from None


@dataclass(frozen=True)
class Metric:
    """What reading a run file needs to know of a protocol, which need not be installed for it.

    name: as the run file has it, with options. title, source: what it measures, and where it was
    published. bounds: lowest and highest value, None where there is no range. baseline: the agent
    that the others are held against, if pairs are compared. roles: whom it asks. offline_reads:
    False where the offline rule cannot tell good reports from bad ones: its scores give no order.
    pools: True where the score of an agent is what is met of all its reports by all their items.
    clips: True where the mean over tasks is kept within [0, 1].
    importance: metrics with more of it stand first. basis: digests of what decides its scores over
    all tasks of the run besides prompts and reports. definition: the text of a protocol that is
    written as a file instead of code. code: the class that computes it, and its package.
    """

    name: str
    title: str = ""
    source: str = ""
    bounds: tuple[float, float] | None = None
    baseline: str = ""
    roles: tuple[str, ...] = ("judge",)
    reads_pages: bool = False
    offline_reads: bool = True
    pools: bool = False
    clips: bool = False
    importance: int = 0
    basis: Mapping[str, str] = field(default_factory=dict)
    definition: str = ""
    code: str = ""

    def excuses(self, agent: str) -> bool:
        """Whether it has nothing to say of an agent: the baseline is not held against itself."""
        return bool(self.baseline) and agent == self.baseline

    def to_json(self) -> dict[str, Json]:
        """Everything but the name."""
        kept = {name: value for name, value in vars(self).items() if name != "name"}
        return kept if self.clips else {k: v for k, v in kept.items() if k != "clips"}

    @classmethod
    def from_json(cls, name: str, kept: Mapping[str, Json]) -> Metric:
        """What `to_json` wrote; what a later version keeps besides is passed over."""
        known = {each.name for each in fields(cls)} - {"name"}
        values = {key: value for key, value in kept.items() if key in known}
        limits, roles = values.get("bounds"), values.get("roles", ("judge",))
        values |= {"bounds": tuple(limits) if limits else None, "roles": tuple(roles)}
        return cls(name, **values)


@dataclass(frozen=True)
class Signature:
    """The recipe of a score, in the way of sacreBLEU (Post 2018).

    identity: what decides whether two scores may be compared.
    record: what is kept and shown but decides nothing: versions, served models, dates.
    """

    identity: Mapping[str, Json]
    record: Mapping[str, Json] = field(default_factory=dict)

    def __str__(self) -> str:
        """The identity on one line: `protocol:presentation()|edition:paper|judge:offline`."""
        return self._line

    @cached_property
    def _line(self) -> str:
        return "|".join(f"{key}:{_plain(value)}" for key, value in self.identity.items())

    @cached_property
    def digest(self) -> str:
        """Twelve hexadecimal characters that two scores share if they may be compared."""
        return digest(dict(self.identity))[:12]

    @property
    def edition(self) -> str:
        """Which of its arithmetics a protocol went by: `paper` where it has one only."""
        return str(self.identity.get("edition", "paper"))


def _plain(value: Json) -> str:
    if isinstance(value, list | tuple):
        return "+".join(_plain(item) for item in value)
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_plain(item)}" for key, item in value.items())
    return str(value)


def canonical_json(value: Json) -> str:
    """The one spelling of a JSON value that digests are taken of: sorted keys, no blanks."""
    return _CANONICAL.encode(value)


_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_STRICT = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
)


def strict_json(value: Json) -> str:
    """Canonical JSON. Raises ValueError for a number that is not finite: JSON has none."""
    return _STRICT.encode(value)


def digest(value: Json) -> str:
    """SHA-256 of a JSON value, or of a text as it stands, in hexadecimal.

    Lone surrogates, which a report may hold, are hashed as they are rather than refused.
    """
    text = value if isinstance(value, str) else canonical_json(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


NOBODY: Final[Mapping[str, Json]] = {"model": "none"}
"""The judge in the recipe of a protocol that asks no model."""


def current(identity: Mapping[str, Json]) -> dict[str, Json]:
    """A stored identity as it is given today; older ones name a judge that nobody asked."""
    asks = identity.get("prompts") != digest([])[:12]
    return {**identity} if asks else {**identity, "judges": [dict(NOBODY)]}


MOST: Final = 1e100
"""No number of a score is larger in size: sums of the squares of a million are numbers still."""

_ROUNDING: Final = 1e-9
"""Of the width of its range, by which a score may be outside of it."""


def is_possible(value: float, bounds: Sequence[float] | None) -> bool:
    """Whether a score may have this value. bounds: its lowest and highest, if it has a range."""
    lowest, highest = bounds or (-MOST, MOST)
    slack = _ROUNDING * (highest - lowest)
    return lowest - slack <= value <= highest + slack


def to_json(outcome: Score | Unscored) -> dict[str, Json]:
    """A score or its absence as a JSON object; `from_json` gives it back."""
    # Not `asdict`, which would copy all evidence.
    record = {each.name: getattr(outcome, each.name) for each in fields(outcome)}
    if isinstance(outcome, Score):
        record["bounds"] = _as_list(outcome.bounds)
        record["tally"] = _as_list(outcome.tally)
    return record


def from_json(record: Mapping[str, Json]) -> Score | Unscored:
    """The score or its absence that `to_json` wrote as an object."""
    if "cause" in record:
        return Unscored(Cause(record["cause"]), record["detail"], record["details"])
    return Score(
        record["value"],
        _as_pair(record["bounds"]),
        record["parts"],
        _as_pair(record["tally"]),
        record["details"],
    )


def _as_list(pair: tuple[float, float] | None) -> list[float] | None:
    return None if pair is None else list(pair)


def _as_pair(numbers: Json) -> tuple[float, float] | None:
    return None if numbers is None else (numbers[0], numbers[1])
