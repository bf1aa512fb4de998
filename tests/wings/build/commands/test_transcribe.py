"""`tasks transcribe`, as a person types it: an endpoint on loopback, a stand-in for a model."""

import io
import struct
import sys
import threading
import wave
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from deepassay.wings.build.arena import recordings
from deepassay.wings.build.arena import remote_transcription as listening
from deepassay.wings.build.arena.transcript import read_transcripts
from tests.ears import VERBOSE, Ear, an_ear, playable

TOLD = [(0.0, 1.5, "Good morning."), (1.5, 3.0, "Why is that?")]


@pytest.fixture
def ear() -> Iterator[Ear]:
    with an_ear() as made:
        yield made


@pytest.fixture
def wav() -> Path:
    path = Path("Annual talk.wav")
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(b"".join(struct.pack("<h", n % 90) for n in range(4_000)))
    return path


@pytest.fixture
def mp4() -> Path:
    """The beginning of a video: the endpoint looks no further."""
    path = Path("seminar.mp4")
    path.write_bytes(struct.pack(">I", 24) + b"ftypisom\0\0\2\0isommp41" + b"\0\0\0\x08mdat")
    return path


@pytest.fixture
def without_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "can_decode", lambda: False)


def asking(ear: Ear) -> tuple[str, ...]:
    return ("-o", "out", "--model", "openai:whisper-1", "--base-url", ear.base_url)


def told(path: str) -> list[tuple[float | None, float | None, str]]:
    (transcript,) = read_transcripts(path)
    return [(each.start, each.end, each.text) for each in transcript.segments]


