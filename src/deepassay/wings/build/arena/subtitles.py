"""Transcripts as people have them: subtitles, plain text, what speech recognition writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from deepassay.errors import BadTasks
from deepassay.files import without_surrogates
from deepassay.score import Json
from deepassay.tasks.rows import read_task_text
from deepassay.tasks.task import Language, detect_language
from deepassay.wings.build.arena.transcript import (
    Transcript,
    Utterance,
    is_time,
    read_transcripts,
    seconds,
    segments_of,
    spoken_words,
)

_MARK: Final = r"(?:\d{1,4}:)?\d{1,2}:\d{2}(?:[.,]\d{1,6})?"
_MARKED = re.compile(
    rf"\s{{0,20}}(?:[\[(]({_MARK})(?: ?(?:-->|-|–) ?({_MARK}))?[\])]"
    rf"|(\d{{1,4}}:\d{{2}}:\d{{2}}(?:[.,]\d{{1,6}})?)(?=\s|$)"
    rf"|({_MARK})(?=\t|\s{{0,20}}$))"
)


def read_transcript(path: str | Path, language: Language | None = None) -> Transcript:
    """The transcript in a file: .srt, .vtt, .txt, .json or .jsonl.

    Time marks and speakers are kept where the file has them; tags, and captions that repeat what
    rolls up, are not. Its name is that of the file unless it says another. language: what is
    spoken, by default Chinese or English by the characters. JSON is ours, or has `segments` as
    Whisper and the transcription endpoints write them.

    Raises BadTasks naming file and line for whatever is wrong, and where nothing is said.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if path.is_dir() or ending not in ENDINGS:
        raise BadTasks(
            f"{path}: {'a folder' if path.is_dir() else 'not a kind of file'}, not a transcript.",
            f"A transcript is a file named {', '.join(f'*{each}' for each in ENDINGS)}.",
        )
    if ending == ".jsonl":
        return _only(path, read_transcripts(path))
    return ENDINGS[ending](_decoded(path), path, language)


def transcripts_in(path: Path) -> list[Transcript]:
    """All transcripts of a file: several where it is JSON Lines. Raises BadTasks."""
    if path.suffix.lower() in ENDINGS and path.suffix.lower() != ".jsonl":
        return [read_transcript(path)]
    return read_transcripts(path)


def transcript_of(
    file: str, utterances: Iterable[Utterance], language: Language | None, name: str | None = None
) -> Transcript:
    """A transcript of what was said. file: how a message names it; name: by default its stem.

    Raises BadTasks if nothing was, and for characters that cannot be written.
    """
    try:
        segments = segments_of(utterances)
        if not segments:
            raise BadTasks(
                f"{file}: there are no words in it.", "Give one in which somebody talks."
            )
        spoken = language or detect_language("\n".join(each.text for each in segments))
        return Transcript(name=name or Path(file).stem, language=spoken, segments=segments)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise BadTasks(
            f"{file}: a text {problem.removeprefix('Value error, ')}.", "Correct it."
        ) from error


def subtitle_words(data: Json, place: str) -> list[Utterance]:
    """What the JSON of a speech recognizer says: `segments` with text and times, or `text` alone.

    Raises BadTasks naming the segment that is none.
    """
    whole = data.get("text") if isinstance(data, dict) else None
    segments = data.get("segments") if isinstance(data, dict) else data
    if not isinstance(segments, list) or not (segments or isinstance(whole, str)):
        if isinstance(whole, str):
            return [Utterance(line) for line in whole.split("\n")]
        raise BadTasks(
            f"{place}: no transcript.", "It needs `segments`, each with text, start and end."
        )
    return [_segment(each, f"{place}: segments[{n}]") for n, each in enumerate(segments, start=1)]


def _segment(segment: Json, place: str) -> Utterance:
    if not isinstance(segment, dict) or not isinstance(segment.get("text"), str):
        raise BadTasks(f"{place}: it has no text.", "A segment has text, start and end.")
    times = [segment.get(name) for name in ("start", "end")]
    for name, value in zip(("start", "end"), times, strict=True):
        if value is not None and not is_time(value):
            raise BadTasks(
                f"{place}.{name}: not a time: {value!r:.40}.",
                "Times are seconds since the beginning.",
            )
    start, end = (None if value is None else float(value) for value in times)
    speaker = segment.get("speaker")
    named = without_surrogates(spoken_words(speaker)) if isinstance(speaker, str) else ""
    return Utterance(segment["text"], start, end, named or None)


def _json(text: str, path: Path, language: Language | None) -> Transcript:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadTasks(
            f"{path.name}, line {error.lineno}: not JSON: {error.msg}.",
            "One record a line is JSON Lines: name it *.jsonl.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadTasks(
            f"{path.name}, line 1: JSON that is nested too deep, or has a number too long.",
            "Give it as the speech recognizer wrote it.",
        ) from error
    named = data.get("name") if isinstance(data, dict) else None
    name = named if isinstance(named, str) and named.strip() else None
    return transcript_of(
        path.name, subtitle_words(data, path.name), language or _language_of(data), name
    )


