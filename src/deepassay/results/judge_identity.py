"""What of a recipe says who judged by what: what is known of a judge holds as long as it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from deepassay.score import Json, canonical_json

DECIDING: Final = (
    *("protocol", "edition", "judges", "extractor", "cleaner", "maker", "verifier", "prompts"),
    *("offline_rules", "rules", "code", "definition", "pages"),
)


def deciding(identity: Mapping[str, Json]) -> dict[str, Json]:
    """What of an identity says who judged by what: not the tasks, what they bring, or the day."""
    return {name: identity[name] for name in DECIDING if name in identity}


def what_differs(known: Mapping[str, Json], scored: Mapping[str, Json], then: str) -> list[str]:
    """What is not alike, in words. then: when it was known, as `in the audit`."""
    return [
        f"{name} was {_plain(known.get(name))} {then}, is {_plain(scored.get(name))} here"
        for name in sorted(known.keys() | scored.keys())
        if canonical_json(known.get(name)) != canonical_json(scored.get(name))
    ]


LONGEST: Final = 200


def _plain(value: Json) -> str:
    if isinstance(value, list):
        return " + ".join(_plain(each) for each in value)
    if isinstance(value, Mapping) and "model" in value:
        rest = ", ".join(f"{name} {each}" for name, each in value.items() if name != "model")
        return f"{value['model']} ({rest})" if rest else str(value["model"])
    return str(value)[:LONGEST] if value is not None else "nothing"
