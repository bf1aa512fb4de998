"""How long it takes to fit 3,000 pages into one prompt, beside only counting their texts.

python -m benchmarks.context
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from typing import TypeVar

from deepassay.wings.research.deerflow.context import (
    CAPS,
    PromptPart,
    estimated_tokens,
    fit,
    limits_of,
)

T = TypeVar("T")

PAGES = 3_000
ROUNDS = 5
SENTENCES = {
    "English": "In 2025 the tidal plant delivered 34 % of the power that had been expected. ",
    "Chinese": "二〇二五年，潮汐电站的发电量为预期的34%，低于规划。",
}
LENGTH = {"English": 10_000, "Chinese": 2_600}  # characters, about 2,500 tokens each

_number = count()


def pages(language: str) -> list[PromptPart]:
    """Pages of about 2,500 tokens with their shorter forms, no two alike, nothing counted yet."""
    items = []
    for place in range(PAGES):
        start = f"{next(_number)} "
        page = (start + SENTENCES[language] * 200)[: LENGTH[language]]
        forms = (page, page[: LENGTH[language] // 10], f"[e{place}] Tides, a.example, 2025", "")
        items.append(PromptPart(f"e{place}", forms, place % 4, place // 10))
    return items


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Milliseconds, and what came of it."""
    began = time.perf_counter()
    found = work()
    return (time.perf_counter() - began) * 1_000, found


def main() -> None:
    """Print a row for each language, the best of several rounds."""
    limits = limits_of(CAPS["writer"], 128_000)
    for language in SENTENCES:
        rounds = []
        for _ in range(ROUNDS):
            items = pages(language)
            forms = [form for item in items for form in item.forms]
            floor, _ = timed(lambda forms=forms: [estimated_tokens(form) for form in forms])
            first, _ = timed(lambda items=items: fit(items, limits.input))
            again, fitted = timed(lambda items=items: fit(items, limits.input))
            rounds.append((floor, first, again))
        floor, first, again = (min(times) for times in zip(*rounds, strict=True))
        whole = sum(item.sized[0][1] for item in items)
        print(
            f"context: {PAGES:,} pages in {language}, {whole:,.0f} tokens -> {fitted.tokens:,} of "
            f"{limits.input:,}: {first:.0f} ms, for the next prompt {again:.0f} ms "
            f"(counting alone: {floor:.0f} ms); as pages, quotes, lines, not "
            f"at all: {[fitted.levels.count(level) for level in range(4)]}"
        )


if __name__ == "__main__":
    main()
