"""Answers as models write them: analyses that get in the way, and JSON that is not quite JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any

PIECES = (
    "deeper insight is wanted",
    'its "insight" is thin',
    "more 'insight' than before",
    'good on "comprehensiveness"',
    "readability suffers",
    "'readability' aside",
    "under instruction_following",
    '"instruction_following"',
    "“洞察（insight）”不足，可读性好。",
    '全面性（"comprehensiveness"）尚可；见［3］',
    "1. costs; 2. noise\n- and a list",
    "see [3] and {note}",
    '{"score": 9}',
    "as in ```json\n{}\n``` above",
    "```",
    "a \\ backslash, 50 \\% of it",
    "]}, {",
    "8.5/10",
    "article_1_score of 3",
    '"article_1_score": 3',
    '"criterion": "Costs"',
    "<think>no</think>",
    "// not a comment",
    "纯文本，没有任何符号",
    "a tab\tand a 😀",
)


def analysis(chance: Random) -> str:
    """What a judge says of a criterion; never empty."""
    return " ".join(chance.choices(PIECES, k=chance.randint(1, 3)))


@dataclass(frozen=True)
class Style:
    """How a value is spelled. broken: whether that is no JSON any more."""

    quote: str = '"'
    trailing: bool = False
    bare: bool = False
    spaced: bool = False
    escaped: bool = False

    @property
    def broken(self) -> bool:
        """Whether a plain reader of JSON may refuse what is spelled so."""
        return self.quote != '"' or self.trailing or self.bare

    def spell(self, value: Any) -> str:
        """The value as text.

        quote: around keys. trailing: a comma after the last entry. bare: quotation marks and line
        ends inside texts stand as they are. spaced: on many lines. escaped: in ASCII.
        """
        gap = "\n  " if self.spaced else " "
        if isinstance(value, dict):
            entries = [f"{self._key(key)}: {self.spell(each)}" for key, each in value.items()]
            return self._listed("{", entries, "}", gap)
        if isinstance(value, list):
            return self._listed("[", [self.spell(each) for each in value], "]", gap)
        if isinstance(value, str) and self.bare:
            return f'"{value}"'
        return json.dumps(value, ensure_ascii=self.escaped)

    def _key(self, key: str) -> str:
        return f"{self.quote}{key}{self.quote}" if self.quote != '"' else json.dumps(key)

    def _listed(self, opening: str, entries: list[str], closing: str, gap: str) -> str:
        if not entries:
            return opening + closing
        comma = "," if self.trailing else ""
        return f"{opening}{gap}{f',{gap}'.join(entries)}{comma}{gap}{closing}"


def style(chance: Random, broken: float = 0.4) -> Style:
    """Any style; broken: how often it is no JSON."""
    plain = {"spaced": chance.random() < 0.5, "escaped": chance.random() < 0.3}
    if chance.random() >= broken:
        return Style(**plain)
    return Style(
        quote=chance.choice(['"', '"', '"', "'", ""]),
        trailing=chance.random() < 0.7,
        bare=chance.random() < 0.4,
        **plain,
    )


WRAPPINGS = {
    "nothing": "{}",
    "blanks": "\n  {}\n\n",
    "fence": "```json\n{}\n```",
    "plain fence": "```\n{}\n```",
    "prose": "Here is my answer: {} I hope it helps!",
    "prose and fence": "Sure.\n\n```json\n{}\n```\nThat is all.",
    "tags": "<json_output>\n{}\n</json_output>",
}
"""What stands around an answer; readers of edition `paper` see through all of it."""


def wrapped(raw: str, chance: Random) -> str:
    """An answer with something around it."""
    return chance.choice([*WRAPPINGS.values()]).replace("{}", raw)


def mangled(raw: str, chance: Random) -> str:
    """An answer that came in an odd shape: cut off, twice, in a list, after thinking."""
    kind = chance.randrange(6)
    if kind == 0:
        return raw[: chance.randint(0, len(raw))]
    if kind == 1:
        return f"{raw}\n{raw}"
    if kind == 2:
        return f"```json\n[{raw}]\n```"
    if kind == 3:
        return f"<think>{chance.choice(PIECES)}</think>{raw}"
    if kind == 4:
        return f"{chance.choice(PIECES)} {raw} {chance.choice(PIECES)}"
    return json.dumps(raw)
