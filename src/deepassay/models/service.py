"""What all questions to one model share: retries, warm caches, and whether it answers at all."""

from __future__ import annotations

import asyncio
import re
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Final

from deepassay.errors import BadSetting, Notice
from deepassay.models.budget import Budget
from deepassay.models.client import Client, Completion, Fault, FaultKind
from deepassay.models.prices import worst_case
from deepassay.models.prompt import Prompt
from deepassay.score import Cause, Unscored
from deepassay.text import one_line, without_controls

if TYPE_CHECKING:
    from numpy.random import Generator

LONGEST_WAIT: Final = 60.0
"""Seconds between two requests at most, unless the provider asks for more."""

MOST_UNREAD: Final = 10
"""Questions without one readable answer, after which nothing more of their kind is asked."""

OF_OTHER_KINDS: Final = 5
"""Such questions beside those of the kind that has most, after which nothing at all is asked."""

SHOWN: Final = 120
"""Characters of an unreadable answer that are shown, and of what is wrong with it."""

_SEQUENCE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*)")
"""What a terminal takes for an order, as a whole."""

LEAST: Final = 4_000
"""Characters of a beginning that is worth waiting for; providers keep none below 1,024 tokens."""


@dataclass(frozen=True)
class RetryPolicy:
    """How long and how often a model is asked.

    request_seconds: for one request. question_seconds: for a question with everything that it
    takes, from its first request on; None for `request_seconds` x `attempts`.
    attempts: requests for one answer; those that meet a rate limit do not count, because
    there the endpoint is well and only the deadline of the question ends the waiting.
    corrections: how often an unusable answer is sent back.
    first_wait: seconds before the second attempt; each further wait is twice as long.
    """

    request_seconds: float = 300.0
    question_seconds: float | None = None
    attempts: int = 5
    corrections: int = 2
    first_wait: float = 1.0

    @property
    def deadline(self) -> float:
        """Seconds that a question may take, with all of its requests."""
        if self.question_seconds is None:
            return self.request_seconds * self.attempts
        return self.question_seconds

    def wait(self, failures: int, retry_after: float | None, chance: float) -> float:
        """Seconds to wait after so many failures. chance: from 0 to 1, spreads the callers."""
        own: float = self.first_wait * 2 ** min(failures - 1, 10) * (0.5 + chance)
        return max(min(LONGEST_WAIT, own), retry_after or 0.0)


class Prefixes:
    """The beginnings of prompts that one client has sent, or is sending for the first time.

    A provider bills the beginning of a prompt as cached once it has answered a prompt that began
    the same. Questions about one report begin the same (system prompt, then the report): were
    they all sent at once, each would be billed in full.
    """

    def __init__(self) -> None:
        self._sent: set[int] = set()
        self._first: dict[int, asyncio.Event] = {}

    @asynccontextmanager
    async def await_cached_prefix(self, prompt: Prompt) -> AsyncIterator[None]:
        """Wait while the first prompt with this beginning is underway.

        Whatever becomes of it, the others go on together then.
        """
        if len(prompt.material) < LEAST:
            yield
            return
        beginning = prompt.beginning
        while (first := self._first.get(beginning)) is not None:
            await first.wait()
        if beginning in self._sent:
            yield
            return
        first = self._first[beginning] = asyncio.Event()
        try:
            yield
            self._sent.add(beginning)
        finally:  # where the first was cancelled, the next one is the first
            del self._first[beginning]
            first.set()


