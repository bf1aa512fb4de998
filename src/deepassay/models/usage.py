"""Tokens, counted by the provider afterwards and estimated by us before, and what they cost.

The list (genai-prices) is only believed for the vendor's own address: a local server may call
its model by any name. It is as old as the installed version and is never updated over the
network. A file of one's own holds USD per million tokens and goes before the list:

    gpt-5: {input: 1.25, cached_input: 0.125, output: 10}

The name is the provider's or ours, `openai:gpt-5`. In a batch all of it costs half, or the share
that `batch` says, as in `batch: 1` for a server of one's own.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from operator import add
from pathlib import Path
from string import ascii_letters
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from deepassay.errors import BadSetting
from deepassay.score import Json

_CJK = bytes((0x11, *range(0x2E, 0xA5), *range(0xAC, 0xD8), 0xF9, 0xFA, 0xFE, 0xFF))
"""First bytes, in UTF-16, of Chinese, Japanese and Korean characters and their punctuation."""
_LETTERS = f"{ascii_letters} ".encode()
_NOT_ASCII = bytes(range(128, 256))


@dataclass(frozen=True)
class Usage:
    """Tokens of one request or of many. `input` includes `cached` and `cache_write`."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_write: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*map(add, vars(self).values(), vars(other).values()))

    def as_dict(self) -> dict[str, int]:
        """The counts that are not zero, by name."""
        return {name: count for name, count in vars(self).items() if count}


UNSEEN: Final = 100_000
"""Tokens that may come to a request out of sight: a gateway's instructions, thinking."""


