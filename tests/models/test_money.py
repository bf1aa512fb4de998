from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadSetting, OverBudget
from deepassay.models.budget import Budget
from deepassay.models.prices import OwnPrice, price_of, read_prices, worst_case
from deepassay.models.usage import Usage, estimate_tokens, most_tokens, token_range

OPENAI = "https://api.openai.com/v1"


async def spend(cap: float, seed: int, calls: int, largest: float) -> tuple[float, int]:
    """64 workers that reserve worst cases and spend a random part of them; what was spent."""
    chance = np.random.default_rng(seed)
    budget = Budget(cap)
    worst = chance.uniform(largest / 10, largest, calls)
    share = chance.uniform(0.05, 1.0, calls)
    spent: list[float] = []
    work = iter(range(calls))

    async def worker() -> None:
        for call in work:
            try:
                async with budget.reserve(worst[call]) as reservation:
                    assert budget.spent + budget.reserved <= cap + 1e-9
                    await asyncio.sleep(0)
                    for _ in range(int(5 * share[call])):
                        await asyncio.sleep(0)
                    reservation.cost = worst[call] * share[call]
                    spent.append(reservation.cost)
            except OverBudget:
                pass

    await asyncio.gather(*(worker() for _ in range(64)))
    assert budget.spent == pytest.approx(sum(spent))
    assert budget.reserved == 0.0
    return sum(spent), len(spent)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.floats(0.0005, 2.0))
def test_64_workers_never_pass_the_cap(seed: int, largest: float) -> None:
    spent, _ = asyncio.run(spend(1.0, seed, 400, largest))
    assert spent <= 1.0 + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_small_calls_use_nine_tenths_of_the_cap(seed: int) -> None:
    spent, _ = asyncio.run(spend(1.0, seed, 1000, 0.02))
    assert 0.9 <= spent <= 1.0 + 1e-9


@pytest.mark.asyncio
async def test_a_call_waits_for_room_rather_than_be_refused() -> None:
    budget = Budget(1.0)
    async with budget.reserve(0.9) as first:
        waiting = asyncio.create_task(_reserve(budget, 0.8))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        first.cost = 0.1
    await waiting
    assert budget.spent == pytest.approx(0.9)


async def _reserve(budget: Budget, worst: float) -> None:
    async with budget.reserve(worst):
        pass


@pytest.mark.asyncio
async def test_what_cannot_fit_is_refused_and_says_how_much_is_spent() -> None:
    budget = Budget(1.0, spent=0.4)
    with pytest.raises(OverBudget, match=r"may cost \$0.7000; \$0.4000 of the budget of \$1.00"):
        await _reserve(budget, 0.7)
    await _reserve(budget, 0.6)


@pytest.mark.asyncio
async def test_a_refusal_tells_at_the_end_of_what_smaller_calls_have_spent_since() -> None:
    budget = Budget(1.0, spent=0.4)
    assert budget.refused == ""
    for worst in (0.7, 0.9):
        with pytest.raises(OverBudget, match=rf"may cost \${worst}000; \$0.4000 of"):
            await _reserve(budget, worst)
    for worst in (0.1, 0.2):
        await _reserve(budget, worst)
    with pytest.raises(OverBudget, match=r"may cost \$0.4000; \$0.7000 of"):
        await _reserve(budget, 0.4)
    assert (
        budget.refused == "The next call may cost $0.7000; $0.7000 of the budget of $1.00 is spent."
    )


@pytest.mark.asyncio
async def test_a_call_that_is_cancelled_counts_in_full() -> None:
    budget = Budget(1.0)

    async def hang() -> None:
        async with budget.reserve(0.5):
            await asyncio.sleep(60)

    task = asyncio.create_task(hang())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert (budget.spent, budget.reserved) == (0.5, 0.0)


@pytest.mark.asyncio
async def test_without_a_cap_nothing_is_refused() -> None:
    budget = Budget()
    await _reserve(budget, 1e9)
    assert budget.spent == 1e9


@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("gpt-4.1", OPENAI),
        ("claude-sonnet-4-5", "https://api.anthropic.com"),
        ("gemini-2.5-pro", "https://generativelanguage.googleapis.com"),
        ("openai/gpt-4.1", "https://openrouter.ai/api/v1"),
    ],
)
def test_the_list_knows_the_vendors_prices(model: str, url: str) -> None:
    price = price_of(model, url)
    assert price is not None
    tokens = Usage(input=1_000_000, output=1_000_000)
    assert 0.1 < price(tokens) < 200
    assert price(Usage(input=10_000, cached=10_000)) < price(Usage(input=10_000))


@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("gpt-4.1", "http://localhost:8000/v1"),
        ("no-such-model", OPENAI),
        ("x", "http://openai.com"),
    ],
)
def test_a_price_that_nobody_knows_is_none(model: str, url: str) -> None:
    assert price_of(model, url) is None


def test_the_worst_case_counts_what_writing_to_a_cache_costs() -> None:
    price = price_of("claude-sonnet-4-5", "https://api.anthropic.com")
    assert price is not None
    assert worst_case(price, 1000, 100) > price(Usage(input=1000, output=100))


FILES = {
    "prices.toml": '["m"]\ninput = 1.0\noutput = 4\ncached_input = 0.1\n',
    "prices.json": '{"m": {"input": 1.0, "output": 4, "cached_input": 0.1}}',
    "prices.yaml": "m: {input: 1.0, output: 4, cached_input: 0.1}\n",
}


