"""A small study, served in this process and asked over loopback."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from deepassay.run.asking.evaluate import aevaluate
from deepassay.runfile import RunFile
from deepassay.runfile.questions import TEXT, Box, Choice, Item, Question
from deepassay.web.guard import PageGuard
from deepassay.web.serving import answering_on, listener
from deepassay.wings.people.annotate.book import StudyBook
from deepassay.wings.people.annotate.server import StudyApplication
from deepassay.wings.people.annotate.setting_up import StudyTerms, set_up_study
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


TERMS = StudyTerms(questions=("coverage",), raters=("ana", "bo"), per_item=2, seed=7)


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


ANSWER = r'type="radio" name="(q\d+)" value="(\d+)"([^>]*)>\s*(?:<kbd[^>]*>\w+</kbd> )?([^<]*)<'
"""Of an answer on a page: its question, its place, what else is said of it, and its words."""


def filled(page: str, value: str | None = None) -> dict[str, str]:
    """The form of a page, filled in. value: the words of an answer, in English or not."""
    form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
    for name, place, _, words in re.findall(ANSWER, page):
        if value is None:
            form.setdefault(name, place)
        elif words in (value, {"yes": "是", "no": "否"}.get(value)):
            form[name] = place
    return form


def placed(item: Item, form: Mapping[str, str]) -> dict[str, str]:
    """A form whose answers of menus are what is kept, as a page sends it: with their places."""
    places = {
        f"q{number}": {choice.value: str(at) for at, choice in enumerate(question.menu)}
        for number, question in enumerate(item.questions)
    }
    return {name: places.get(name, {}).get(said, said) for name, said in form.items()}


def checked(page: str) -> list[str]:
    """The words of the answers that a page comes with."""
    return [words for _, _, more, words in re.findall(ANSWER, page) if "checked" in more]


TABLE_13 = (
    Choice(value="appropriate", en="appropriate", zh="合适"),
    Choice(
        value="needless", en="valid but not necessary", zh="多余", version="may", comment="must"
    ),
    Choice(value="to change", en="needs modification", zh="须修改", version="must"),
)
CRITERION = (
    TEXT,
    Box(name="weight", en="Weight", zh="权重", kind="number"),
    Box(name="axis", en="Axis", zh="维度", kind="choice", menu=("depth", "form"), required=False),
)


def checklist_of(task: str, language: str = "en", **more) -> Item:
    """A task with a check to be rated, lines to be added, and a draft to be written."""
    words = (
        ("Is it clear?", "Add criteria", "Draft")
        if language == "en"
        else ("清楚吗？", "补充", "草稿")
    )
    given = ({"text": f"Is vapour of {task} named?"},)
    return Item(
        task=task,
        language=language,
        prompt="Why does it rain?",
        subject="# Checklist\n\n1. Is vapour named? <script>alert(1)</script>\n",
        questions=(
            Question(
                protocol="check",
                item="c1",
                text=words[0],
                menu=TABLE_13,
                boxes=(TEXT,),
                given=given,
            ),
            Question(protocol="add", text=words[1], boxes=CRITERION, least=0, most=5),
            Question(protocol="draft", text=words[2], boxes=(TEXT,), least=1),
        ),
        **more,
    )


@asynccontextmanager
async def served(
    run: Path, study: Path, terms: StudyTerms = TERMS, sent: list[bytes] | None = None
) -> AsyncIterator[tuple[StudyBook, dict[str, str], str]]:
    """The book, the keys by rater and the address. run: a run file, or a file of items.

    sent: takes every byte that is served, heads and bodies.
    """
    with RunFile.create(study) as file, listener("127.0.0.1", 0) as socket:
        set_up_study(run, file, terms)
        book = StudyBook(file)
        keys = book.new_keys()
        port = socket.getsockname()[1]
        host = f"127.0.0.1:{port}"
        hosts = {host, f"localhost:{port}"}
        app = PageGuard(StudyApplication(book, port).app, hosts, {f"http://{host}"}, "/enter")
        if sent is not None:
            app = recording(app, sent)
        async with answering_on(app, socket):
            yield book, keys, f"http://{host}"


def recording(app, sent: list[bytes]):
    """The application, with what it sends."""

    async def told(scope, receive, send):
        async def keep(message):
            sent.append(b"\n".join(b": ".join(each) for each in message.get("headers", ())))
            sent.append(message.get("body", b""))
            await send(message)

        await app(scope, receive, keep)

    return told


@asynccontextmanager
async def client(address: str, key: str = "") -> AsyncIterator[Client]:
    """Somebody with a browser, who has entered if there is a key."""
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        own = Client(address, session)
        if key:
            await own.enter(key)
        yield own