def test_a_recording_is_sent_to_the_endpoint_and_its_times_kept(deepassay, ear, wav, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret-1")
    done = deepassay("tasks", "transcribe", wav, *asking(ear), "--language", "en")
    assert done.returncode == 0, done.stderr
    assert "Transcripts of 1 of 1 files are in out." in done.stderr
    (upload,) = ear.uploads
    assert upload.path == "/v1/audio/transcriptions"
    assert upload.headers["authorization"] == "Bearer secret-1"
    # Nothing else, and not the name of the file.
    assert upload.parts == {
        "model": (None, "text/plain;", b"whisper-1"),
        "response_format": (None, "text/plain;", b"verbose_json"),
        "language": (None, "text/plain;", b"en"),
        "file": ("recording.wav", "audio/wav", wav.read_bytes()),
    }
    assert told("out/Annual talk.jsonl") == TOLD


@pytest.mark.usefixtures("without_decoder")
def test_a_video_is_sent_as_it_is_where_its_audio_cannot_be_taken_out(deepassay, ear, mp4):
    done = deepassay("tasks", "transcribe", mp4, *asking(ear))
    assert done.returncode == 0, done.stderr
    (upload,) = ear.uploads
    assert upload.parts["file"] == ("recording.mp4", "video/mp4", mp4.read_bytes())
    assert "authorization" not in upload.headers
    assert told("out/seminar.jsonl") == TOLD


def test_the_audio_of_a_video_is_sent_where_it_can_be_taken_out(deepassay, ear):
    av = pytest.importorskip("av")
    numpy = pytest.importorskip("numpy")
    with av.open("film.mkv", "w") as film:
        sound = film.add_stream("aac", rate=44_100, layout="stereo")
        pictures = film.add_stream("mpeg4", rate=5)
        pictures.width = pictures.height = 64
        for _ in range(5):
            picture = numpy.random.randint(0, 255, (64, 64, 3), numpy.uint8)
            film.mux(pictures.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        for n in range(50):
            frame = av.AudioFrame.from_ndarray(
                numpy.random.rand(2, 1024).astype(numpy.float32), format="fltp", layout="stereo"
            )
            frame.rate, frame.pts = 44_100, 1024 * n
            film.mux(sound.encode(frame))
        film.mux(pictures.encode(None))
        film.mux(sound.encode(None))
    done = deepassay("tasks", "transcribe", "film.mkv", *asking(ear))
    assert done.returncode == 0, done.stderr
    name, kind, content = ear.uploads[0].parts["file"]
    assert (name, kind) == ("recording.mp3", "audio/mpeg")
    with av.open(io.BytesIO(content)) as heard:
        (track,) = heard.streams
        assert (track.type, track.rate, track.layout.name) == ("audio", 16_000, "mono")
        assert heard.duration / 1e6 == pytest.approx(50 * 1024 / 44_100, abs=0.2)


def test_a_broken_recording_is_told_and_the_others_are_transcribed(deepassay, ear, wav):
    Path("broken.wav").write_bytes(b"RIFFnothing of this")
    Path("empty.wav").write_bytes(b"")
    done = deepassay("tasks", "transcribe", "broken.wav", "empty.wav", wav, *asking(ear))
    assert done.returncode == 2
    assert "broken.wav: 127.0.0.1" in done.stderr
    assert "status 400: Audio file might be corrupted" in done.stderr
    assert "empty.wav: the file is empty" in done.stderr
    assert "Transcripts of 1 of 3 files are in out." in done.stderr
    assert [path.name for path in Path("out").iterdir()] == ["Annual talk.jsonl"]


def test_what_is_transcribed_is_not_sent_again(deepassay, ear, wav, mp4):
    Path("broken.wav").write_bytes(b"RIFF")
    assert deepassay("tasks", "transcribe", wav, *asking(ear)).returncode == 0
    before = Path("out/Annual talk.jsonl").read_bytes()
    done = deepassay("tasks", "transcribe", wav, *asking(ear))
    assert "Transcripts of 1 of 1 files are in out (1 had theirs already)." in done.stderr
    assert len(ear.uploads) == 1
    assert Path("out/Annual talk.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((401, b'{"error": {"message": "bad key secret-1"}}'), "bad key (the key)"),
        ((413, b"<html>Too Large</html>"), "status 413: <html>Too Large</html>"),
        ((500, b""), "status 500"),
        ((200, b"<html>hello</html>"), "answered is no JSON"),
        ((200, b"{}"), "no transcript"),
        ((200, b'{"text": ""}'), "there are no words in it"),
        ((200, b'{"segments": [{"text": "a", "start": "x"}]}'), "segments[1].start: not a time"),
    ],
)
def test_answers_that_are_no_transcript_are_told(deepassay, ear, wav, monkeypatch, reply, message):
    monkeypatch.setenv("OPENAI_API_KEY", "secret-1")
    ear.reply = reply
    done = deepassay("tasks", "transcribe", wav, *asking(ear))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path("out").exists()


def test_text_without_segments_is_a_transcript_without_times(deepassay, ear, wav):
    ear.reply = (200, b'{"text": "Good morning."}')
    done = deepassay("tasks", "transcribe", wav, *asking(ear))
    assert "1 segments, without times" in done.stderr
    assert told("out/Annual talk.jsonl") == [(None, None, "Good morning.")]


def test_an_endpoint_that_is_silent_or_away_is_told(deepassay, ear, wav):
    ear.wait = threading.Event()
    done = deepassay("tasks", "transcribe", wav, *asking(ear), "--deadline", "0.2")
    ear.wait.set()
    assert done.returncode == 2
    assert "said nothing for 0.2 seconds" in done.stderr
    away = ("-o", "out", "--model", "openai:x", "--base-url", "http://127.0.0.1:9")
    done = deepassay("tasks", "transcribe", wav, *away)
    assert done.returncode == 2
    assert "127.0.0.1:9 cannot be reached" in done.stderr


@pytest.mark.usefixtures("without_decoder")
def test_the_limit_of_the_vendor_is_told_before_anything_is_sent(deepassay, wav, mp4, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret-1")
    monkeypatch.setattr(listening, "LARGEST", 10)
    for file in (wav, mp4):
        done = deepassay("tasks", "transcribe", file, "-o", "out", "--model", "openai:whisper-1")
        assert done.returncode == 2
        assert f"{file}: 0.0 MB to be sent, and api.openai.com takes 0 MB at most" in done.stderr
        assert "Install deepassay[asr], which makes it smaller" in done.stderr


@pytest.mark.usefixtures("without_decoder")
def test_a_video_that_no_endpoint_takes_needs_the_extra(deepassay, ear):
    Path("film.mkv").write_bytes(b"x")
    done = deepassay("tasks", "transcribe", "film.mkv", *asking(ear))
    assert done.returncode == 2
    assert "film.mkv: taking the audio out of a *.mkv file needs an optional part" in done.stderr
    assert "pip install 'deepassay[asr]'" in done.stderr
    assert not ear.uploads


class WhisperModel:
    """In place of faster_whisper's: the same arguments, and errors as it raises them."""

    made: list[tuple[str, str, str]]
    asked: list[tuple[str, str | None]]

    def __init__(
        self, model_size_or_path: str, device: str = "auto", compute_type: str = "default"
    ) -> None:
        self.made.append((model_size_or_path, device, compute_type))
        folder = Path(model_size_or_path)
        if folder.is_dir() and not (folder / "model.bin").exists():
            raise RuntimeError(f"Unable to open file 'model.bin' in model '{folder}'")
        if not folder.is_dir() and model_size_or_path != "small":
            raise ValueError(f"Invalid model size '{model_size_or_path}', expected one of: small")

    def transcribe(
        self, audio: str, language: str | None = None, vad_filter: bool = False
    ) -> tuple[Iterator[SimpleNamespace], SimpleNamespace]:
        assert vad_filter
        self.asked.append((audio, language))
        if not playable(audio, Path(audio).read_bytes()):
            raise ValueError(f"[Errno 1094995529] Invalid data found: '{audio}'")
        segments = (SimpleNamespace(**each) for each in VERBOSE["segments"])
        return segments, SimpleNamespace(language=language or "en", duration=3.0)


@pytest.fixture
def faster_whisper(monkeypatch: pytest.MonkeyPatch) -> type[WhisperModel]:
    module = ModuleType("faster_whisper")
    WhisperModel.made, WhisperModel.asked = [], []
    module.WhisperModel = WhisperModel
    monkeypatch.setitem(sys.modules, "faster_whisper", module)
    return WhisperModel


def test_a_model_on_this_machine_transcribes_audio_and_video(deepassay, faster_whisper, wav, mp4):
    Path("model").mkdir()
    Path("model/model.bin").write_bytes(b"weights")
    done = deepassay("tasks", "transcribe", wav, mp4, "-o", "out", "--model", "model")
    assert done.returncode == 0, done.stderr
    assert faster_whisper.made == [("model", "auto", "auto")]
    assert faster_whisper.asked == [(str(wav), None), (str(mp4), None)]
    assert told("out/Annual talk.jsonl") == told("out/seminar.jsonl") == TOLD


def test_a_name_of_a_model_is_left_to_the_library(deepassay, faster_whisper, wav):
    command = ("tasks", "transcribe", wav, "-o", "out", "--model", "small", "--language", "zh")
    assert deepassay(*command).returncode == 0
    assert faster_whisper.made[0][0] == "small"
    assert faster_whisper.asked == [(str(wav), "zh")]
    assert read_transcripts("out/Annual talk.jsonl")[0].language == "zh"
    assert deepassay(*command).returncode == 0
    assert len(faster_whisper.made) == 1  # nothing left, so no model is loaded


def test_a_missing_extra_is_named(deepassay, wav, monkeypatch):
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    done = deepassay("tasks", "transcribe", wav, "-o", "out", "--model", "small")
    assert done.returncode == 2
    assert "Transcribing on this machine needs an optional part" in done.stderr
    assert "pip install 'deepassay[asr]'" in done.stderr


@pytest.mark.usefixtures("faster_whisper")
@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("./nowhere", "--model ./nowhere: there is no such folder."),
        ("/nowhere/at/all", "--model /nowhere/at/all: there is no such folder."),
        ("huge", "--model huge: it cannot be loaded (Invalid model size 'huge'"),
        ("empty", "--model empty: it cannot be loaded (Unable to open file 'model.bin'"),
    ],
)
def test_a_missing_model_is_told(deepassay, wav, model, message):
    Path("empty").mkdir()
    done = deepassay("tasks", "transcribe", wav, "-o", "out", "--model", model)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Name a folder with a model of faster-whisper" in done.stderr


