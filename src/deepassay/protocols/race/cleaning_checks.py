"""Whether a model that took the citations out of an article took anything else out or put in.

Its text is held against what `reports.clean` makes of the same article. The released program
looks at nothing but a least length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from deepassay.models.operation import OffMenu
from deepassay.protocols.overlap import words_of
from deepassay.reports.report import Report

LEAST_WORDS: Final = 0.95
"""Share of the content words that must still be there."""

SHORTEST: Final = 0.8
LONGEST: Final = 1.1
"""Length of the answer by that of the text without citations."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MARKUP = re.compile(r"[\s#*_`~]+")
_NAMED: Final = 5


def check_cleaned(expected: str, answer: str) -> None:
    """Raise OffMenu if words, numbers or headings of `expected` are gone, or text was added."""
    if lost := _absent(_headings(expected), _headings(answer)):
        raise OffMenu(f"headings are lost: {_named(lost)}")
    if lost := _absent(_NUMBER.findall(expected), _NUMBER.findall(answer)):
        raise OffMenu(f"numbers that belong to the text are lost: {_named(lost)}")
    words = words_of(expected)
    lost = _absent(words, words_of(answer))
    if len(lost) > (1 - LEAST_WORDS) * len(words):
        raise OffMenu(f"{len(lost)} of {len(words)} content words are lost: {_named(lost)}")
    long, most = len(answer.strip()), LONGEST * len(expected.strip())
    if not SHORTEST * len(expected.strip()) <= long <= most:
        raise OffMenu(
            f"the text has {long} characters; without its citations the article has "
            f"{len(expected.strip())}: take out citations, change nothing else"
        )


def _headings(text: str) -> list[str]:
    blocks = Report(text).blocks
    titles = (text[each.span.start : each.span.end] for each in blocks if each.kind == "heading")
    return [_MARKUP.sub("", title) for title in titles]


def _absent(wanted: Iterable[str], found: Iterable[str]) -> list[str]:
    """What of `wanted` is not in `found`, as often as it is not."""
    return list((Counter(wanted) - Counter(found)).elements())


def _named(lost: list[str]) -> str:
    more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
    return ", ".join(each[:60] for each in lost[:_NAMED]) + more
