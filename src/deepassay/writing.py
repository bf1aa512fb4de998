"""What texts are written with: East Asian characters, and English words without a subject.

The ranges stand between the brackets of a regular expression.
"""

from __future__ import annotations

import re
from typing import Final

HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Chinese characters: the unified ones, their first extension, and the compatible ones."""

HAN_CHARACTER: Final = re.compile(f"[{HAN}]")

EAST_ASIAN: Final = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Han, kana, Hangul, radicals, and their punctuation."""

FULL_WIDTH: Final = "\uff00-\uffef"
"""Punctuation, digits and letters as wide as a Han character."""

IN_EVERY_TEXT: Final = frozenset(
    """
    a about above after all also an and any are as at be been both but by can could did do does each
    either every for from given had has have how if in into is it its least made may more most must
    no not of on one or other out over per said say should some such than that the their them then
    there these they this those to under up was were what when where whether which while who whose
    why will with within would
    """.split()  # noqa: SIM905 - so it can be read
)
"""English words that tell nothing about any subject.

Every rule that compares words adds those that are empty in its own material: what checklists say
of every item, what reports say of every source, what people say in every talk.
"""


_DIGITS: Final = re.compile(r"(\d+)")


def counted(name: str) -> list[tuple[int, str]]:
    """What to sort names by, so that P2 stands before P10."""
    pieces = _DIGITS.split(name)
    return [(int(piece) if piece.isdecimal() else -1, piece) for piece in pieces]
