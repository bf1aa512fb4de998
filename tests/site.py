"""A web site on loopback whose pages misbehave on command.

    with Site() as site:
        site.pages["/paper"] = (200, {"Content-Type": "text/html"}, b"<p>Hello</p>")
        ... site.url("/paper"), site.url("/redirect/3"), site.url("/status/404") ...
        assert site.hits["/paper"] == 1

`pages` come first; otherwise the first piece of the path names one of the SCENARIOS, which get
the rest of the path. `site.spec` is what `--allow-host` and `guard.allowing` take.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat
from typing import Any

from tests.listening import Listening

HTML = {"Content-Type": "text/html; charset=utf-8"}
ORDINARY = "".join(
    f"<p>{each}</p>"
    for each in (
        "A keeper walks along the pier each morning and writes down what the staff there says.",
        "His book has a line for the weather, one for the wind, and a margin for what is odd.",
        "Every Friday somebody copies the week into a ledger, which the harbour keeps in a vault.",
        "Visitors may look at older volumes on request, once they have washed their hands.",
        "Two clerks compare copies with originals, and sign below the last entry of a month.",
        "Where a page was wet and cannot be read, an empty row stands there with a short note.",
        "Storms of the past century have a list of their own, bound in grey linen and kept apart.",
        "When the keeper is ill, his neighbour reads the staff and puts her name in the margin.",
        "Schools come in June, and the children count the gulls on the wall while they wait.",
    )
)
"""What makes a page say enough not to be in doubt; no claim of a test is in it."""
PAGE = (
    "<html><head><title>Tides</title></head><body><article><h1>Tides</h1>"
    + "<p>The tide at Saint-Malo rises by up to twelve metres, among the most in Europe.</p>" * 20
    + ORDINARY
    + "</article></body></html>"
).encode()
CHINESE = (
    "<html><head><title>潮汐</title></head><body><article><h1>潮汐</h1>"
    + "<p>钱塘江大潮每年农历八月十八前后最为壮观,潮头可高达数米。</p>" * 20
    + "</article></body></html>"
)
TRADITIONAL = str.maketrans("钱农历后为壮观头达数", "錢農曆後為壯觀頭達數")
GATE = (
    b"<html><head><title>Just a moment...</title></head><body><noscript>Enable JavaScript and "
    b"cookies to continue</noscript><script>window._cf_chl_opt={cType:'managed'};</script></body>"
)
BOMB_SIZE = 200_000_000


@dataclass
class Reply:
    """What the site does: wait, send a head, send a body, perhaps cut the connection.

    pieces: sent instead of a body, `pause` seconds apart, without saying how many there are.
    length: the Content-Length, if it is to be wrong. cut_at: after so many bytes of the body.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: HTML)
    body: bytes = b""
    wait: float = 0.0
    pieces: Iterable[bytes] | None = None
    pause: float = 0.0
    length: int | None = None
    cut_at: int | None = None


@dataclass
class Visit:
    """One request. path: without the query. rest: of the path, after the scenario's name.

    number: from 1, among the visits of the same path. headers: their names in lower case.
    """

    path: str
    query: str
    headers: dict[str, str]
    number: int

    @property
    def rest(self) -> str:
        return self.path.lstrip("/").partition("/")[2]


Scenario = Callable[[Visit], Reply]


def always(reply: Reply) -> Scenario:
    return lambda visit: reply


def first(count: int, reply: Reply) -> Scenario:
    """The first visits meet this reply, later ones the page."""
    return lambda visit: reply if visit.number <= count else Reply(body=PAGE)


def moved(to: str, status: int = 302) -> Reply:
    return Reply(status, {"Location": to})


def redirect(visit: Visit) -> Reply:
    left = int(visit.rest)
    return moved(f"/redirect/{left - 1}" if left > 1 else "/ok")


def chinese(visit: Visit) -> Reply:
    """`/chinese/gbk`: in that encoding, named in the header; `/chinese/gbk/silent`: unnamed.

    In Big5 the page is written in traditional characters.
    """
    encoding, _, silent = visit.rest.partition("/")
    media = "text/html" if silent else f"text/html; charset={encoding}"
    text = CHINESE.translate(TRADITIONAL) if encoding == "big5" else CHINESE
    return Reply(200, {"Content-Type": media}, text.encode(encoding))


def told(visit: Visit) -> Reply:
    """The headers that the site was sent, as JSON."""
    return Reply(200, {"Content-Type": "application/json"}, json.dumps(visit.headers).encode())