@pytest.mark.parametrize("name", FILES)
def test_prices_of_ones_own_go_before_the_list(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(FILES[name])
    price = price_of("m", "http://localhost/v1", read_prices(tmp_path / name))
    assert price is not None
    assert price(Usage(input=1_000_000, cached=500_000, output=250_000)) == pytest.approx(1.55)


@pytest.mark.parametrize(
    ("entry", "share"), [("", 0.5), (", batch: 1", 1.0), (", batch: 0.2", 0.2)]
)
def test_a_batch_costs_half_or_the_share_that_the_file_says(
    tmp_path: Path, entry: str, share: float
) -> None:
    (tmp_path / "p.yaml").write_text(f"m: {{input: 1, output: 4, cached_input: 0.1{entry}}}")
    own = read_prices(tmp_path / "p.yaml")
    live = price_of("m", "http://localhost/v1", own)
    batch = price_of("m", "http://localhost/v1", own, batch=True)
    assert live is not None and batch is not None
    tokens = Usage(input=1_000_000, cached=500_000, output=250_000)
    assert batch(tokens) == pytest.approx(share * live(tokens))


@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("gpt-5", OPENAI),
        ("claude-sonnet-4-5", "https://api.anthropic.com"),
        ("gemini-2.5-pro", "https://generativelanguage.googleapis.com"),
    ],
)
def test_the_list_knows_what_a_batch_costs(model: str, url: str) -> None:
    live, batch = price_of(model, url), price_of(model, url, batch=True)
    assert live is not None and batch is not None
    tokens = Usage(input=10_000, output=1_000)
    assert batch(tokens) == pytest.approx(live(tokens) / 2)


def test_a_price_may_stand_under_the_name_with_its_provider(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("openai:m: {input: 1, output: 4}")
    own = read_prices(tmp_path / "p.yaml")
    price = price_of("m", "http://localhost/v1", own, "openai:m")
    assert price is not None and price(Usage(output=1_000_000)) == 4
    assert price_of("m", "http://localhost/v1", own, "ollama:m") is None


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("p.toml", "[m]\ninput = 1.0\n", "m.output: is missing"),
        ("p.json", '{"m": {"input": -1, "output": 1}}', "m.input"),
        ("p.json", '{"m": {"input": NaN, "output": 1}}', "m.input"),
        ("p.json", '{"m": {"input": 1, "output": 1, "per": "token"}}', "m.per"),
        ("p.json", "{", "Expecting"),
        ("p.json", "[]", "holds no models by name"),
        ("p.json", "[" * 100_000, "nested too deep"),
        ("p.yaml", "a: [", "line 1: not YAML"),
        ("p.yaml", "- a", "holds no models by name"),
        ("p.yaml", "", "holds no models by name"),
        ("p.yaml", "a: 3", "a: is not a mapping with"),
        ("p.yaml", "4: {input: 1, output: 1}", "4: the name of a model is a text"),
        ("p.yaml", "a: {input: cheap, output: 1}", "a.input: must be a number"),
        ("p.yaml", "a: 2026-02-30", "line 1: not YAML: no such value"),
        ("p.yaml", "[" * 100_000, "line 1: nested too deep"),
        ("p.yaml", "a: {input: 1, output: 1}\na: {input: 2, output: 1}", "line 2: the key 'a'"),
        ("p.csv", "m,1,2", "not .toml, .json or .yaml"),
    ],
)
def test_a_price_file_that_cannot_be_used_says_why(
    tmp_path: Path, name: str, text: str, problem: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadSetting, match=problem):
        read_prices(tmp_path / name)


def test_a_price_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="No such file"):
        read_prices(tmp_path / "p.toml")


def test_own_prices_do_not_go_negative_on_odd_counts() -> None:
    price = OwnPrice(input=1.0, output=1.0, cached_input=0.0)
    assert price(Usage(input=10, cached=20)) == 0.0


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        # prose: about four letters a token; addresses and tables: fewer; Chinese: 1 to 1.7
        ("The quick brown fox jumps over the lazy dog and runs away. " * 50, 550, 850),
        ("https://www.example.org/path/2026/11/20/article-1234.html?id=56 " * 20, 350, 640),
        ("研究报告应当注明每一项数据的来源。" * 50, 450, 850),
        ("", 1, 1),
    ],
)
def test_estimates_are_about_what_tokenizers_make(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most


@settings(deadline=None, max_examples=80)
@given(st.text(max_size=300))
def test_what_a_cap_counts_lies_above_the_estimate(text: str) -> None:
    assert estimate_tokens(text) <= most_tokens(text)


def test_usage_adds_up() -> None:
    total = Usage(1, 2, 3, 4, 5) + Usage(10, 20, 30, 40, 50)
    assert total == Usage(11, 22, 33, 44, 55)
    assert Usage(input=3).as_dict() == {"input": 3}


@settings(deadline=None)
@given(st.text())
def test_the_tokens_of_a_text_lie_about_the_estimate(text: str) -> None:
    found = token_range(text)
    assert found.low <= found.typical <= found.high + 1
    assert found.typical == estimate_tokens(text)


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("The report takes the point up in its second section. " * 40, (0.72, 1.03)),
        ("报告在第二节中论述了这一点，并给出了来源。" * 40, (0.91, 1.68)),
    ],
    ids=["English", "Chinese"],
)
def test_the_range_holds_what_tokenizers_were_measured_to_make(
    text: str, shares: tuple[float, float]
) -> None:
    found = token_range(text)
    least, most = (share * estimate_tokens(text) for share in shares)
    assert found.low <= least and most <= found.high