def _language_of(data: Json) -> Language | None:
    """The language that our own JSON says; a recognizer's may be one of a hundred."""
    name = data.get("language") if isinstance(data, dict) else None
    names: Mapping[Json, Language] = {"en": "en", "english": "en", "zh": "zh", "chinese": "zh"}
    return names.get(name) if isinstance(name, str) else None


def _captions(text: str, path: Path, language: Language | None) -> Transcript:
    return transcript_of(path.name, read_captions(text, path.name), language)


def _plain(text: str, path: Path, language: Language | None) -> Transcript:
    """Each line is a segment; a time mark before it, or alone on the line above, is its start."""
    utterances: list[Utterance] = []
    above: float | None = None
    for line in text.splitlines():
        marked = _MARKED.match(line)
        begins = seconds(marked[1] or marked[3] or marked[4]) if marked else None
        if marked is None or begins is None:
            utterances.append(Utterance(line, above))
            above = None if line.strip() else above
            continue
        rest = line[marked.end() :].lstrip(" \t-–")
        utterances.append(Utterance(rest, begins, seconds(marked[2]) if marked[2] else None))
        above = None if rest else begins
    return transcript_of(path.name, utterances, language)


def _decoded(path: Path) -> str:
    """The text of a file in UTF-8, or in UTF-16 with its mark. Raises BadTasks."""
    try:
        content = path.read_bytes()
        if not content.startswith((b"\xff\xfe", b"\xfe\xff")) or content[2:4] == b"\0\0":
            return read_task_text(path)
        return content.decode("utf-16")
    except UnicodeDecodeError as error:
        raise BadTasks(
            f"{path.name}, byte {error.start + 1}: not UTF-16, which the file says it is.",
            "Save it as UTF-8.",
        ) from error
    except OSError as error:
        raise BadTasks(
            f"{path} cannot be read: {error.strerror or error}.", "Check the path."
        ) from error


def _only(path: Path, transcripts: Sequence[Transcript]) -> Transcript:
    if len(transcripts) != 1:
        raise BadTasks(
            f"{path}: {len(transcripts)} transcripts, not one.", "Give a file for each of them."
        )
    return transcripts[0]


_Read = Callable[[str, Path, Language | None], Transcript]
ENDINGS: Final[Mapping[str, _Read]] = {
    ".srt": _captions,
    ".vtt": _captions,
    ".txt": _plain,
    ".json": _json,
    ".jsonl": _json,
}
"""How files are read, by their ending; one transcript a line in the last."""


_VOICE = re.compile(r"<v(?:\.[^<>\s]{0,100})?[ \t]([^<>]{1,200})>")
_REMARK = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)(?:[ \t]|$)")
_MOST_LINES = 4  # of one caption that rolls up


@dataclass
class _Cue:
    """What is shown from start to end, in seconds."""

    start: float
    end: float
    lines: list[str] = field(default_factory=list)


def read_captions(text: str, name: str) -> list[Utterance]:
    """What the cues of a file say, in its order, captions that roll up only once.

    Raises BadTasks naming file and line for a time mark that is none, and for words before the
    first one.
    """
    cues = _cues(text, name)
    shown = [[line for line in cue.lines if spoken_words(line)] for cue in cues]
    if _rolls(shown):
        return list(_unrolled(cues, shown))
    return [utterance for cue in cues for utterance in _spoken(cue)]


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


def _spoken(cue: _Cue) -> Iterator[Utterance]:
    """What each speaker of a cue says; lines that begin with a dash are of two speakers."""
    lines = cue.lines
    dashes = len(lines) > 1 and all(line.lstrip().startswith(("- ", "– ")) for line in lines)
    for part in [line.lstrip()[1:] for line in lines] if dashes else [" ".join(lines)]:
        before, *voices = _VOICE.split(part)
        yield Utterance(before, cue.start, cue.end)
        for speaker, text in zip(voices[::2], voices[1::2], strict=True):
            yield Utterance(text, cue.start, cue.end, spoken_words(speaker) or None)


def _rolls(shown: Sequence[Sequence[str]]) -> bool:
    """Whether captions repeat what was shown: a third of them does. Now and then people do too."""
    full = [[spoken_words(line) for line in lines] for lines in shown if lines]
    again = sum(
        1 for last, lines in pairwise(full) if _repeated(last, lines) or _grown(last, lines)
    )
    return len(full) > 2 and 3 * again >= len(full)


def _unrolled(cues: Sequence[_Cue], shown: Sequence[Sequence[str]]) -> Iterator[Utterance]:
    """Each line at the time when it was first shown; one that grows, when it is complete."""
    last: list[str] = []
    waiting: Utterance | None = None
    for cue, lines in zip(cues, shown, strict=True):
        fresh = [spoken_words(line) for line in lines]
        if not fresh:
            continue
        begin = _repeated(last, fresh)
        if not begin and waiting is not None and _grown(last, fresh):
            waiting = waiting._replace(text=lines[0], end=cue.end)
            begin = 1
        for line in lines[begin:]:
            if waiting is not None:
                yield from _voiced(waiting)
            waiting = Utterance(line, cue.start, cue.end)
        last = fresh
    if waiting is not None:
        yield from _voiced(waiting)


def _voiced(utterance: Utterance) -> Iterator[Utterance]:
    assert utterance.start is not None and utterance.end is not None
    yield from _spoken(_Cue(utterance.start, utterance.end, [utterance.text]))


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