def believed(usage: Usage | None, sent: int, most: int) -> tuple[Usage | None, str]:
    """Counts that can be so, or None and what is wrong with them.

    sent: bytes of the question, of which no token has less than one. most: tokens that were allowed
    for the answer.
    """
    if usage is None:
        return None, ""
    wrong = ""
    if min(vars(usage).values()) < 0:
        wrong = "a negative number of tokens"
    elif usage.cached + usage.cache_write > usage.input:
        wrong = f"{usage.cached + usage.cache_write:,} cached tokens of {usage.input:,}"
    elif usage.input > sent + UNSEEN:
        wrong = f"{usage.input:,} tokens for a question of {sent:,} bytes"
    elif usage.output > most + UNSEEN or usage.reasoning > usage.output:
        wrong = f"an answer of {usage.output:,} tokens, {usage.reasoning:,} of them thought"
    return (None, f"the server counts {wrong}; that is not counted") if wrong else (usage, "")


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, without any provider's tokenizer.

    Rules of thumb for the tokenizers of 2024 to 2026, rather too many than too few: 4.3 letters
    and blanks of English a token, 2 digits or signs (addresses and tables are made of them),
    1.5 characters of Chinese, Japanese or Korean, 2 of any other script.
    """
    letters, signs, cjk, others = _counts(text)
    return round(letters / 4.3 + signs / 2 + cjk / 1.5 + others / 2) + 1


def most_tokens(text: str) -> int:
    """As many tokens as a text may have with an unfavourable tokenizer: what a cap counts.

    About half as many again as the estimate for English, twice as many for Chinese.
    """
    letters, signs, cjk, others = _counts(text)
    return round(letters / 3 + signs + cjk * 1.3 + others * 2) + 16


@dataclass(frozen=True)
class Range:
    """A number that is not known yet: the least, the most likely and the greatest."""

    low: float
    typical: float
    high: float

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.typical + other.typical, self.high + other.high)

    def __mul__(self, times: Range) -> Range:
        return Range(self.low * times.low, self.typical * times.typical, self.high * times.high)

    def __getitem__(self, scenario: int) -> float:
        return (self.low, self.typical, self.high)[scenario]


def token_range(text: str) -> Range:
    """Within what the tokens of a text lie, whichever common tokenizer counts them.

    Measured on published reports in English and Chinese, criteria in JSON and reasons of a judge
    with five tokenizers (cl100k, o200k, Qwen, DeepSeek, Claude 2): .72 to 1.03 of the estimate in
    English, .91 to 1.68 in Chinese. Other scripts were not measured; their range is wide.
    """
    letters, signs, cjk, others = _counts(text)
    return Range(
        letters / 6.1 + signs / 2.9 + cjk * 0.6 + others / 4,
        estimate_tokens(text),
        letters / 4.1 + signs / 1.9 + cjk * 1.15 + others + 1,
    )


@lru_cache(maxsize=256)  # a report is counted once for all the questions that are asked about it
def _counts(text: str) -> tuple[int, int, int, int]:
    """Characters: letters and blanks of English, other ASCII, East Asian ones, all others."""
    raw = text.encode("utf-8", "surrogatepass")  # counting bytes is many times faster
    rest = raw.translate(None, _LETTERS)
    letters = len(raw) - len(rest)
    signs = len(rest.translate(None, _NOT_ASCII))
    cjk = 0
    if not text.isascii():
        high = text.encode("utf-16-be", "surrogatepass")[::2]
        cjk = len(high) - len(high.translate(None, _CJK))
    return letters, signs, cjk, len(text) - letters - signs - cjk


Price = Callable[[Usage], float]
"""USD for so much usage."""

MILLION = 1_000_000


class OwnPrice(BaseModel):
    """One entry of a price file, in USD per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    batch: float = Field(default=0.5, ge=0, le=1, allow_inf_nan=False)

    def in_a_batch(self) -> OwnPrice:
        """The price of what is asked in batches."""
        named = {"input": self.input, "output": self.output, "cached_input": self.cached_input}
        less = {name: each * self.batch for name, each in named.items() if each is not None}
        return self.model_copy(update=less)

    def __call__(self, usage: Usage) -> float:
        """The price in USD of so many tokens."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = max(0, usage.input - usage.cached)
        return (fresh * self.input + usage.cached * cached + usage.output * self.output) / MILLION


def read_prices(path: Path) -> Mapping[str, OwnPrice]:
    """Read a price file (.toml, .json, .yaml). Raises BadSetting."""
    try:
        found = _parse(path.suffix.lower(), path.read_text("utf-8"))
        return TypeAdapter(dict[str, OwnPrice]).validate_python(found)
    except RecursionError:
        reason = "it is nested too deep."
    except ValidationError as error:
        reason = _first(error)
    except (OSError, ValueError) as error:
        reason = str(error)
    raise BadSetting(
        f"The price file {path} cannot be used: {reason}",
        "It holds, for each model, `input`, `output` and perhaps `cached_input` "
        "in USD per million tokens, and perhaps `batch`, what share of it a batch costs.",
    )


def _parse(suffix: str, text: str) -> Json:
    if suffix == ".toml":
        return tomllib.loads(text)
    if suffix == ".json":
        return json.loads(text)
    if suffix not in (".yaml", ".yml"):
        raise ValueError(f"its name ends in {suffix or 'nothing'}, not .toml, .json or .yaml")
    from deepassay.files import BadFile, read_yaml

    try:
        return read_yaml(text)
    except BadFile as error:
        where = f"line {error.line}: " if error.line else ""
        raise ValueError(f"{where}{error.problem}.") from None


def _first(error: ValidationError) -> str:
    """The first thing that is wrong, in words."""
    first = error.errors(include_url=False, include_input=False)[0]
    *way, last = (str(step) for step in first["loc"] or ("",))
    if last == "[key]":
        return f"{'.'.join(way)}: the name of a model is a text; quote it."
    match first["type"]:
        case "dict_type":
            return "it holds no models by name."
        case "model_type":
            problem = "is not a mapping with `input` and `output`."
        case "missing":
            problem = "is missing."
        case "extra_forbidden":
            problem = f"unknown field. There are: {', '.join(OwnPrice.model_fields)}."
        case _:
            problem = "must be a number from 0 on."
    return f"{'.'.join([*way, last])}: {problem}"


def price_of(
    model: str,
    base_url: str,
    own: Mapping[str, OwnPrice] | None = None,
    asked: str = "",
    *,
    batch: bool = False,
) -> Price | None:
    """The price of `model` (as the provider names it) at `base_url`, or None if nobody knows.

    own: prices of a file. asked: the name with its provider, under which it may stand there too.
    batch: in a batch, which costs as much as any other call where the list has no price for it.
    """
    for name in (asked, model):
        if own and name in own:
            return own[name].in_a_batch() if batch else own[name]
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    context = {"processing": "batch"} if batch else None

    def listed(usage: Usage) -> float:
        tokens = Tokens(
            input_tokens=usage.input,
            output_tokens=usage.output,
            cache_read_tokens=min(usage.cached, usage.input),
            cache_write_tokens=min(usage.cache_write, max(0, usage.input - usage.cached)),
        )
        found = calc_price(tokens, model, provider_api_url=base_url, price_context=context)
        return float(found.total_price)

    try:
        listed(Usage(input=1, output=1))
    except LookupError:
        return None
    return listed


def worst_case(price: Price, input_tokens: int, output_tokens: int) -> float:
    """USD if the whole input is written to a cache, where that costs more, or read without one."""
    return max(
        price(Usage(input=input_tokens, output=output_tokens, cache_write=written))
        for written in (0, input_tokens)
    )


_LIGHTEST: Final = 4.3
"""Characters of a token at most."""


def overlapping_parts(text: str, size: int, overlap: int) -> Iterator[str]:
    """A text in parts of at most `size` characters, of which two neighbours share `overlap`."""
    for start, end in cuts_of(text, lambda start: start + size, overlap):
        yield text[start:end]


def cuts_of(text: str, reach: Callable[[int], int], overlap: int) -> Iterator[tuple[int, int]]:
    """Where the parts of a text begin and end.

    reach: up to which offset a part may go that begins at this one; three quarters of a part
    must be longer than `overlap`. A part ends at the end of a paragraph where one lies in its
    last quarter, else of a line, else at a blank. Every character of the text stands in a part.
    """
    start = 0
    while (last := reach(start)) < len(text):
        end = _end_of_part(text, last - (last - start) // 4, last)
        yield start, end
        start = end - overlap
    yield start, len(text)


def cuts_by_tokens(text: str, tokens: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Where parts of at most `tokens` begin and end, as `estimate_tokens` counts."""
    return cuts_of(text, lambda start: _reach(text, start, tokens), overlap)


def _reach(text: str, start: int, most: int) -> int:
    """How far a part may go that begins at `start`.

    A script differs from another in tokens a character, and one text may hold both: the part is
    shortened until its own text fits.
    """
    end = min(len(text), start + ceil(most * _LIGHTEST))
    while (tokens := estimate_tokens(text[start:end])) > most:
        end = start + (end - start) * most // tokens
    return end


def _end_of_part(text: str, first: int, last: int) -> int:
    """A place to cut between two offsets, the latest of the best kind."""
    for mark in ("\n\n", "\n", " "):
        at = text.rfind(mark, first, last)
        if at >= 0:
            return at + len(mark)
    return last


def window_of(model: str, base_url: str, provider: str) -> int | None:
    """Tokens that a model takes, prompt and answer together, or None if nobody knows.

    A server of one's own is believed to serve what it names.
    """
    from genai_prices.data_snapshot import get_snapshot

    for address, name in ((base_url, None), (None, provider)):
        try:
            _, known = get_snapshot().find_provider_model(
                model, provider=None, provider_id=name, provider_api_url=address
            )
        except LookupError:
            continue
        return known.context_window
    return None
