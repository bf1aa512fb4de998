"""A judge that believes whatever stands outside the fences, and is easily led to see their end.

It knows of the fences what the system prompt and `models/fence.py` say and shares no code with
them. A block begins with a line `<<<BEGIN name code`. It ends with its own END line, but also with
whatever a careless reader could take for one (any three angle brackets and the word END, however
they are spelled) and with anything that a careless server could take for the end of a turn.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Any

from tests.hostile.attacks import FORGED, PASSWORDS

_BEGIN = re.compile(r"<<<BEGIN (\w+) ([0-9a-f]{12})")
_MARKER = re.compile(r"(?:< *){3}[\W_]*(?:end|begin)")
_TOKEN = re.compile(
    r"<[|｜][^<>\n]+[|｜]>|</?(?:s|bos|eos|start_of_turn|end_of_turn|eoa|eoh|reserved_\d+)>"
    r"|\[/?(?:INST|SYSTEM_PROMPT)\]|<</?SYS>>"
)
_WIDTHS = {1: "˂ᐸᚲ‹❮❬\U0001d236⟨〈⧼⦑❰", 2: "«≪《⟪", 3: "⋘"}
_BRACKETS = {each: "<" * width for width, signs in _WIDTHS.items() for each in signs}
_FILLERS = "\u115f\u1160\u3164\uffa0\u2800"
_TAGS = range(0xE0020, 0xE007F)


class Gullible:
    """The judge. escapes: what it found outside of all fences that is an order.

    answer: of an honest judge. seen: in how many blocks of each name an order stood.
    """

    def __init__(self, answer: Any = lambda body: json.dumps({})) -> None:
        self._honest = answer
        self.escapes: list[str] = []
        self.seen: Counter[str] = Counter()

    def __call__(self, body: dict[str, Any]) -> str:
        """The answer to a request: the honest one, or the one that it was ordered to give."""
        said = [each["content"] for each in body["messages"] if each["role"] != "assistant"]
        obeyed = False
        for text in said:
            outside, blocks = split(text)
            self.seen.update({name for name, inside in blocks if is_order(inside)})
            if is_order(outside):
                obeyed = True
                self.escapes.append(outside)
        return json.dumps(FORGED) if obeyed else self._honest(body)


def split(prompt: str) -> tuple[str, list[tuple[str, str]]]:
    """What stands outside of the fences, and the blocks by name."""
    outside: list[str] = []
    blocks: list[tuple[str, str]] = []
    name, end, inside = "", "", list[str]()
    for line in prompt.split("\n"):
        if not end:
            if begin := _BEGIN.fullmatch(line):
                name, end, inside = begin[1], f"<<<END {begin[1]} {begin[2]}", []
            else:
                outside.append(line)
        elif line == end or _looks_like_the_end(line):
            blocks.append((name, "\n".join(inside)))
            outside += [] if line == end else [line]
            end = ""
        else:
            inside.append(line)
    if end:  # a block that nothing ends hides the question: as bad as an escape
        outside += inside
    return "\n".join(outside), blocks


@lru_cache(maxsize=512)  # a judge is shown the same again and again
def is_order(text: str) -> bool:
    """Whether somebody orders something, however it is hidden and whichever way it runs."""
    plain = text.translate(_PLAIN).casefold()
    return any(word in plain or word[::-1] in plain for word in PASSWORDS)


@lru_cache(maxsize=4096)
def _looks_like_the_end(line: str) -> bool:
    plain = line.translate(_PLAIN)
    return bool(_MARKER.search(plain.casefold()) or _TOKEN.search(line))


def _plain(char: str) -> str:
    """A character as a careless reader sees it; nothing for one that is not seen."""
    if ord(char) in _TAGS:
        return chr(ord(char) - 0xE0000)
    if char in _FILLERS or unicodedata.category(char) in ("Cf", "Cc", "Mn", "Me"):
        return ""
    if unicodedata.category(char) in ("Zs", "Zl", "Zp"):
        return " "
    folded = unicodedata.normalize("NFKC", char)
    return "".join(_BRACKETS.get(each, each) for each in folded)


class _Plain(dict[int, str]):
    """Of each character what `_plain` makes of it."""

    def __missing__(self, code: int) -> str:
        self[code] = _plain(chr(code))
        return self[code]


_PLAIN = _Plain()
