"""What of the material goes into a prompt, so that no call leaves over its budget.

LiveResearchBench, appendix D: tokens are estimated and the total is checked before every call, room
for the answer is kept, what is long is shortened step by step with the recent kept longest, and
each role has a budget of its own.

    limits = limits_of(CAPS["reader"], client.context_window)
    items = [Item("rules", (rules,), pinned=True), Item("e1", (page, quotes, line, ""), turn=3)]
    fitted = fit(items, limits.input, factor.value)     # ContextOverflow before the call
    factor = factor.seen(usage.input, fitted.estimate)  # of one request
    factor = factor.raised()                            # the server says that it overflows:
    fitted = fit_again(items, fitted, factor.value)     # once; then ContextOverflow
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import ceil
from typing import Final, Literal, NamedTuple

from deepassay.models.usage import token_range

Role = Literal["planner", "researcher", "reader", "writer", "checker"]


class Caps(NamedTuple):
    """Tokens at most, of a prompt and of the answer to it."""

    input: int
    output: int


CAPS: Final[Mapping[Role, Caps]] = {
    "planner": Caps(16_000, 2_000),
    "researcher": Caps(8_000, 1_000),
    "reader": Caps(24_000, 2_000),
    "writer": Caps(48_000, 6_000),
    "checker": Caps(8_000, 1_000),
}
"""Roles that retrieve have to shorten more than the one that writes, as in the paper."""

WINDOW: Final = 32_000  # tokens of a model's context where nobody says how many
RECENT: Final = 2  # last turns, whose items are shortened only after all that is older has gone


def limits_of(caps: Caps, window: int | None) -> Caps:
    """The caps of a role as far as a model with this window can hold them.

    The answer has a quarter of the window at most. Besides its room, 512 tokens and 2 % of the
    window stay free: for what a server puts around messages, and for errors of the estimate.
    """
    window = window or WINDOW
    output = min(caps.output, window // 4)
    free = window - output - 512 - ceil(window / 50)
    return Caps(max(0, min(caps.input, free)), output)


def estimated_tokens(text: str) -> float:
    """Tokens of a text that stands in a prompt, with 4 to part it from the next; 0 for no text.

    The upper end of the range that was measured with common tokenizers. Of the two other counts of
    `models.usage`, the likely one is too low here (Chinese was measured at up to 1.68 times as
    much) and the one for caps on money too high (half as much again in English).
    """
    return token_range(text).high + 4 if text else 0.0


_FIRST, _LEAST, _MOST, _CALLS, _RAISE = 1.15, 0.8, 2.0, 20, 1.25


@dataclass(frozen=True)
class Factor:
    """How many tokens a model counts for one that is estimated: the most of its last 20 calls.

    Note calls in the order of the plan, not in that of their answers: then a run that goes on
    after a kill makes the same prompts.
    """

    ratios: tuple[float, ...] = ()

    @property
    def value(self) -> float:
        """What estimates are multiplied with."""
        return max(self.ratios, default=_FIRST)

    def seen(self, counted: int, estimated: float) -> Factor:
        """After a request for which the server counted so many tokens of input."""
        ratio = min(_MOST, max(_LEAST, counted / estimated))
        return Factor((*self.ratios, ratio)[-_CALLS:])

    def raised(self) -> Factor:
        """After the server said that the prompt overflows."""
        return Factor((*self.ratios, self.value * _RAISE)[-_CALLS:])


@dataclass(frozen=True)
class PromptPart:
    """A part of a prompt.

    forms: from the fullest to the shortest, each all that is sent of it, heading and fence
    included; "" where it may go altogether. importance: from 0. turn: when it came; a later one is
    newer. pinned: it stays in its fullest form. Long pages stand as windows, an item each: what a
    step frees beyond the need is not given back.
    """

    id: str
    forms: tuple[str, ...]
    importance: int = 0
    turn: int = 0
    pinned: bool = False

    @cached_property
    def sized(self) -> tuple[tuple[str, float], ...]:
        """Each form with its estimate; one that saves nothing gives way to the one before it."""
        found = ((form, estimated_tokens(form)) for form in self.forms)
        return tuple(accumulate(found, lambda last, form: form if form[1] < last[1] else last))


def truncated(text: str, head: int = 1_000) -> tuple[str, str, str]:
    """The forms of edition `paper`: all of a text, so many characters of its beginning, nothing."""
    return text, text[:head], ""


@dataclass(frozen=True)
class Fitted:
    """A prompt that fits: the text of each item, and its level, 0 for the fullest form.

    tokens: of all texts, with the factor; at most the limit. estimate: the same without the factor.
    again: it stands in for a prompt that the server refused.
    """

    texts: tuple[str, ...]
    levels: tuple[int, ...]
    tokens: int
    estimate: float
    again: bool = False


class ContextOverflow(Exception):
    """A prompt does not fit, however much is shortened. The message has the numbers."""


def fit(
    items: Sequence[PromptPart], limit: int, factor: float = _FIRST, *, recent: int = RECENT
) -> Fitted:
    """Shorten items until their tokens fit, in one fixed order and no more than is needed.

    The order does not depend on the limit, so that a smaller one never gives an item a fuller form.
    limit: tokens. recent: so many last turns are touched only after all others have gone; 0 where
    breadth counts for more. Raises ContextOverflow if pinned and shortest forms do not fit.
    """
    tokens = [[ceil(size * factor) for _, size in item.sized] for item in items]
    levels = [0] * len(items)
    total = sum(sizes[0] for sizes in tokens)
    for place, level in _schedule(items, recent) if total > limit else ():
        total += tokens[place][level] - tokens[place][level - 1]
        levels[place] = level
        if total <= limit:
            break
    chosen = [item.sized[level] for item, level in zip(items, levels, strict=True)]
    if total > limit:
        sizes = [(size, item.id) for item, (_, size) in zip(items, chosen, strict=True)]
        size, largest = max(sizes, default=(0, "nothing"))
        raise ContextOverflow(
            f"the prompt has about {total:,} tokens at its shortest and may have {limit:,}; "
            f"{largest} alone has {ceil(size * factor):,}"
        )
    texts = tuple(text for text, _ in chosen)
    return Fitted(texts, tuple(levels), total, sum(size for _, size in chosen))


def fit_again(
    items: Sequence[PromptPart], refused: Fitted, factor: float, *, recent: int = RECENT
) -> Fitted:
    """A shorter prompt in place of one that the server refused as too long.

    Its window may be smaller than anybody said, so the new prompt has to stay below the refused
    one itself. factor: the raised one. Raises ContextOverflow if there is nothing left to shorten,
    or if the refused prompt was a second try.
    """
    if refused.again:
        raise ContextOverflow(f"the server refused about {refused.tokens:,} tokens, the second try")
    return replace(fit(items, refused.tokens, factor, recent=recent), again=True)


def _schedule(items: Sequence[PromptPart], recent: int) -> list[tuple[int, int]]:
    """Steps to a shorter form, the least loss first, as (place of the item, level).

    Old before recent, shallow before deep, unimportant before important, older before newer. How
    deep a step is counts from the last form: where items have different numbers of forms, none is
    dropped while another still has two to go.
    """
    since = max((item.turn for item in items), default=0) - recent
    steps = sorted(
        (item.turn > since, level - len(item.forms), item.importance, item.turn, place, level)
        for place, item in enumerate(items)
        if not item.pinned
        for level in range(1, len(item.forms))
    )
    return [step[-2:] for step in steps]
