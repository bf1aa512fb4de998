"""Transcripts as people have them: subtitles, plain text, what speech recognition writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from deepassay.curate.arena.captions import read_captions
from deepassay.curate.arena.transcript import Transcript, read_transcripts
from deepassay.curate.arena.wording import (
    Said,
    is_time,
    seconds,
    segments_of,
    words,
)
from deepassay.errors import BadTasks
from deepassay.files import without_surrogates
from deepassay.score import Json
from deepassay.tasks.dates import Language
from deepassay.tasks.rows import read_text
from deepassay.tasks.task import detect_language

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
    file: str, said: Iterable[Said], language: Language | None, name: str | None = None
) -> Transcript:
    """A transcript of what was said. file: how a message names it; name: by default its stem.

    Raises BadTasks if nothing was, and for characters that cannot be written.
    """
    try:
        segments = segments_of(said)
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


def said_in(data: Json, place: str) -> list[Said]:
    """What the JSON of a speech recognizer says: `segments` with text and times, or `text` alone.

    Raises BadTasks naming the segment that is none.
    """
    whole = data.get("text") if isinstance(data, dict) else None
    segments = data.get("segments") if isinstance(data, dict) else data
    if not isinstance(segments, list) or not (segments or isinstance(whole, str)):
        if isinstance(whole, str):
            return [Said(line) for line in whole.split("\n")]
        raise BadTasks(
            f"{place}: no transcript.", "It needs `segments`, each with text, start and end."
        )
    return [_segment(each, f"{place}: segments[{n}]") for n, each in enumerate(segments, start=1)]


def _segment(segment: Json, place: str) -> Said:
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
    named = without_surrogates(words(speaker)) if isinstance(speaker, str) else ""
    return Said(segment["text"], start, end, named or None)


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
    return transcript_of(path.name, said_in(data, path.name), language or _told(data), name)


def _told(data: Json) -> Language | None:
    """The language that our own JSON says; a recognizer's may be one of a hundred."""
    said = data.get("language") if isinstance(data, dict) else None
    names: Mapping[Json, Language] = {"en": "en", "english": "en", "zh": "zh", "chinese": "zh"}
    return names.get(said) if isinstance(said, str) else None


def _captions(text: str, path: Path, language: Language | None) -> Transcript:
    return transcript_of(path.name, read_captions(text, path.name), language)


def _plain(text: str, path: Path, language: Language | None) -> Transcript:
    """Each line is a segment; a time mark before it, or alone on the line above, is its start."""
    said: list[Said] = []
    above: float | None = None
    for line in text.splitlines():
        marked = _MARKED.match(line)
        begins = seconds(marked[1] or marked[3] or marked[4]) if marked else None
        if marked is None or begins is None:
            said.append(Said(line, above))
            above = None if line.strip() else above
            continue
        rest = line[marked.end() :].lstrip(" \t-–")
        said.append(Said(rest, begins, seconds(marked[2]) if marked[2] else None))
        above = None if rest else begins
    return transcript_of(path.name, said, language)


def _decoded(path: Path) -> str:
    """The text of a file in UTF-8, or in UTF-16 with its mark. Raises BadTasks."""
    try:
        content = path.read_bytes()
        if not content.startswith((b"\xff\xfe", b"\xfe\xff")) or content[2:4] == b"\0\0":
            return read_text(path)
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
