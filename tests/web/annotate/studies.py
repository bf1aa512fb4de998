"""A small study, served in this process and asked over loopback."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from deepassay.agents.sandbox.server import answering, listener
from deepassay.run.evaluate import aevaluate
from deepassay.runfile import RunFile
from deepassay.web.annotate.book import Book
from deepassay.web.annotate.server import Study
from deepassay.web.annotate.setting_up import Terms, begin
from deepassay.web.guard import Guard
from tests.asked import asked

TASKS = [
    {"id": "rain", "prompt": "Why does it rain?", "checklist": ["Is vapour named?"]},
    {"id": "feng", "prompt": "为什么会刮风？", "checklist": ["是否提到气压？"]},
]
AGENTS = ("nightjar", "stonechat")
HOSTILE = (
    "# Report of nightjar\n\nVapour rises [1]. <script>alert(1)</script>"
    " <img src=x onerror=alert(2)> [a](javascript:alert(3)) ![p](https://out.example/p.png) [b](https://a.example/1)\n\n"
    "1. https://a.example/1?utm_source=nightjar\n"
)


def scored(folder: Path, protocols=("race(reference=False)", "coverage")) -> Path:
    """The run file of two agents on two tasks, judged by rule."""
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, TASKS)))
    for agent in AGENTS:
        (folder / agent).mkdir(exist_ok=True)
        for task in TASKS:
            text = (
                HOSTILE
                if agent == "nightjar"
                else "# 风\n\n气压差产生风 [1]。\n\n[1] https://b.example/2\n"
            )
            (folder / agent / f"{task['id']}.md").write_text(text)
    reports = [folder / agent for agent in AGENTS]
    request = asked(
        folder / "tasks.jsonl", reports, protocols=list(protocols), run=folder / "run.assay"
    )
    asyncio.run(aevaluate(*request))
    return folder / "run.assay"


TERMS = Terms(questions=("coverage",), raters=("ana", "bo"), per_item=2, seed=7)


class Client:
    """A browser without a screen: cookies, forms, redirects."""

    def __init__(self, address: str, session: aiohttp.ClientSession) -> None:
        self.address = address
        self.session = session
        self.origin = address

    async def get(self, path: str = "/", **options: object) -> tuple[int, str]:
        async with self.session.get(self.address + path, **options) as answer:
            return answer.status, await answer.text()

    async def post(self, path: str, form: dict, **headers: str) -> tuple[int, str]:
        given = {"Origin": self.origin} | headers
        async with self.session.post(self.address + path, data=form, headers=given) as answer:
            return answer.status, await answer.text()

    async def enter(self, key: str) -> tuple[int, str]:
        return await self.post("/enter", {"token": key})

    async def rate(self, value: str | None = None, **changes: str) -> tuple[int, str]:
        """Answer every question of the page that is open with its first choice, or this one."""
        _, page = await self.get()
        return await self.post("/save", filled(page, value) | changes)


def filled(page: str, value: str | None = None) -> dict[str, str]:
    """The form of a page, filled in."""
    form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    for name, choice in re.findall(r'type="radio" name="(q\d+)" value="([^"]*)"', page):
        if value is None:
            form.setdefault(name, choice)
        elif choice == value:
            form[name] = value
    return form


@asynccontextmanager
async def served(
    run: Path, study: Path, terms: Terms = TERMS
) -> AsyncIterator[tuple[Book, dict[str, str], str]]:
    """The book, the keys by rater and the address."""
    with RunFile.create(study) as file, listener("127.0.0.1", 0) as socket:
        begin(run, file, terms)
        book = Book(file)
        keys = book.new_keys()
        port = socket.getsockname()[1]
        host = f"127.0.0.1:{port}"
        hosts = {host, f"localhost:{port}"}
        app = Guard(Study(book, port).app, hosts, {f"http://{host}"}, "/enter")
        async with answering(app, socket):
            yield book, keys, f"http://{host}"


@asynccontextmanager
async def client(address: str, key: str = "") -> AsyncIterator[Client]:
    """Somebody with a browser, who has entered if there is a key."""
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        own = Client(address, session)
        if key:
            await own.enter(key)
        yield own
