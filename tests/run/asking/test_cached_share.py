"""Rubrics on long reports: what a provider bills as cached, and whether the estimate knew."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from deepassay.run.asking.estimate import estimate
from deepassay.run.asking.evaluate import evaluate
from tests.asked import Asked
from tests.asked import asked as asking
from tests.caching import CachingProvider
from tests.graded import GradedSet, write_graded_set
from tests.loopback import FakeJudge

REPORTS = 4
CHARACTERS = 40_000
CRITERIA = 26
PRICE = {"input": 1.25, "cached_input": 0.125, "output": 10.0}
SENTENCE = re.compile(r"^[A-Z][^\n.|]{60,150}\.", re.MULTILINE)


def reasoned(body: dict[str, Any]) -> str:
    """A verdict at the length that the prompt asks for: three sentences, and two passages."""
    prompt = body["messages"][-1]["content"]
    place = len(prompt.split("BEGIN criteria")[1]) % 7  # any sentences will do
    verdict = {
        "reason": "The report takes the point up in its second section and gives a figure with "
        "its source. A second passage comes back to it, but only to say that costs differ from "
        "house to house. How the figure was come by, and for which year it holds, is not said.",
        "verdict": "Partially Satisfied",
        "quotes": SENTENCE.findall(prompt)[place : place + 2],
    }
    return json.dumps({"verdicts": {"r1": verdict}})


def request(graded: GradedSet, run: Path, prices: Path, judge: FakeJudge) -> Asked:
    return asking(
        graded.tasks,
        [graded.reports],
        protocols=["rubrics"],
        rubric=graded.rubrics,
        judge=["openai:caching"],
        base_url=judge.base_url,
        prices=prices,
        date="2026-05-04",
        run=run,
    )


def bill(provider: CachingProvider) -> float:
    """USD, as the provider reckons."""
    billed = provider.billed
    fresh = billed["input"] - billed["cached"]
    return (
        fresh * PRICE["input"]
        + billed["cached"] * PRICE["cached_input"]
        + billed["output"] * PRICE["output"]
    ) / 1_000_000


@pytest.mark.parametrize("bytes_a_token", [3.3, 4.0])
def test_most_of_the_prompts_is_billed_as_cached_and_the_estimate_knew_it(
    tmp_path: Path, bytes_a_token: float
) -> None:
    graded = write_graded_set(tmp_path / "set", REPORTS, CRITERIA, CHARACTERS)
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"caching": PRICE}))
    provider = CachingProvider(bytes_a_token)
    with FakeJudge(reasoned, 0.02, {"caching": provider}) as judge:
        asked = request(graded, tmp_path / "r", prices, judge)
        expected = estimate(*asked)
        summary = evaluate(*asked)
    assert summary.tally.scored == REPORTS
    assert len(judge.requests) == REPORTS * CRITERIA

    assert provider.share >= 0.85
    assert (summary.tokens["input"], summary.tokens["cached"]) == (
        provider.billed["input"],
        provider.billed["cached"],
    )
    assert f"cached ({provider.share:.1%} of input)" in "\n".join(summary.lines())

    assert summary.spent == pytest.approx(bill(provider))
    ((_, reckoned),) = expected.models.items()
    reckoning = reckoned.typical
    assert reckoning.cost == pytest.approx(bill(provider), rel=0.25)
    assert reckoning.usage.input == pytest.approx(provider.billed["input"], rel=0.25)
    assert " cached; out: about " in "\n".join(expected.lines())
