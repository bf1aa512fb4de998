"""An audit as a file of JSON: what `audit -o` writes and `leaderboard --audit` reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import ClassVar, Final, Literal

from deepassay.results.saved_file import SavedFile, SavedPart
from deepassay.score import WHOLE, Direction, Json
from deepassay.stats.testing import ALPHA

VERSION: Final = 1
AGAIN: Final = "Write it again: deepassay audit TASKS REPORTS -o FILE."

Ends = tuple[float, float]
Verdict = Literal[
    "noticed", "misread", "not shown", "equal", "moved", "no gain", "gained", "open", "-"
]
"""Of a change that must lower a score: whether the judge noticed, took it for better, or neither is
shown. Of one that must leave it alone: whether it is the same within the margin, or moved. Of one
that must not raise it: whether it gains nothing, within the margin, or gains. `open`: too few
reports to tell. `-`: nothing was judged."""

FAULTS: Final = frozenset({"misread", "moved", "gained"})

MARGIN: Final = 0.01
"""Share of the span of a metric by which a score may move and still be called the same."""

MUST_MOVE: Final = frozenset({Direction.LOWER, Direction.HIGHER})


@cache
def base_of(perturbation: str) -> str:
    """The name under which effects are declared: `pad-50` is `pad`, `signed:x` is `signed`."""
    name = perturbation.partition(":")[0]
    return "pad" if name.startswith("pad-") else name


class Standout(SavedPart):
    """Falls beyond the noise band, see `stats.paired.Detection`."""

    share: float
    interval: Ends
    found: int
    of: int
    band: float
    false_alarm: float


class Located(SavedPart):
    """Of so many small changes, to how many a fault that the judge found points.

    before: in the original, at the same words. again: there when the original was judged once more,
    and not before: what chance finds.
    """

    found: int
    of: int
    before: int
    again: int = 0


class AuditRow(SavedPart):
    """One metric under one perturbation.

    reports: of the audit. applied: that had something to change. judged: of these with scores
    before and after, without those that must move and were at the end of the scale, which are
    no_room. right: share that moved as it should, of judged; of what must stay or must not rise,
    those that did not rise.
    fell, rose: of judged. mean: paired change. p: that this is chance, see `measuring`; adjusted:
    by Holm among all tests of its kind. equal: p of TOST. units: tasks. least: the smallest mean
    change that would be shown with a power of 80 %, all tests of its kind considered.
    """

    metric: str
    perturbation: str
    found: str
    expects: Direction
    reports: int
    applied: int
    judged: int
    no_room: int = 0
    fell: int = 0
    rose: int = 0
    right: float | None = None
    right_interval: Ends | None = None
    mean: float | None = None
    interval: Ends | None = None
    p: float | None = None
    adjusted: float | None = None
    equal: float | None = None
    units: int = 0
    least: float | None = None
    area: float | None = None
    standout: Standout | None = None
    located: Located | None = None
    verdict: Verdict = "-"

    @property
    def is_padding(self) -> bool:
        """Whether the change is one of several lengths."""
        return base_of(self.perturbation) == "pad"

    @property
    def is_small(self) -> bool:
        """Whether it is shown to be within the margin."""
        return self.equal is not None and self.equal < ALPHA


class JudgementNoise(SavedPart):
    """Between judgements of one report.

    deviation: of one judgement, unit of the score. one: ICC(1,1). k, of_k: ICC(1,k) of the mean of
    as many judgements as a score of the audit has.
    """

    reports: int
    deviation: float
    one: float | None
    k: int
    of_k: float | None


BiasKind = Literal["length", "place", "first", "author", "family"]


class Bias(SavedPart):
    """Something that must not matter, and how much it does.

    metric: that it moves. length: points for each doubling by empty padding. place: points for
    standing first instead of second. first: share of first places among the winners that change
    with the order, of flips. author: points for the name of the judge's own model. family: points
    for its own family beyond what other judges give. value, interval: in the unit of the metric,
    but for `first`. equal: p of TOST, that it is more than the margin. units: tasks. least: as of
    a row.
    """

    kind: BiasKind
    metric: str = WHOLE
    n: int
    value: float | None
    interval: Ends | None
    p: float
    adjusted: float | None = None
    equal: float | None = None
    units: int = 0
    least: float | None = None
    flips: int | None = None

    @property
    def shown(self) -> bool:
        """Whether it is there, by Holm over all tests of its kind, and not shown to be small."""
        there = self.adjusted is not None and self.adjusted < ALPHA
        return there and not self.is_small

    @property
    def is_small(self) -> bool:
        """Whether it is shown to be within the margin."""
        return self.equal is not None and self.equal < ALPHA


class JudgeAudit(SavedPart):
    """One judge under one protocol.

    identity: see `judge_identity`. span: of the metric, or None. unscored: reports and copies;
    causes: of these, as far as they are known; why: of one of them, in a sentence. lacking: metrics
    of which something is expected and that no score has.
    """

    protocol: str
    judge: str
    identity: Mapping[str, Json]
    span: Ends | None
    reports: int
    tasks: int
    unscored: int
    causes: Mapping[str, int] = {}
    why: str = ""
    lacking: tuple[str, ...] = ()
    rows: tuple[AuditRow, ...]
    noise: JudgementNoise | None
    biases: tuple[Bias, ...]
    sentence: str


class AuditFile(SavedFile):
    """All judges and protocols of an audit. texts: digest of the reports that were changed."""

    what: ClassVar[str] = "audit"
    again: ClassVar[str] = AGAIN

    audit: Literal[1] = VERSION
    version: str
    date: str
    seed: int
    quick: bool
    texts: str
    judges: tuple[JudgeAudit, ...]