@dataclass
class ModelSession:
    """One client with the money, the retry policy and the experience of asking it.

    chance: for spreading waits. closed: why nothing more is sent, or None. unread: by operations,
    the keys of questions without a readable answer. read: operations of which one had one.
    """

    client: Client
    budget: Budget
    retries: RetryPolicy
    chance: Generator
    allow_unpriced: bool = False
    closed: Fault | None = None
    unread: dict[str, set[str]] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    _undercount: float = 1.0
    _last_sign: float | None = None
    _last_answer: float | None = None
    _silent_questions: int = 0
    _illegible: dict[str, Fault] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.budget.cap is not None and self.client.price is None and not self.allow_unpriced:
            raise BadSetting(
                f"There is a budget, but no price is known for {self.client.identity['model']}.",
                "Give one with --prices FILE, or spend without counting with --allow-unpriced.",
            )

    def worst_cost(self, most: int) -> float | None:
        """USD of a call with at most so many tokens in and the longest answer possible.

        If the provider ever counted more than that, all later calls are taken to be so much
        longer too. None if the price is not known.
        """
        if self.client.price is None:
            return None
        return worst_case(self.client.price, ceil(most * self._undercount), self.client.max_output)

    def cost(self, end: Completion | Fault, worst: float | None) -> float | None:
        """USD of a call that came to this end, or None if nobody can say.

        Where the provider may charge but does not say for what, a cap counts the worst case.
        """
        if isinstance(end, Fault) and not end.kind.billed:
            return 0.0
        if self.client.price is not None and end.usage is not None:
            return self.client.price(end.usage)
        return None if self.budget.cap is None else worst

    def record(self, end: Completion | Fault, most: int) -> None:
        """Learn from how a call ended: the pace, signs of life, whether `most` was too few.

        most: tokens in, as they were reckoned before; 0 if they were not.
        """
        now = asyncio.get_running_loop().time()
        if isinstance(end, Completion):
            self.client.pace.went_well()
            self._last_answer = self._last_sign = now
            self._silent_questions = 0
        elif end.kind is FaultKind.RATE_LIMIT:
            self.client.pace.slow_down()
        if isinstance(end, Fault) and not end.kind.silent:
            self._last_sign = now
        if end.usage is not None and most:
            counted = min(10.0, end.usage.input / most)
            self._undercount = max(self._undercount, counted)

    def closed_for(self, operation: str) -> Fault | None:
        """Why no question of this kind is sent any more, or None."""
        return self.closed or self._illegible.get(operation)

    def record_reading(self, operation: str, key: str, end: object, said: str, wrong: str) -> None:
        """Learn whether the answer to a question could be read.

        said: the last one, as it came. wrong: what was wrong with it, where that is known.
        """
        if not isinstance(end, Unscored):
            self.read.add(operation)
        elif end.cause in (Cause.ANSWER_UNREADABLE, Cause.ANSWER_TRUNCATED):
            self.unread.setdefault(operation, set()).add(key)
            self.stop_unread(operation, said, wrong)

    def stop_unread(self, operation: str, said: str, wrong: str) -> None:
        """Close what brought no readable answer to so many questions. said, wrong: of one answer.

        A judge of whose first answers none can be read will not do better: each of its questions
        is paid for three times, and for nothing. One kind of question is given up alone until
        others were tried as well: which kind came first says nothing of the others.
        """
        if operation in self.read or self.closed_for(operation) is not None:
            return
        counts = {kind: len(keys) for kind, keys in self.unread.items()}
        of_kind, in_all = counts.get(operation, 0), sum(counts.values())
        others = in_all - max(counts.values(), default=0)
        if not self.read and in_all >= MOST_UNREAD and others >= OF_OTHER_KINDS:
            self.closed = self._illegible_fault(in_all, "", said, wrong)
        elif of_kind >= MOST_UNREAD:
            of = f" of {operation}"
            self._illegible[operation] = self._illegible_fault(of_kind, of, said, wrong)

    def _illegible_fault(self, number: int, of_kind: str, said: str, wrong: str) -> Fault:
        """What nobody is asked any more for, and what to try; said to the user as well."""
        identity = self.client.identity
        shown = _in_a_line(said)
        one = f"one answer: “{shown}”" if shown else "the last answer was empty"
        if shown and wrong:
            one += f" ({_in_a_line(wrong).rstrip('.')})"
        tries = ["another model", "more room with --max-output"]
        if "structured" not in identity:
            tries.insert(0, "--structured, which has the provider enforce the form")
        detail = (
            f"{identity['model']} gave no readable answer to {number} questions{of_kind}; {one}. "
            f"Try {', '.join(tries[:-1])} or {tries[-1]}."
        )
        warnings.warn(Notice(f"{detail} No more is asked{of_kind}."), stacklevel=2)
        return Fault(FaultKind.UNREADABLE, detail)

    def record_failure(self, fault: Fault, began: float) -> None:
        """A question ended without an answer. A locked or a dead endpoint closes the service.

        It is dead if, for the whole of a question, it said nothing to anybody, or nothing but
        "too many requests"; and if it never did otherwise, or the same befell a question just
        before. So a run against a silent server ends in time, rather than let each of its
        questions find out anew.
        """
        if fault.kind is FaultKind.ACCESS:
            self.closed = self.closed or fault
        limited = fault.kind is FaultKind.RATE_LIMIT
        last = self._last_answer if limited else self._last_sign
        if (limited or fault.kind.silent) and (last is None or last < began):
            self._silent_questions += 1
            if last is None or self._silent_questions > 1:
                self.closed = self.closed or fault


def _in_a_line(text: str) -> str:
    """What somebody else wrote, for a message."""
    return one_line(without_controls(_SEQUENCE.sub("", text[: 4 * SHOWN])), SHOWN)
