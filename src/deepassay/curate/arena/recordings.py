"""Recordings: which files are some, and the audio taken out of one, small enough to be sent."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from deepassay.errors import BadTasks

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
