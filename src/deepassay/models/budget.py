"""What may be spent: the cap that stops a call, what is set aside, calls a minute."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from deepassay.errors import OverBudget


@dataclass
class Reservation:
    """What a call costs: the worst case, until somebody knows better and says so."""

    cost: float


class Budget:
    """A hard cap: no call is sent whose worst case would pass it, and none too soon.

    cap: USD, None for no limit. spent: what earlier runs on the same run file cost. rate: calls a
    minute, None for no limit.
    Reserving is atomic, because nothing is awaited between looking and taking.
    """

    def __init__(
        self, cap: float | None = None, spent: float = 0.0, rate: float | None = None
    ) -> None:
        self.cap = cap
        self.spent = spent
        self.rate = rate
        self.reserved = 0.0
        self._refused: float | None = None
        self._open = 0
        self._settled = asyncio.Event()
        self._next = 0.0

    @asynccontextmanager
    async def reserve(self, worst: float) -> AsyncIterator[Reservation]:
        """Hold the worst case of a call until it has ended; then count its `cost` as spent.

        Waits while open calls may yet leave room, and for the turn of the call. Raises OverBudget
        if the call does not fit even with no other call open.
        """
        while self.cap is not None and self.spent + self.reserved + worst > self.cap:
            if not self._open:
                if self._refused is None:
                    self._refused = worst
                raise OverBudget(
                    self._told(worst),
                    "Give a larger --budget; what is done is kept, and the same command goes on.",
                )
            self._settled.clear()
            await self._settled.wait()
        self.hold(worst)
        reservation = Reservation(0.0)
        try:
            await self._turn()
            reservation.cost = worst
            yield reservation
        finally:
            self.settle(worst, reservation.cost)

    @property
    def refused(self) -> str:
        """What the first call may cost that did not fit, and what is spent; empty before one.

        Calls that may cost less go on after it: this says what is spent by now.
        """
        return "" if self._refused is None else self._told(self._refused)

    def _told(self, worst: float) -> str:
        return (
            f"The next call may cost ${worst:.4f}; ${self.spent:.4f} of the budget of "
            f"${self.cap or 0.0:.2f} is spent."
        )

    def hold(self, worst: float) -> None:
        """Set aside the worst case of a call that was sent before, whether it fits or not."""
        self.reserved += worst
        self._open += 1

    def settle(self, worst: float, cost: float) -> None:
        """Count what a call cost for which its worst case was set aside."""
        self._open -= 1
        self.reserved = self.reserved - worst if self._open else 0.0
        self.spent += cost
        self._settled.set()

    async def _turn(self) -> None:
        """Wait until the rate allows one call more: they are spread evenly."""
        if self.rate is not None:
            now = asyncio.get_running_loop().time()
            turn = max(self._next, now)
            self._next = turn + 60.0 / self.rate
            await asyncio.sleep(turn - now)
