"""What tokens cost.

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
from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from deepassay.errors import BadSetting
from deepassay.models.usage import Usage
from deepassay.score import Json

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
