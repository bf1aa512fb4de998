"""How the released program of RACE finds JSON in what a judge wrote: edition `code`.

Six ways are tried in turn and the first that yields JSON wins, right or wrong. The last of them
collects criteria and scores by pattern from JSON that is broken, and pairs them by position.
Each way looks at the text a fixed number of times, so that a hostile answer costs linear time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Final

from deepassay.protocols.released import Quirk
from deepassay.score import Json
from deepassay.tasks.yardsticks import DIMENSIONS


class RaceQuirk(Quirk):
    """One code each; what the program does there is told in papers.yaml."""

    SALVAGED = "salvaged"
    FIRST_OF_TWO = "first-of-two"
    MISSING_DIMENSION = "missing-dimension"
    EXTRA_DIMENSION = "extra-dimension"
    MISSING_CRITERION = "missing-criterion"
    EXTRA_CRITERION = "extra-criterion"
    DUPLICATE_CRITERION = "duplicate-criterion"
    UNMATCHED_CRITERION = "unmatched-criterion"
    CASE_MATCH = "case-match"
    SUBSTRING_MATCH = "substring-match"
    SKIPPED_ITEM = "skipped-item"
    STRING_SCORE = "string-score"
    TRUTH_SCORE = "truth-score"
    SCORE_OUT_OF_RANGE = "score-out-of-range"
    TARGET_SCORE_ONLY = "target-score-only"
    MISSING_REFERENCE_SCORE = "missing-reference-score"
    LAST_REFERENCE_SCORE = "last-reference-score"
    ZERO_TOTAL = "zero-total"
    RATIO_OUT_OF_RANGE = "ratio-out-of-range"
    NAN = "nan"
    PROGRAM_STOPS = "program-stops"


_BRACE = re.compile(r"[{}]")
_CRITERION = re.compile(r'"criterion"\s*:\s*"([^"]+)"')
_TARGET = re.compile(r'"article_1_score"\s*:\s*(\d+\.?\d*)')
_REFERENCE = re.compile(r'"article_2_score"\s*:\s*(\d+\.?\d*)')
_WORTH_SALVAGING: Final = ("comprehensiveness", "article_1_score", "article_2_score")


class OddObject(dict[str, Json]):
    """An object that was found in an odd way. quirks: in which."""

    def __init__(self, found: dict[str, Json], *quirks: RaceQuirk) -> None:
        super().__init__(found)
        self.quirks = quirks


def released_json(raw: str) -> Json:
    """The answer that the program takes: a value that names all four dimensions.

    Raises ValueError where it would ask again. Any value with `in` will do, a text too.
    """
    found = extracted_json(raw)
    if not isinstance(found, dict | list | str):
        raise ValueError("The answer is not an object with the four dimensions.")
    if missing := [name for name in DIMENSIONS if name not in found]:
        raise ValueError(f"The answer lacks these dimensions: {', '.join(missing)}.")
    return found


def extracted_json(raw: str) -> Json:
    """The JSON that the program finds, whatever it holds. Raises ValueError if it finds none."""
    text = raw.strip()
    ways: tuple[Callable[[str], tuple[str, str]], ...] = (
        _whole_object, _fenced, _whole, _first_balanced, _first_to_last
    )  # fmt: skip
    for way in ways:
        try:
            piece, rest = way(text)
            found = json.loads(piece)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and f'"{DIMENSIONS[0]}"' in rest:
            return OddObject(found, RaceQuirk.FIRST_OF_TWO)
        return found
    if found := _salvaged(text):
        return OddObject(found, RaceQuirk.SALVAGED)
    raise ValueError("There is no JSON in the answer that can be read.")


# Each way gives the piece of the text that may be JSON, and what follows it.


def _whole_object(text: str) -> tuple[str, str]:
    if not (text.startswith("{") and text.endswith("}")):
        raise ValueError
    return text, ""


def _fenced(text: str) -> tuple[str, str]:
    # The program looks for this block twice, by search and by pattern, and finds the same.
    start = text.index("```json") + len("```json")
    end = text.index("```", start)
    return text[start:end].strip(), text[end:]


def _whole(text: str) -> tuple[str, str]:
    return text, ""


def _first_balanced(text: str) -> tuple[str, str]:
    """From the first brace to the one that closes it, braces inside strings counted too."""
    depth, start = 0, text.index("{")
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return text[start : brace.end()], text[brace.end() :]
    raise ValueError


def _first_to_last(text: str) -> tuple[str, str]:
    start, end = text.index("{"), text.rindex("}") + 1
    return text[start:end], ""


def _salvaged(text: str) -> dict[str, Json]:
    """Criteria and scores of every dimension that is named, paired by position, or nothing."""
    if not all(word in text for word in _WORTH_SALVAGING):
        return {}
    found: dict[str, Json] = {name: _items(part) for name, part in _parts(text)}
    return found if any(found.values()) else {}


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Each dimension with its part of the text: from its name to the nearest other name."""
    for name in DIMENSIONS:
        start = _place_of(name, text, 0, 0)
        if start < 0:
            continue
        ends = (
            _place_of(other, text, start, start + len(name))
            for other in DIMENSIONS
            if other != name
        )
        yield name, text[start : min((end for end in ends if end >= 0), default=len(text))]


def _place_of(name: str, text: str, quoted_from: int, bare_from: int) -> int:
    """Where the name stands first in double quotes, else in single ones, else bare; else -1."""
    for written, begin in (
        (f'"{name}"', quoted_from), (f"'{name}'", quoted_from), (name, bare_from)
    ):  # fmt: skip
        if (place := text.find(written, begin)) >= 0:
            return place
    return -1


def _items(part: str) -> list[Json]:
    triples = zip(
        _CRITERION.findall(part), _TARGET.findall(part), _REFERENCE.findall(part), strict=False
    )
    return [
        {
            "criterion": criterion,
            "article_1_score": float(target),
            "article_2_score": float(reference),
        }
        for criterion, target, reference in triples
    ]
