"""The line to one client: what all questions to it share, and whether it is dead."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

from deepassay.errors import BadSetting
from deepassay.models.budget import Budget
from deepassay.models.client import Client, Completion, Fault, FaultKind
from deepassay.models.prices import worst_case

if TYPE_CHECKING:
    from numpy.random import Generator

LONGEST_WAIT: Final = 60.0
"""Seconds between two attempts at most, unless the provider asks for more."""


@dataclass(frozen=True)
class Patience:
    """How long and how often.

    attempt: seconds for one request. item: seconds for a question with everything that it
    takes, from its first request on; None for `attempt` x `attempts`.
    attempts: requests for one answer; those that meet a rate limit do not count, because
    there the endpoint is well and only the item's deadline ends the waiting.
    again: how often an unusable answer is sent back.
    first_wait: seconds before the second attempt; each further wait is twice as long.
    """

    attempt: float = 300.0
    item: float | None = None
    attempts: int = 5
    again: int = 2
    first_wait: float = 1.0

    @property
    def seconds(self) -> float:
        """The deadline of an item."""
        return self.attempt * self.attempts if self.item is None else self.item

    def wait(self, failures: int, retry_after: float | None, chance: float) -> float:
        """Seconds to wait after so many failures. chance: from 0 to 1, spreads the callers."""
        own: float = self.first_wait * 2 ** min(failures - 1, 10) * (0.5 + chance)
        return max(min(LONGEST_WAIT, own), retry_after or 0.0)


@dataclass
class Line:
    """One client with the money, the patience and the experience of asking it.

    chance: for spreading waits. closed: why nothing more is sent, or None.
    """

    client: Client
    budget: Budget
    patience: Patience
    chance: Generator
    allow_unpriced: bool = False
    closed: Fault | None = None
    _drift: float = 1.0
    _heard: float | None = None
    _answered: float | None = None
    _vain: int = 0

    def __post_init__(self) -> None:
        if self.budget.cap is not None and self.client.price is None and not self.allow_unpriced:
            raise BadSetting(
                f"There is a budget, but no price is known for {self.client.identity['model']}.",
                "Give one with --prices FILE, or spend without counting with --allow-unpriced.",
            )

    def worst(self, most: int) -> float | None:
        """USD of a call with at most so many tokens in and the longest answer possible.

        If the provider ever counted more than that, all later calls are taken to be so much
        longer too. None if the price is not known.
        """
        if self.client.price is None:
            return None
        return worst_case(self.client.price, ceil(most * self._drift), self.client.max_output)

    def cost(self, end: Completion | Fault, worst: float | None) -> float | None:
        """USD of a call that came to this end, or None if nobody can say.

        Where the provider may charge but does not say for what, a cap counts the worst case.
        """
        if isinstance(end, Fault):
            if not end.kind.billed:
                return 0.0
        elif self.client.price is not None and end.usage is not None:
            return self.client.price(end.usage)
        return None if self.budget.cap is None else worst

    def hear(self, end: Completion | Fault, most: int) -> None:
        """Learn from how a call ended: the pace, signs of life, whether `most` was too few.

        most: tokens in, as they were reckoned before; 0 if they were not.
        """
        now = asyncio.get_running_loop().time()
        if isinstance(end, Completion):
            self.client.pace.went_well()
            self._answered = self._heard = now
            self._vain = 0
            if end.usage is not None and most:
                self._drift = max(self._drift, min(10.0, end.usage.input / most))
        elif end.kind is FaultKind.RATE_LIMIT:
            self.client.pace.slow_down()
        if isinstance(end, Fault) and not end.kind.silent:
            self._heard = now

    def gave_up(self, fault: Fault, began: float) -> None:
        """A question ended without an answer. A locked or a dead endpoint closes the line.

        It is dead if, for the whole of a question, it said nothing to anybody, or nothing but
        "too many requests"; and if it never did otherwise, or the same befell a question just
        before. So a run against a silent server ends in time, rather than let each of its
        questions find out anew.
        """
        if fault.kind is FaultKind.ACCESS:
            self.closed = self.closed or fault
        limited = fault.kind is FaultKind.RATE_LIMIT
        last = self._answered if limited else self._heard
        if (limited or fault.kind.silent) and (last is None or last < began):
            self._vain += 1
            if last is None or self._vain > 1:
                self.closed = self.closed or fault
