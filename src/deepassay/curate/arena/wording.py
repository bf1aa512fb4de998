"""What a line of a transcript says: who speaks when, and the words without tags and labels."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeGuard

from deepassay.curate.arena.transcript import Segment
from deepassay.text import EAST_ASIAN, FULL_WIDTH

_TIME = re.compile(r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)(?:[.,](\d{1,6}))?")
_TAG = re.compile(
    r"</?(?:b|i|u|s|c|v|lang|ruby|rt|font)(?:[.\s][^<>]{0,200})?>|<[\d:.,]{5,16}>", re.IGNORECASE
)
_STYLE = re.compile(r"\{\\[^{}]{0,100}\}")  # of a foreign format, often left behind in SubRip
_ENTITY = re.compile(r"&(?:amp|lt|gt|nbsp|lrm|rlm|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_LABEL = re.compile(r"(?:>>\s?)?([^\W_][^:：<>\"“”!?。，]{0,39})(?::\s|：)")
_NUMBERED = re.compile(r"(?i:speaker|sprecher|说话人|发言人)[ _]?\w{1,4}")
_WIDE: Final = EAST_ASIAN + FULL_WIDTH
_LONGEST: Final = 10_000 * 3600  # seconds: what a time mark can say
_BETWEEN_WIDE = re.compile(f"(?<=[{_WIDE}]) (?=[{_WIDE}])")


class Said(NamedTuple):
    """Words as a file has them, a label perhaps before them. Times in seconds."""

    text: str
    start: float | None = None
    end: float | None = None
    speaker: str | None = None


def seconds(mark: str) -> float | None:
    """The time that `1:02:03.5`, `02:03,500` or `2:03` stand for; None if they stand for none."""
    found = _TIME.fullmatch(mark)
    if found is None:
        return None
    hours, minutes, rest, fraction = found.groups(default="0")
    return int(hours) * 3600 + int(minutes) * 60 + int(rest) + float(f"0.{fraction}")


def words(text: str) -> str:
    """The words on one line, without tags; entities are what they stand for."""
    bare = _STYLE.sub("", _TAG.sub("", text))
    line = " ".join(_ENTITY.sub(lambda found: html.unescape(found[0]), bare).split())
    return _BETWEEN_WIDE.sub("", line)


def segments_of(said: Iterable[Said]) -> tuple[Segment, ...]:
    """Segments of what has words. A name before a colon becomes the speaker where it is one.

    It is one if it stands in capitals, is numbered, or begins two lines or more: `Note: …` is
    what somebody said.
    """
    lines = [each._replace(text=text) for each in said if (text := words(each.text))]
    labels = [None if each.speaker else _label(each.text) for each in lines]
    often = Counter(label for label, _ in filter(None, labels))
    found = []
    for said_so, label in zip(lines, labels, strict=True):
        each = said_so
        if (
            label
            and _is_name(label[0], often[label[0]])
            and (rest := each.text[label[1] :].strip())
        ):
            each = each._replace(speaker=label[0], text=rest)
        text = each.text.removeprefix(">>").strip() or each.text
        found.append(Segment(text=text, start=each.start, end=each.end, speaker=each.speaker))
    return tuple(found)


def _label(text: str) -> tuple[str, int] | None:
    """What stands before the first colon, if it could be a name, and where the words begin."""
    found = _LABEL.match(text)
    if found is None:
        return None
    name = found[1].strip()
    parts = name.split()
    named = len(parts) <= 4 and not any(part[0].islower() for part in parts)
    named = named and not name.isdigit()
    return (name, found.end()) if named else None


def _is_name(label: str, times: int) -> bool:
    capitals = label.isupper() and len(label) > 1
    return capitals or times > 1 or _NUMBERED.fullmatch(label) is not None


def is_time(value: object) -> TypeGuard[float]:
    """Whether a value can be seconds since the beginning of a recording."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return 0 <= value <= _LONGEST