@cache
def bomb() -> bytes:
    """About 200 kB of gzip that unfold to 200 MB."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    zeros = bytes(1_000_000)
    first, more = (packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + more * (BOMB_SIZE // len(zeros) - 1) + packer.flush()


def pdf(text: str = "The tide at Saint-Malo rises by up to twelve metres.") -> bytes:
    """A PDF of one page that says one line of ASCII."""
    drawing = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode()
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 200] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, each in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def packed(body: bytes, encoding: str = "gzip") -> Reply:
    return Reply(200, {**HTML, "Content-Encoding": encoding}, body)


SILENCE = 3600.0
SCENARIOS: Mapping[str, Scenario] = {
    "ok": always(Reply(body=PAGE)),
    "slow": always(Reply(body=PAGE, wait=0.2)),
    "silence": always(Reply(wait=SILENCE)),
    "redirect": redirect,
    "circle": always(moved("/circle")),
    "cookie-circle": always(Reply(302, {"Location": "/cookie-circle", "Set-Cookie": "seen=1"})),
    "cookie-first": always(Reply(302, {"Location": "/endless-redirect", "Set-Cookie": "seen=1"})),
    "endless-redirect": lambda visit: moved(f"/endless-redirect/{int(visit.rest or 0) + 1}"),
    "to": lambda visit: moved(visit.query),
    "nowhere": always(Reply(302)),
    "status": lambda visit: Reply(
        int(visit.rest), body=b"" if visit.rest == "304" else b"<p>Nothing here</p>"
    ),
    "unavailable-once": first(1, Reply(503)),
    "down": always(Reply(500)),
    "wait-once": first(1, Reply(429, {"Retry-After": "0.3"})),
    "wait-an-hour": always(Reply(429, {"Retry-After": "3600"})),
    "gate": always(Reply(body=GATE)),
    "gate-503": always(Reply(503, HTML, GATE)),
    "reset": always(Reply(cut_at=0)),
    "reset-once": first(1, Reply(cut_at=0)),
    "torn": always(Reply(body=PAGE, cut_at=100)),
    "torn-once": first(1, Reply(body=PAGE, cut_at=100)),
    "gzip": always(packed(gzip.compress(PAGE))),
    "gzip-twice": always(packed(gzip.compress(PAGE[:99]) + gzip.compress(PAGE[99:]))),
    "gzip-padded": always(packed(gzip.compress(PAGE) + bytes(512))),
    "gzip-torn": always(packed(gzip.compress(PAGE)[:-20])),
    "gzip-wrong": always(packed(PAGE)),
    "brotli": always(packed(b"\x0b\x02\x80hello\x03", "br")),
    "bomb": lambda visit: packed(bomb()),
    "boast": always(Reply(length=10**12)),
    "endless": always(Reply(pieces=repeat(bytes(65_536)))),
    "drip": always(Reply(pieces=repeat(b"x"), pause=0.05)),
    "long-head": always(Reply(headers={"X-Long": "x" * 2_000_000})),
    "chinese": chinese,
    "pdf": always(Reply(200, {"Content-Type": "application/pdf"}, pdf())),
    "cookie": always(Reply(302, {"Location": "/told", "Set-Cookie": "who=me; Path=/"})),
    "told": told,
}


class Site(Listening):
    """The server, in a thread with a loop of its own, so that anything may visit it.

    pages: by path, (status, headers, body). scenarios: more of them. latency: seconds before
    every reply. hits: visits by path; visits: all of them in order. connections: how many were
    accepted. peak: the most visits at once. tls: speak it.
    """

    def __init__(
        self,
        scenarios: Mapping[str, Scenario] | None = None,
        latency: float = 0.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(tls)
        self.pages: dict[str, tuple[int, Mapping[str, str], bytes]] = {}
        self.scenarios = {**SCENARIOS, **(scenarios or {})}
        self.latency = latency
        self.hits: Counter[str] = Counter()
        self.visits: list[Visit] = []
        self.busy = 0
        self.peak = 0

    @property
    def spec(self) -> str:
        """Host and port, as `--allow-host` takes them."""
        return f"127.0.0.1:{self.port}"

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http{'s' if self._tls else ''}://{host}:{self.port}{path}"

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One visit and its reply; whether the connection stays open."""
        begun = await reader.readexactly(1)
        if begun == b"\x16":  # a greeting in TLS, which is not spoken here
            return await _send(writer, Reply(400, cut_at=1, body=b" "))
        rest = await reader.readuntil(b"\r\n\r\n")
        head = (begun + rest).decode("latin-1").split("\r\n")
        path, _, query = head[0].split(" ")[1].partition("?")
        headers = dict(_headers(head[1:]))
        self.hits[path] += 1
        visit = Visit(path, query, headers, self.hits[path])
        self.visits.append(visit)
        self.busy += 1
        self.peak = max(self.peak, self.busy)
        try:
            reply = self._reply(visit)
            await asyncio.sleep(self.latency + reply.wait)
            return await _send(writer, reply)
        finally:
            self.busy -= 1

    def _reply(self, visit: Visit) -> Reply:
        if visit.path in self.pages:
            return Reply(*self.pages[visit.path])
        scenario = self.scenarios.get(visit.path.lstrip("/").partition("/")[0])
        return Reply(404) if scenario is None else scenario(visit)


def _headers(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in filter(None, lines):
        name, _, value = line.partition(":")
        yield name.lower(), value.strip()


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> bool:
    lines = [
        f"HTTP/1.1 {reply.status} X",
        *(f"{name}: {reply.headers[name]}" for name in reply.headers),
    ]
    if reply.pieces is None:
        lines.append(f"Content-Length: {len(reply.body) if reply.length is None else reply.length}")
    head = ("\r\n".join(lines) + "\r\n\r\n").encode()
    if reply.cut_at is not None:
        writer.write(head + reply.body[: reply.cut_at] if reply.cut_at else b"")
        await writer.drain()
        writer.transport.abort()
        return False
    writer.write(head + reply.body)
    await writer.drain()
    for piece in reply.pieces or ():
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(reply.pause)
    return reply.pieces is None


async def at_home(host: str, port: int) -> list[str]:
    """A resolver for tests: every name is this machine."""
    return ["127.0.0.1"]


def anybody_at_home(host: str, address: Any, port: int) -> bool:
    """A rule for tests: every host may be this machine, and nothing else."""
    return bool(address.is_loopback)
