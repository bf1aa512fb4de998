"""Transcription on this machine with faster-whisper, an optional install."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from deepassay.curate.arena.recordings import not_playable
from deepassay.curate.arena.subtitles import transcript_of
from deepassay.curate.arena.transcript import Transcript
from deepassay.curate.arena.wording import Said
from deepassay.errors import BadSetting, MissingExtra
from deepassay.tasks.dates import Language


class _Spoken(Protocol):
    start: float
    end: float
    text: str


class _Model(Protocol):
    """What is used of faster_whisper.WhisperModel. The segments are made as they are read."""

    def transcribe(
        self, audio: str, *, language: str | None, vad_filter: bool
    ) -> tuple[Iterable[_Spoken], object]: ...


def local_transcriber(model: str, language: Language | None) -> Callable[[Path], Transcript]:
    """A model loaded into memory. model: a folder, or a name that faster-whisper knows.

    What a name stands for is taken from the cache of models, or downloaded into it. The
    transcriber raises BadTasks for a file that cannot be played or says nothing.

    Raises MissingExtra without faster-whisper, BadSetting where there is no such model.
    """
    loaded = _load(model)

    def transcribe(recording: Path) -> Transcript:
        try:
            # Silence is left out, since Whisper makes up words for it.
            segments, _ = loaded.transcribe(str(recording), language=language, vad_filter=True)
            said = [Said(each.text, each.start, each.end) for each in segments]
        except (ValueError, OSError, RuntimeError, IndexError) as error:
            # PyAV's errors are of the first two kinds; the last is: no audio track.
            raise not_playable(recording, error) from error
        return transcript_of(recording.name, said, language)

    return transcribe


def _load(model: str) -> _Model:
    try:
        from faster_whisper import WhisperModel
    except ImportError as error:
        raise MissingExtra("Transcribing on this machine", "asr") from error
    folder = Path(model).expanduser()
    if not folder.is_dir() and (folder.is_absolute() or model.startswith((".", "~"))):
        raise BadSetting(f"--model {model}: there is no such folder.", _REMEDY)
    try:
        place = str(folder) if folder.is_dir() else model
        loaded: _Model = WhisperModel(place, device="auto", compute_type="auto")
    except (ValueError, OSError, RuntimeError) as error:
        said = " ".join(str(error).split())[:300]
        raise BadSetting(f"--model {model}: it cannot be loaded ({said}).", _REMEDY) from error
    return loaded


_REMEDY = (
    "Name a folder with a model of faster-whisper (model.bin inside it), or a size such as small, "
    "which is downloaded."
)
