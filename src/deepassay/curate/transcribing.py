"""Files turned into transcripts, one file of JSON Lines each: recordings, subtitles, text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Protocol

from deepassay.curate.subtitles import ENDINGS, read_transcript, transcript_of
from deepassay.curate.transcript import Transcript, Utterance, write_transcripts
from deepassay.errors import BadSetting, BadTasks, MissingExtra
from deepassay.models.endpoints import PROVIDERS, endpoint
from deepassay.tasks.dates import Language

Transcriber = Callable[[Path], Transcript]


@dataclass(frozen=True)
class Listener:
    """Who transcribes recordings. model: openai:NAME, or a folder or name for faster-whisper.

    language: what is spoken, None where it is to be found out. seconds: of an endpoint's silence
    until it is given up.
    """

    model: str | None
    base_url: str | None = None
    language: Language | None = None
    seconds: float = 600.0

    def transcriber(self) -> Transcriber:
        """Ready to work. Raises BadSetting and MissingExtra."""
        if self.model is None:
            raise BadSetting(
                "Nobody is named who transcribes recordings.",
                "Give --model: openai:whisper-1, or a folder or name of a model for "
                "faster-whisper on this machine.",
            )
        if self.model.partition(":")[0] in PROVIDERS and ":" in self.model:
            return self._remote(self.model)
        if self.base_url is not None:
            raise BadSetting(
                f"--base-url is for an endpoint, and {self.model!r} is a model on this machine.",
                "Write --model openai:NAME for an endpoint.",
            )
        return local_transcriber(self.model, self.language)

    def _remote(self, model: str) -> Transcriber:
        from deepassay.curate.listening import RemoteTranscriber

        if not model.startswith("openai:"):
            raise BadSetting(
                f"{model!r}: transcription is asked for in OpenAI's interface only.",
                "Write openai:NAME, and --base-url for another server that speaks it.",
            )
        place = endpoint(model, self.base_url)
        return RemoteTranscriber(place, self.language, self.seconds, place.key())


def outputs_for(files: Sequence[Path], folder: Path) -> dict[Path, Path]:
    """For each file the one that its transcript is written to.

    Raises BadTasks for what is no file, of no known kind, or has the name of another one.
    """
    outputs: dict[Path, Path] = {}
    for file in files:
        if not file.is_file():
            what = "a folder" if file.is_dir() else "there is no such file"
            raise BadTasks(f"{file}: {what}.", "Name files: recordings, subtitles, text.")
        if file.suffix.lower() not in RECORDINGS | ENDINGS.keys():
            raise BadTasks(
                f"{file}: neither a recording nor a transcript by its ending.",
                f"Known are: {' '.join(sorted(RECORDINGS | ENDINGS.keys()))}",
            )
        output = folder / f"{file.stem}.jsonl"
        if output in outputs.values():
            raise BadTasks(
                f"{file}: another file is named {file.stem} as well.",
                "What comes of transcripts is traced by their names: rename one of the two.",
            )
        outputs[file] = output
    return outputs


def transcribe(
    outputs: Mapping[Path, Path],
    listener: Listener,
    done: Callable[[Path, Transcript], None],
    failed: Callable[[BadTasks], None],
) -> None:
    """Write the transcripts that are not there. failed: called for a file that has none.

    Each is written when it is complete, so that the same call goes on where one was stopped.
    Raises BadSetting and MissingExtra before anything is written if nobody can transcribe.
    """
    missing = {file: output for file, output in outputs.items() if not output.exists()}
    listens = any(file.suffix.lower() in RECORDINGS for file in missing)
    transcriber = listener.transcriber() if listens else None
    for file, output in missing.items():
        try:
            if transcriber and file.suffix.lower() in RECORDINGS:
                transcript = transcriber(file)
            else:
                transcript = read_transcript(file, listener.language)
            _make_folder(output.parent)
            write_transcripts(output, [transcript])
        except BadTasks as error:
            failed(error)
        else:
            done(output, transcript)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadSetting(
            f"{folder} cannot be made: {error.strerror or error}.", "Name another folder with -o."
        ) from error


# ------------------------------------------------------------------ recordings


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
    said = " ".join(str(error).split())[:200]
    return BadTasks(
        f"{recording}: it cannot be read as a recording ({said}).",
        "See whether a player plays it; convert it to MP3 or WAV.",
    )


# ------------------------------------------------------------------ whisper


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
            said = [Utterance(each.text, each.start, each.end) for each in segments]
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
