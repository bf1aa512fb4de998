"""What the research on one task may take, and the ledger of what it has taken.

    ledger = Ledger(Budget(tokens=400_000), clock)   # clock: seconds that the task has taken
    ledger.set_aside(to_write([6_000] * questions))  # at PLAN; at OUTLINE by section
    most = Amount(calls=1, tokens=fitted.tokens + limits.output, cost=worst)
    if short := ledger.reserve(most, "research"):    # a transition: to OUTLINE; str(short) is why
        ...
    ledger.settle(most, Amount(calls=1, tokens=usage.input + usage.output, cost=cost))

No file keeps a ledger: a run that goes on after a kill settles its stored calls again. It decides
the same where calls are reserved and settled in the same order.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt

from deepassay.score import Json
from deepassay.wings.research.deerflow.context import CAPS

Phase = Literal["research", "writing"]
Counted = Literal["calls", "tokens", "pages", "searches", "cost"]

_COUNTED: Final[tuple[Counted, ...]] = get_args(Counted)
_ZERO: Final = Decimal(0)


class ResearchLimits(BaseModel):
    """Limits of one task. tokens: of prompts and answers. cost: USD, None for no limit.

    research_share: of calls, tokens, seconds and cost, what research may take; the rest is for
    writing. Pages and searches serve research alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    calls: PositiveInt = 300
    tokens: PositiveInt = 2_000_000
    pages: PositiveInt = 120
    searches: PositiveInt = 80
    seconds: PositiveFloat = 3_600.0
    cost: Annotated[Decimal, Field(gt=0)] | None = None
    research_share: Annotated[float, Field(gt=0, lt=1)] = 0.65


@dataclass(frozen=True)
class Amount:
    """What a step takes. cost: USD. None: nobody knows."""

    calls: int | None = 0
    tokens: int | None = 0
    pages: int | None = 0
    searches: int | None = 0
    cost: Decimal | None = _ZERO

    def __add__(self, other: Amount) -> Amount:
        pairs = {name: (value, getattr(other, name)) for name, value in vars(self).items()}
        return Amount(**{name: None if None in both else sum(both) for name, both in pairs.items()})


class Short(NamedTuple):
    """A step that does not fit: no error, but the reason to go on to writing, or to end."""

    what: Counted | Literal["seconds"]
    needed: Decimal | None
    left: Decimal
    phase: Phase

    def __str__(self) -> str:
        if self.what == "seconds":
            return f"the time for {self.phase} is up"
        needed = "unknown" if self.needed is None else f"{self.needed:,}"
        return f"{self.what}: {needed} needed, {self.left:,} left for {self.phase}"


def to_write(evidence: Iterable[int]) -> Amount:
    """What writing takes at most: a call a section, whose evidence has so many tokens."""
    sections = [tokens + CAPS["writer"].output for tokens in evidence]
    return Amount(calls=len(sections), tokens=sum(sections))


class Clock:
    """Seconds that a run has taken, and the moments at which it looked whether there is time.

    A run that goes on after a kill decides as it did then, at every moment that was before.
    """

    def __init__(self, kept: Json = None) -> None:
        found = kept if isinstance(kept, dict) else {}
        self.late = [int(each) for each in found.get("late", ())]
        self._known = int(found.get("moments", 0))
        self._began = time.monotonic() - float(found.get("seconds", 0.0))
        self.moment = 0

    @property
    def seconds(self) -> float:
        """Since the run began, without the time between a kill and its resumption."""
        return time.monotonic() - self._began

    def __call__(self) -> float:
        """What counts at this moment."""
        if self.moment in self.late:
            return math.inf
        return 0.0 if self.moment <= self._known else self.seconds

    def is_late(self) -> None:
        """The time was up at this moment."""
        if self.moment not in self.late:
            self.late.append(self.moment)

    def kept(self) -> Json:
        """The clock's times as the record of a run keeps them, in seconds."""
        return {"seconds": self.seconds, "moments": self.moment, "late": self.late}


class Ledger:
    """What is spent, what is reserved for steps under way, and what is set aside for writing.

    clock: seconds that the task has taken so far, those before a kill included. spent: what ended
    steps took. What a step took beyond its reservation counts, and the next one finds less.
    """

    def __init__(self, budget: ResearchLimits, clock: Callable[[], float]) -> None:
        self.spent = Amount()
        self._budget, self._clock = budget, clock
        self._share = Decimal(str(budget.research_share))
        self._aside = Amount()
        self._held: list[Amount] = []

    def reserve(self, most: Amount, phase: Phase) -> Short | None:
        """Hold the most that a step may take, or say what there is too little of."""
        short = self.short(most, phase)
        if short is None:
            self._held.append(most)
        return short

    def settle(self, most: Amount, spent: Amount) -> None:
        """A step that held `most` has ended and took so much; of what nobody knows, all of it."""
        self._held.remove(most)
        known = {name: value for name, value in vars(spent).items() if value is not None}
        self.spent += Amount(**vars(most) | known)

    def set_aside(self, amount: Amount) -> None:
        """Keep so much from research, in place of what was set aside before.

        Research keeps what is by right the share of writing, however much writing may take: with
        no research there is nothing to write.
        """
        self._aside = amount

    def short(self, most: Amount, phase: Phase) -> Short | None:
        """What there is too little of for a step, if anything; the time first."""
        if not self.seconds_left(phase):
            return Short("seconds", _ZERO, _ZERO, phase)
        for what in _COUNTED:
            needed, left = getattr(most, what), self.left(what, phase)
            if left is not None and (needed is None or needed > left):
                return Short(what, None if needed is None else Decimal(needed), left, phase)
        return None

    def left(self, what: Counted, phase: Phase) -> Decimal | None:
        """How much a step may take; None where there is no limit."""
        whole = getattr(self._budget, what)
        if whole is None:
            return None
        most = Decimal(whole)
        if phase == "research" and what not in ("pages", "searches"):
            aside = getattr(self._aside, what) or 0
            most = min(self._share * whole, max(whole - aside, (1 - self._share) * whole))
            most = most if what == "cost" else most // 1
        used: Decimal | int = getattr(sum(self._held, self.spent), what)
        return max(_ZERO, most - used)

    def seconds_left(self, phase: Phase) -> float:
        """How long a step may take; 0 if the time is up."""
        share = self._budget.research_share if phase == "research" else 1.0
        return max(0.0, self._budget.seconds * share - self._clock())
