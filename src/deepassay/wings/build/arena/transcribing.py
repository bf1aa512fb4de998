"""Files turned into transcripts, one file of JSON Lines each: recordings, subtitles, text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepassay.errors import BadSetting, BadTasks
from deepassay.models.endpoints import PROVIDERS, endpoint
from deepassay.tasks.task import Language
from deepassay.wings.build.arena.recordings import RECORDINGS, local_transcriber
from deepassay.wings.build.arena.subtitles import ENDINGS, read_transcript
from deepassay.wings.build.arena.transcript import Transcript, write_transcripts

Transcriber = Callable[[Path], Transcript]


@dataclass(frozen=True)
class Recognizer:
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
        from deepassay.wings.build.arena.remote_transcription import RemoteTranscriber

        if not model.startswith("openai:"):
            raise BadSetting(
                f"{model!r}: transcription is asked for in OpenAI's interface only.",
                "Write openai:NAME, and --base-url for another server that speaks it.",
            )
        place = endpoint(model, self.base_url)
        return RemoteTranscriber(place, self.language, self.seconds, place.key())


def outputs_for(
    files: Sequence[Path], folder: Path, failed: Callable[[BadTasks], None]
) -> dict[Path, Path]:
    """For each file that can have a transcript, the one that it is written to.

    failed: called for what is no file, or of no known kind. Raises BadTasks where two of the others
    have one name.
    """
    outputs: dict[Path, Path] = {}
    for file in files:
        if (error := _not_transcribed(file)) is not None:
            failed(error)
            continue
        output = folder / f"{file.stem}.jsonl"
        if output in outputs.values():
            raise BadTasks(
                f"{file}: another file is named {file.stem} as well.",
                "What comes of transcripts is traced by their names: rename one of the two.",
            )
        outputs[file] = output
    return outputs


def _not_transcribed(file: Path) -> BadTasks | None:
    """Why there is nothing to transcribe, as far as a name tells it."""
    if not file.is_file():
        what = "a folder" if file.is_dir() else "there is no such file"
        return BadTasks(f"{file}: {what}.", "Name files: recordings, subtitles, text.")
    if file.suffix.lower() not in RECORDINGS | ENDINGS.keys():
        return BadTasks(
            f"{file}: neither a recording nor a transcript by its ending.",
            f"Known are: {' '.join(sorted(RECORDINGS | ENDINGS.keys()))}",
        )
    return None


def transcribe(
    outputs: Mapping[Path, Path],
    listener: Recognizer,
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
            write_transcripts(output, [transcript])
        except BadTasks as error:
            failed(error)
        else:
            done(output, transcript)
