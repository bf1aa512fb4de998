"""Transcription by an endpoint with OpenAI's interface: POST /audio/transcriptions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import aiohttp

from deepassay.errors import BadSetting, BadTasks, DeepAssayError, MissingExtra
from deepassay.models.client import Fault, FaultKind
from deepassay.models.endpoints import Endpoint
from deepassay.models.faults import HttpError, fault_of
from deepassay.models.wire import Posted, fault_in, received, session
from deepassay.network import proxy_of
from deepassay.score import Json
from deepassay.tasks.task import Language
from deepassay.text import unkeyed, unkeyed_bytes
from deepassay.wings.build.arena.recordings import AUDIO, VIDEO, can_decode, take_audio
from deepassay.wings.build.arena.subtitles import subtitle_words, transcript_of
from deepassay.wings.build.arena.transcript import Transcript

LARGEST: Final = 25 * 1024 * 1024
"""Bytes that OpenAI takes; servers of one's own have their own limits, and say so."""
CONNECT: Final = 10.0
_NEVER_CONNECTED: Final = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
)
_TYPES: Final[Mapping[str, str]] = {
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
    ".mp3": "audio/mpeg",
    ".mp4": "video/mp4",
    ".mpeg": "video/mpeg",
    ".mpga": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".wav": "audio/wav",
    ".webm": "video/webm",
}


@dataclass(frozen=True)
class RemoteTranscriber:
    """Sends recordings to an endpoint, and nothing else: not even their names.

    seconds: of silence until it is given up.
    """

    place: Endpoint
    language: Language | None
    seconds: float
    key: str | None = field(repr=False)

    def __call__(self, recording: Path) -> Transcript:
        """The transcript of a recording.

        Raises BadTasks where this one fails, BadSetting where every other one would fail as well,
        and MissingExtra where PyAV would have to take the audio out of it.
        """
        with TemporaryDirectory(prefix="deepassay-") as folder:
            answer = self._sent(self._sendable(recording, Path(folder)), recording)
        utterances = subtitle_words(answer, f"{recording.name}: answer of {self.place.place}")
        return transcript_of(recording.name, utterances, self.language)

    def _sendable(self, recording: Path, folder: Path) -> Path:
        """The recording, or its audio alone if there are pictures or it is too large."""
        ending, size = recording.suffix.lower(), recording.stat().st_size
        if not size:
            raise BadTasks(f"{recording}: the file is empty.", "Give a recording.")
        fits = not self.place.own or size <= LARGEST
        if ending in AUDIO and fits:
            return recording
        if can_decode():
            audio = folder / "audio.mp3"
            take_audio(recording, audio)
            if self.place.own and audio.stat().st_size > LARGEST:
                raise self._too_large(recording, audio.stat().st_size, "Cut it into parts.")
            return audio
        if ending in VIDEO and fits:
            return recording
        if not fits:
            remedy = "Install deepassay[asr], which makes it smaller, or cut it into parts."
            raise self._too_large(recording, size, remedy)
        raise MissingExtra(f"{recording}: taking the audio out of a *{ending} file", "asr")

    def _too_large(self, recording: Path, size: int, remedy: str) -> BadTasks:
        return BadTasks(
            f"{recording}: {size / 1024**2:.1f} MB to be sent, and {self.place.host} takes "
            f"{LARGEST // 1024**2} MB at most.",
            remedy,
        )

    def _sent(self, file: Path, recording: Path) -> Json:
        """The answer to a file. Raises as a call does."""
        try:
            return asyncio.run(self._asked(file, recording))
        except Fault as fault:
            raise BadTasks(
                f"{recording}: {self.place.place}: {unkeyed(fault.detail, self.key)}.",
                "See whether it is a transcription endpoint.",
            ) from None
        except (aiohttp.ClientError, OSError) as error:
            raise self._broken(error, recording) from None

    async def _asked(self, file: Path, recording: Path) -> Json:
        form = aiohttp.FormData({"model": self.place.model, "response_format": "verbose_json"})
        if self.language:
            form.add_field("language", self.language)
        ending = file.suffix.lower()
        url = self.place.address_of("/audio/transcriptions")
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        with file.open("rb") as stream:
            form.add_field(
                "file", stream, filename=f"recording{ending}", content_type=_TYPES[ending]
            )
            async with (
                session(self.seconds, CONNECT, headers) as http,
                http.post(url, data=form, proxy=proxy_of(url), allow_redirects=False) as response,
            ):
                answer = await received(response)
        return self._read(answer._replace(body=unkeyed_bytes(answer.body, self.key)), recording)

    def _broken(self, error: Exception, recording: Path) -> DeepAssayError:
        fault = fault_in(error)
        if isinstance(error, _NEVER_CONNECTED):
            return BadSetting(
                f"{self.place.place} cannot be reached: {fault.detail}.",
                "Check --base-url and network.",
            )
        if fault.kind is FaultKind.TIMEOUT:
            return BadTasks(
                f"{recording}: {self.place.place} said nothing for {self.seconds:g} seconds.",
                "Run the command again, or give it longer with --deadline.",
            )
        return BadTasks(
            f"{recording}: the connection to {self.place.place} broke "
            f"({unkeyed(fault.detail, self.key)}).",
            "Run the command again.",
        )

    def _read(self, answered: Posted, recording: Path) -> Json:
        good = answered.status == 200
        try:
            answer: Json = json.loads(answered.body)
        except (ValueError, RecursionError):
            answer = answered.body[:2000].decode("utf-8", "replace")
            if good:
                raise BadTasks(
                    f"{recording}: what {self.place.place} answered is no JSON: {answer[:100]!r}.",
                    "It must know response_format=verbose_json.",
                ) from None
        if not good:
            raise self._refusal(HttpError(answered.status, answered.headers, answer), recording)
        return answer

    def _refusal(self, error: HttpError, recording: Path) -> DeepAssayError:
        fault = fault_of(error, self.key)
        problem = f"{self.place.place} refused: {fault.detail}"
        if fault.kind is FaultKind.ACCESS:
            return BadSetting(f"{problem}.", "Check key, account and the name of the model.")
        return BadTasks(
            f"{recording}: {problem}.",
            "The file may be broken; the model must give verbose_json, as whisper-1 does.",
        )
