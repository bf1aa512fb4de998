"""Runs that are looked at, and who looks: by requests, or in a browser."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import aevaluate
from deepassay.web.guard import PageGuard
from deepassay.wings.view.application import RoomApplication
from deepassay.wings.view.filling import Filling
from deepassay.wings.view.room import Room
from deepassay.wings.view.side import SideFile
from tests.asked import asked
from tests.browser import Browser
from tests.conftest import REPOSITORY

DEMO = REPOSITORY / "examples" / "demo"
HOST = "127.0.0.1:1"
PROTOCOLS = ("presentation", "coverage", "race", "fact", "rubrics")


def demo_run(
    path: Path,
    reports: Path = DEMO / "reports",
    protocols: Sequence[str] = PROTOCOLS,
    reference: str | None = "heron",
    **more: Any,
) -> Path:
    """The demonstration, judged by the offline rules unless more is said."""
    import_pages([DEMO / "pages.jsonl"], path, None)
    request = asked(
        DEMO / "tasks.jsonl",
        reports,
        protocols=list(protocols),
        reference=reference,
        criteria=DEMO / "criteria.yaml",
        rubric=DEMO / "rubrics.yaml",
        run=path,
        offline_sources=True,
        date="2026-05-04",
        **more,
    )
    asyncio.run(aevaluate(*request))
    return path


class Answer:
    """What was answered. text: without elements and with what entities stand for."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body
        self.html = body.decode("utf-8", "replace")

    @property
    def text(self) -> str:
        plain = re.sub(r"<[^>]*>", " ", re.sub(r"<(script|style)\b.*?</\1>", "", self.html))
        return " ".join(unescape(plain).split())

    def links(self) -> list[str]:
        return [unescape(each) for each in re.findall(r'href="([^"]*)"', self.html)]


class Visitor:
    """Asks an application as a browser of this machine would."""

    def __init__(self, runs: Sequence[Path], **side: Any) -> None:
        self.room = Room(runs)
        self.side = SideFile(side.pop("index", None), [run.file.salt for run in self.room])
        self.filling = Filling(self.room, self.side)
        self.filling.read_all()
        self.made = RoomApplication(self.room, self.side, self.filling, patience=60.0, **side)
        self.app = PageGuard(self.made.app, {HOST}, {f"http://{HOST}"}, linked=True)

    def get(self, path: str, headers: dict[str, str] | None = None, **query: object) -> Answer:
        return self.send("GET", path, urlencode(query), headers)

    def follow(self, address: str) -> Answer:
        path, _, query = address.partition("#")[0].partition("?")
        return self.send("GET", path, query)

    def post(self, path: str, headers: dict[str, str] | None = None, **form: object) -> Answer:
        own = {"origin": f"http://{HOST}", "content-type": "application/x-www-form-urlencoded"}
        return self.send("POST", path, "", own | (headers or {}), urlencode(form).encode())

    def send(
        self,
        method: str,
        path: str,
        query: str = "",
        headers: dict[str, str] | None = None,
        body: bytes = b"",
    ) -> Answer:
        given = {"host": HOST, **(headers or {})}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
            "client": ("127.0.0.1", 2),
            "server": ("127.0.0.1", 1),
        }
        messages: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            messages.append(message)

        asyncio.run(self.app(scope, receive, send))  # type: ignore[arg-type]
        start = messages[0]
        head = {name.decode(): value.decode() for name, value in start["headers"]}
        return Answer(start["status"], head, b"".join(each.get("body", b"") for each in messages))

    def close(self) -> None:
        self.side.close()
        self.room.close()


@contextmanager
def served(*runs: Path, options: Sequence[str] = ()) -> Iterator[str]:
    """The command in a process of its own; its address, without the slash."""
    command = ["deepassay", "view", *map(str, runs), "--port", "0", *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://"), "it ended"
        yield address.rstrip("/")
    finally:
        process.kill()
        process.communicate()


def faults(browser: Browser) -> list[object]:
    """What the browser complains of, and what it asked for from elsewhere."""
    errors = [each["entry"]["text"] for each in browser.of("Log.entryAdded")]
    errors += [each["exceptionDetails"]["text"] for each in browser.of("Runtime.exceptionThrown")]
    foreign = [url for url in browser.requests() if not url.startswith("http://127.0.0.1:")]
    return [*errors, *foreign, *browser.of("Page.javascriptDialogOpening")]
