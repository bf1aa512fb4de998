"""Subtitles: SubRip (.srt) and WebVTT (.vtt), read line by line.

The libraries for these formats drop speakers and pass over a broken time mark without a word;
here each cue keeps its time, and an error has its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from deepassay.curate.arena.wording import Said, seconds, words
from deepassay.errors import BadTasks

_VOICE = re.compile(r"<v(?:\.[^<>\s]{0,100})?[ \t]([^<>]{1,200})>")
_REMARK = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)(?:[ \t]|$)")
_MOST_LINES = 4  # of one caption that rolls up


@dataclass
class _Cue:
    """What is shown from start to end, in seconds."""

    start: float
    end: float
    lines: list[str] = field(default_factory=list)


def read_captions(text: str, name: str) -> list[Said]:
    """What the cues of a file say, in its order, captions that roll up only once.

    Raises BadTasks naming file and line for a time mark that is none, and for words before the
    first one.
    """
    cues = _cues(text, name)
    shown = [[line for line in cue.lines if words(line)] for cue in cues]
    if _rolls(shown):
        return list(_unrolled(cues, shown))
    return [said for cue in cues for said in _spoken(cue)]


def _cues(text: str, name: str) -> list[_Cue]:
    cues: list[_Cue] = []
    remark = False
    lines = [line.rstrip("\r") for line in text.split("\n")]
    for number, (line, following) in enumerate(pairwise([*lines, ""]), start=1):
        after_blank = number == 1 or not lines[number - 2].strip()
        if (times := _times(line, f"{name}, line {number}")) is not None:
            cues.append(_Cue(*times))
            remark = False
        elif not line.strip():
            remark = False
        elif remark or (after_blank and _REMARK.match(line)):
            remark = True
        elif "-->" in following and (after_blank or line.strip().isdigit()):
            pass  # the name or number of the next cue
        elif cues:
            cues[-1].lines.append(line)
        else:
            raise BadTasks(
                f"{name}, line {number}: words before the first time mark.",
                "Subtitles have 00:00:01.000 --> 00:00:04.000 above the words; name plain text "
                "*.txt.",
            )
    return cues


def _times(line: str, place: str) -> tuple[float, float] | None:
    """Start and end, if the line is a time mark. Raises BadTasks if it is a broken one."""
    first, arrow, rest = line.partition("-->")
    first = first.strip()
    if not arrow or (first and not first[0].isdigit()):
        return None
    start, end = seconds(first), seconds((rest.split() or [""])[0])
    if start is None or end is None:
        raise BadTasks(
            f"{place}: not a time mark: {line.strip()[:60]!r}.",
            "Write 00:00:01.000 --> 00:00:04.000.",
        )
    if end < start:
        raise BadTasks(f"{place}: the words end before they begin.", "Correct one of the times.")
    return start, end


def _spoken(cue: _Cue) -> Iterator[Said]:
    """What each speaker of a cue says; lines that begin with a dash are of two speakers."""
    lines = cue.lines
    dashes = len(lines) > 1 and all(line.lstrip().startswith(("- ", "– ")) for line in lines)
    for part in [line.lstrip()[1:] for line in lines] if dashes else [" ".join(lines)]:
        before, *voices = _VOICE.split(part)
        yield Said(before, cue.start, cue.end)
        for speaker, text in zip(voices[::2], voices[1::2], strict=True):
            yield Said(text, cue.start, cue.end, words(speaker) or None)


def _rolls(shown: Sequence[Sequence[str]]) -> bool:
    """Whether captions repeat what was shown: a third of them does. Now and then people do too."""
    full = [[words(line) for line in lines] for lines in shown if lines]
    again = sum(
        1 for last, lines in pairwise(full) if _repeated(last, lines) or _grown(last, lines)
    )
    return len(full) > 2 and 3 * again >= len(full)


def _unrolled(cues: Sequence[_Cue], shown: Sequence[Sequence[str]]) -> Iterator[Said]:
    """Each line at the time when it was first shown; one that grows, when it is complete."""
    last: list[str] = []
    waiting: Said | None = None
    for cue, lines in zip(cues, shown, strict=True):
        fresh = [words(line) for line in lines]
        if not fresh:
            continue
        begin = _repeated(last, fresh)
        if not begin and waiting is not None and _grown(last, fresh):
            waiting = waiting._replace(text=lines[0], end=cue.end)
            begin = 1
        for line in lines[begin:]:
            if waiting is not None:
                yield from _voiced(waiting)
            waiting = Said(line, cue.start, cue.end)
        last = fresh
    if waiting is not None:
        yield from _voiced(waiting)


def _voiced(said: Said) -> Iterator[Said]:
    assert said.start is not None and said.end is not None
    yield from _spoken(_Cue(said.start, said.end, [said.text]))


def _repeated(last: Sequence[str], lines: Sequence[str]) -> int:
    """How many lines are the last ones of what was shown before."""
    most = min(len(last), len(lines), _MOST_LINES)
    return next((n for n in range(most, 0, -1) if last[-n:] == lines[:n]), 0)


def _grown(last: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether the first line goes on where the last one stopped."""
    if not last or len(lines[0]) <= len(last[-1]) or not lines[0].startswith(last[-1]):
        return False
    next_character = lines[0][len(last[-1])]
    return not (next_character.isascii() and next_character.isalnum())  # else within a word
