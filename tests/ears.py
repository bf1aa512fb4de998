"""A transcription endpoint on loopback, which takes what is a sound upload and nothing else."""

from __future__ import annotations

import io
import json
import re
import threading
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

VERBOSE = {
    "task": "transcribe",
    "language": "english",
    "duration": 3.0,
    "text": "Good morning. Why is that?",
    "segments": [
        {"id": 0, "seek": 0, "start": 0.0, "end": 1.5, "text": " Good morning.", "tokens": [1]},
        {"id": 1, "seek": 0, "start": 1.5, "end": 3, "text": " Why is that?", "tokens": [2]},
    ],
}


@dataclass
class Upload:
    """One request. parts: by name, each with its file name, content type and content."""

    path: str
    headers: dict[str, str]
    parts: dict[str, tuple[str | None, str | None, bytes]]


@dataclass
class Ear:
    """A transcription endpoint. It refuses what is no sound upload; reply: to a good one."""

    reply: tuple[int, bytes] = (200, json.dumps(VERBOSE).encode())
    uploads: list[Upload] = field(default_factory=list)
    base_url: str = ""
    wait: threading.Event | None = None

    def hear(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        upload = Upload(path, headers, parts_of(headers["content-type"], body))
        self.uploads.append(upload)
        if self.wait is not None:
            self.wait.wait(60)
        name, _, content = upload.parts["file"]
        if not playable(str(name), content):
            return 400, b'{"error": {"message": "Audio file might be corrupted"}}'
        return self.reply


def parts_of(content_type: str, body: bytes) -> dict[str, tuple[str | None, str | None, bytes]]:
    """The parts of a multipart/form-data body (RFC 7578), which must be whole."""
    boundary = re.fullmatch(r'multipart/form-data; boundary="?([^"]+)"?', content_type)[1].encode()
    head, *sections, tail = (b"\r\n" + body).split(b"\r\n--" + boundary)
    assert head == b""
    assert tail == b"--\r\n"
    parts = {}
    for section in sections:
        lines, content = section.removeprefix(b"\r\n").split(b"\r\n\r\n", 1)
        disposition = re.search(rb'(?im)^content-disposition: form-data; name="([^"]+)"(.*)', lines)
        filename = re.search(rb'filename="([^"]*)"', disposition[2])
        kind = re.search(rb"(?im)^content-type: (\S+)", lines)
        parts[disposition[1].decode()] = (
            filename and filename[1].decode(),
            kind and kind[1].decode(),
            content,
        )
    return parts


def playable(name: str, content: bytes) -> bool:
    """Whether a file is what its ending says, as far as its beginning tells."""
    if name.endswith(".wav"):
        try:
            with wave.open(io.BytesIO(content)) as sound:
                return sound.getnframes() > 0
        except (wave.Error, EOFError):
            return False
    return content[4:8] == b"ftyp" if name.endswith(".mp4") else content[:3] in MP3


MP3 = (b"ID3", b"\xff\xfb\x10", b"\xff\xf3\x48", b"\xff\xf3\x44")


@contextmanager
def an_ear() -> Iterator[Ear]:
    """One that listens on loopback."""
    made = Ear()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers["content-length"]))
            status, answer = made.hear(self.path, headers, body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
