"""Recordings: which there are, their sound by itself, and a speech recognizer on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Protocol

from deepassay.errors import BadSetting, BadTasks, MissingExtra
from deepassay.tasks.task import Language
from deepassay.wings.build.arena.subtitles import transcript_of
from deepassay.wings.build.arena.transcript import Transcript, Utterance

AUDIO: Final = frozenset((".flac", ".m4a", ".mp3", ".mpga", ".ogg", ".wav"))
"""Endings of audio that transcription endpoints take."""
VIDEO: Final = frozenset((".mp4", ".mpeg", ".webm"))
"""Endings of what may hold pictures that they take as well."""
OTHER: Final = frozenset(
    (".aac", ".aiff", ".avi", ".m4v", ".mkv", ".mov", ".mpg", ".oga", ".opus", ".wma", ".wmv")
)
"""Endings of recordings that only PyAV can read."""
RECORDINGS: Final = AUDIO | VIDEO | OTHER
RATE: Final = 16_000  # Hz: what speech recognizers work with
BIT_RATE: Final = 32_000  # 25 MB hold an hour and three quarters


def can_decode() -> bool:
    """Whether PyAV is installed."""
    return find_spec("av") is not None


def take_audio(recording: Path, to: Path) -> None:
    """Write the first audio track of a recording as MP3: one channel, 16 kHz, 32 kbit/s.

    Needs PyAV. Raises BadTasks for a file that is broken or holds no audio.
    """
    import av

    try:
        with av.open(str(recording), metadata_errors="ignore") as source:
            if not source.streams.audio:
                raise BadTasks(f"{recording}: it holds no audio.", "Give a recording with sound.")
            with av.open(str(to), "w", format="mp3") as target:
                track = target.add_stream("libmp3lame", rate=RATE, layout="mono")
                track.bit_rate = BIT_RATE
                for frame in source.decode(audio=0):
                    frame.pts = None  # broken in many recordings, and not needed
                    target.mux(track.encode(frame))
                target.mux(track.encode(None))
    except (av.FFmpegError, ValueError, OSError) as error:
        raise not_playable(recording, error) from error


def not_playable(recording: Path, error: Exception) -> BadTasks:
    """The error for a recording that the libraries cannot read, in their words."""
    message = " ".join(str(error).split())[:200]
    return BadTasks(
        f"{recording}: it cannot be read as a recording ({message}).",
        "See whether a player plays it; convert it to MP3 or WAV.",
    )


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
            utterances = [Utterance(each.text, each.start, each.end) for each in segments]
        except (ValueError, OSError, RuntimeError, IndexError) as error:
            # PyAV's errors are of the first two kinds; the last is: no audio track.
            raise not_playable(recording, error) from error
        return transcript_of(recording.name, utterances, language)

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
        message = " ".join(str(error).split())[:300]
        raise BadSetting(f"--model {model}: it cannot be loaded ({message}).", _REMEDY) from error
    return loaded


_REMEDY = (
    "Name a folder with a model of faster-whisper (model.bin inside it), or a size such as small, "
    "which is downloaded."
)