@pytest.mark.usefixtures("faster_whisper")
def test_a_file_that_is_no_recording_is_told(deepassay, wav):
    Path("broken.wav").write_bytes(b"garbage")
    done = deepassay("tasks", "transcribe", "broken.wav", wav, "-o", "out", "--model", "small")
    assert done.returncode == 2
    assert "broken.wav: it cannot be read as a recording ([Errno 1094995529]" in done.stderr
    assert "convert it to MP3 or WAV" in done.stderr
    assert told("out/Annual talk.jsonl") == TOLD


def test_subtitles_and_text_need_nobody_who_listens(deepassay):
    Path("a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nHello.\n")
    Path("b.txt").write_text("Hello again.\n")
    Path("c.vtt").write_text("WEBVTT\n\n00:0x.000 --> 00:00:02,000\nHello.\n")
    done = deepassay("tasks", "transcribe", "a.srt", "b.txt", "c.vtt", "-o", "out/of/this")
    assert done.returncode == 2
    assert "c.vtt, line 3: not a time mark" in done.stderr
    assert told("out/of/this/a.jsonl") == [(1.0, 2.0, "Hello.")]
    assert told("out/of/this/b.jsonl") == [(None, None, "Hello again.")]


def test_what_is_no_file_of_a_known_kind_is_told_and_the_others_are_transcribed(deepassay):
    Path("a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nHello.\n")
    Path("b.txt").write_text("Hello again.\n")
    Path("a.docx").write_bytes(b"x")  # and no second file of the name of a transcript
    Path("notes").mkdir()
    given = ("none.wav", "a.docx", "a.srt", "notes", "b.txt", "slides.odp")
    for already in ("", " (2 had theirs already)"):
        done = deepassay("tasks", "transcribe", *given, "-o", "out")
        assert done.returncode == 2
        assert f"Transcripts of 2 of 6 files are in out{already}." in done.stderr
        assert "none.wav: there is no such file" in done.stderr
        assert "a.docx: neither a recording nor a transcript by its ending" in done.stderr
        assert "notes: a folder" in done.stderr
        assert "slides.odp: there is no such file" in done.stderr
        assert "Traceback" not in done.stderr
    assert told("out/a.jsonl") == [(1.0, 2.0, "Hello.")]
    assert told("out/b.jsonl") == [(None, None, "Hello again.")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("talk.wav",), "Nobody is named who transcribes recordings"),
        (("talk.wav", "--model", "anthropic:x"), "in OpenAI's interface only"),
        (("talk.wav", "--model", "openai:whisper-1"), "OPENAI_API_KEY is not set"),
        (("talk.wav", "--model", "small", "--base-url", "http://x/v1"), "--base-url is for an"),
        (("none.wav",), "none.wav: there is no such file"),
        (("folder.srt",), "folder.srt: a folder"),
        (("talk.docx",), "neither a recording nor a transcript by its ending"),
        (("talk.wav", "talk.srt"), "another file is named talk as well"),
    ],
)
def test_what_cannot_be_begun_is_told_first(deepassay, arguments, message):
    for name in ("talk.wav", "talk.srt", "talk.docx"):
        Path(name).write_bytes(b"x")
    Path("folder.srt").mkdir()
    done = deepassay("tasks", "transcribe", *arguments, "-o", "out")
    assert done.returncode == 2
    assert message in done.stderr
    assert not Path("out").exists()


def test_every_ending_that_is_sent_has_a_media_type():
    assert set(listening._TYPES) == recordings.AUDIO | recordings.VIDEO
