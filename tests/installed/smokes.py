"""What is done in each environment besides its documents, until the work of a command is done."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp

from tests.classifiers import write_classifier
from tests.documents import docx, paragraph
from tests.ears import an_ear
from tests.judging import verdicts
from tests.loopback import FakeJudge, Reply, Request
from tests.models.test_providers import as_claude, as_gemini
from tests.wings.people.annotate.studies import client

from .fresh import Fresh, Unfit, holds

TASKS: Final = "examples/demo/tasks.jsonl"
REPORTS: Final = "examples/demo/reports"
CORPUS: Final = "examples/demo/research/corpus"
OFFLINE: Final = ("--protocol", "presentation", "--protocol", "coverage")
WORD: Final = docx(
    paragraph("Roofs", style="heading 1"),
    paragraph("A green roof costs 90 euros per square metre, says the study of the city [1]."),
    paragraph("References", style="heading 1"),
    paragraph("[1] The study. https://city.example/roofs"),
)
FILM: Final = """
import av, numpy
with av.open("film.mkv", "w") as film:
    sound = film.add_stream("aac", rate=44_100, layout="stereo")
    for n in range(50):
        wave = numpy.sin(numpy.arange(1024) / 9).astype(numpy.float32)
        frame = av.AudioFrame.from_ndarray(numpy.stack([wave, wave]), "fltp", "stereo")
        frame.rate, frame.pts = 44_100, 1024 * n
        film.mux(sound.encode(frame))
    film.mux(sound.encode(None))
"""


def evaluated(fresh: Fresh, run: str = "run.assay") -> None:
    """A run to look at: nine reports by two protocols."""
    said = fresh.run(
        "evaluate", TASKS, REPORTS, *OFFLINE, "--judge", "offline", "--limit", "3", "--run", run
    )
    holds(said, "Scored 18 of 18")


def _core(fresh: Fresh) -> None:
    """The way through the first pages of the README, then every command that lacks an extra."""
    fresh.run("--help")
    evaluated(fresh)
    holds(fresh.run("leaderboard", "run.assay"), "heron")
    fresh.run("explain", "run.assay", "--agent", "cuckoo", "--task", "terrace-heat")
    fresh.run("html", "run.assay", "-o", "page.html")
    holds(Path(fresh.folder, "page.html").read_text("utf-8"), '<table class="map">')
    holds(fresh.run("replay", "run.assay"), "18 outcomes are the same to the byte")
    with FakeJudge(verdicts) as judge:
        _asked(fresh, judge, "openai:good", judge.base_url)
    for extra, words in LACKING:
        holds(fresh.run(*words, status=2, keys=KEYS), f"pip install 'deepassay[{extra}]'")


KEYS: Final = {"ANTHROPIC_API_KEY": "none", "GOOGLE_API_KEY": "none"}
EVALUATE: Final = ("evaluate", TASKS, REPORTS, "--protocol", "coverage", "--run", "none.assay")
LACKING: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("web", ("annotate", "serve", "run.assay", "--questions", "coverage", "--raters", "ana")),
    ("web", ("sandbox", CORPUS, "--port", "0")),
    ("web", ("view", "run.assay", "--port", "0")),
    (
        "web",
        ("research", "examples/demo/research/tasks.jsonl", "--agent", "a=command:true"
         , "--sandbox", CORPUS, "--run", "none.assay"),
    ),
    ("docs", ("convert", "report.docx", "-o", "converted")),
    ("docs", ("lint", "report.docx")),
    ("docs", ("statements", "report.docx")),
    ("docs", ("evaluate", TASKS, "report.docx", "--run", "none.assay")),
    ("figures", ("figures", "run.assay", "-o", "figures")),
    ("parquet", ("export", "run.assay", "-o", "tables", "--format", "parquet")),
    ("parquet", ("leaderboard", "run.assay", "--format", "parquet", "-o", "board.parquet")),
    ("parquet", ("evaluate", "tasks.parquet", REPORTS, "--run", "none.assay")),
    ("inspect", ("export", "run.assay", "--format", "eval", "-o", "logs")),
    ("inspect", ("evaluate", TASKS, "log.eval", "--run", "none.assay")),
    ("ray", (*EVALUATE, "--engine", "ray", "--address", "local")),
    ("local", ("evaluate", TASKS, REPORTS, "--protocol", "fact", "--offline-sources",
               "--verifier", "local:classifier", "--run", "none.assay")),
    ("anthropic", (*EVALUATE, "--judge", "anthropic:claude-sonnet-4-5")),
    ("google", (*EVALUATE, "--judge", "google:gemini-2.5-pro")),
    ("asr", ("tasks", "transcribe", "talk.wav", "-o", "transcripts", "--model", "small")),
)  # fmt: skip
"""Commands that need an extra, each alone."""


def _asked(fresh: Fresh, judge: FakeJudge, name: str, address: str) -> None:
    """A judge is tried, then judges."""
    where = ("--judge", name, "--base-url", address)
    holds(fresh.run("doctor", *where, "--ask", keys=KEYS), "answered in")
    run = ("--limit", "2", "--run", f"{name.partition(':')[0]}.assay")
    said = fresh.run("evaluate", TASKS, REPORTS, "--protocol", "coverage", *where, *run, keys=KEYS)
    holds(said, "Scored 6 of 6")
    if len(judge.requests) < 7:
        raise Unfit(f"{name}: {len(judge.requests)} requests came, and 7 were to")


def _vendor(name: str, shaped: Callable[[str], dict[str, Any]]) -> Callable[[Fresh], None]:
    """A judge who is spoken to in the protocol of its vendor."""

    def reply(request: Request, _: str) -> Reply:
        return Reply(body=json.dumps(shaped(verdicts({"messages": turns(request.body)}))).encode())

    def turns(body: dict[str, Any]) -> list[dict[str, str]]:
        texts = re.findall(r'"text": "((?:[^"\\]|\\.)*)"|"content": "((?:[^"\\]|\\.)*)"',
                           json.dumps(body.get("messages") or body.get("contents")))  # fmt: skip
        return [{"role": "user", "content": json.loads(f'"{a or b}"')} for a, b in texts[-1:]]

    def smoke(fresh: Fresh) -> None:
        with FakeJudge(scenarios={"good": reply}) as judge:
            _asked(fresh, judge, name, judge.base_url.removesuffix("/v1"))

    return smoke


@contextmanager
def serving(fresh: Fresh, *words: str) -> Iterator[list[str]]:
    """A command that serves: the lines that it said when it was ready. Stopped by Ctrl-C."""
    typed = ["deepassay", *words, "--port", "0"]
    fresh.done.append(" ".join(typed))
    process = subprocess.Popen(
        [fresh.python.with_name("deepassay"), *typed[1:]], cwd=fresh.folder,
        env=fresh.environment() | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    said: list[str] = []
    patience = threading.Timer(120, process.kill)
    patience.start()
    try:
        while not any("http://" in line for line in said) or "Ctrl-C" not in "".join(said):
            line = process.stdout.readline()
            if not line:
                raise Unfit(f"{' '.join(typed)} ended:\n{''.join(said)}")
            said.append(line)
        yield said
    finally:
        patience.cancel()
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    if process.returncode not in (0, 130) or "Traceback" in rest:
        raise Unfit(f"{' '.join(typed)} ended with {process.returncode}:\n{rest}")


def _web(fresh: Fresh) -> None:
    """A study until the leader has its decisions, a corpus until a page is read."""
    evaluated(fresh)
    study = ("--questions", "coverage", "--raters", "ana,bo", "--per-item", "2", "--limit", "3")
    with serving(fresh, "annotate", "serve", "run.assay", *study) as said:
        keys = dict(re.findall(r"^(\w+): (http://\S+)$", "".join(said), re.MULTILINE))
        text = asyncio.run(_decided(keys))
    rows = list(csv.DictReader(io.StringIO(text)))
    if {row["rater"] for row in rows} != {"ana", "bo"}:
        raise Unfit(f"the leader got no decisions of both raters:\n{text[:500]}")
    Path(fresh.folder, "people.csv").write_text(fresh.run("annotate", "export"))
    holds(fresh.run("annotate", "status"), "ana")
    holds(fresh.run("agree", "run.assay", "--human", "people.csv"), "coverage")
    with serving(fresh, "sandbox", CORPUS) as said:
        asyncio.run(_searched(re.search(r"http://\S+", "".join(said))[0]))  # type: ignore[index]


async def _decided(keys: dict[str, str]) -> str:
    """Both raters answer everything; what the leader takes home."""
    for rater in ("ana", "bo"):
        address, _, key = keys[rater].partition("/enter#")
        async with client(address) as own:
            status, _ = await own.enter(key)
            if status != 200:
                raise Unfit(f"{rater} enters, and is answered {status}")
            pages = 0
            while 'type="radio"' in (await own.get())[1]:
                status, page = await own.rate()
                if status != 200:
                    raise Unfit(f"{rater} decides, and is answered {status}: {page[:500]}")
                pages += 1
            if pages != 3:
                raise Unfit(f"{rater} was shown {pages} reports, and 3 were to be")
    address, _, key = keys["leader"].partition("/enter#")
    async with client(address, key) as leader:
        return (await leader.get("/decisions.csv"))[1]


async def _searched(address: str) -> None:
    """A search in two ways, and the page that it found."""
    async with aiohttp.ClientSession() as session:
        asked = {"q": "on-call bus", "format": "json"}
        async with session.post(f"{address}/search", data=asked) as answer:
            hits = (await answer.json())["results"]
        async with session.post(f"{address}/search", json={"query": "on-call bus"}) as answer:
            again = (await answer.json())["results"]
        found, first = ([hit["url"] for hit in answered] for answered in (hits, again))
        if not first or first != found[: len(first)]:
            raise Unfit(f"the sandbox finds {found} and {first}")
        async with session.get(f"{address}/w/{hits[0]['url']}") as answer:
            if answer.status != 200 or not await answer.text():
                raise Unfit(f"the sandbox serves its own hit with status {answer.status}")


def _docs(fresh: Fresh) -> None:
    """Documents are converted, looked at and scored."""
    folder = fresh.folder / "documents" / "crane"
    folder.mkdir(parents=True)
    (folder / "terrace-heat.docx").write_bytes(WORD)
    fresh.run("convert", "documents", "-o", "converted")
    text = (fresh.folder / "converted" / "crane" / "terrace-heat.md").read_text("utf-8")
    holds(text, "# Roofs", "90 euros", "https://city.example/roofs")
    holds(fresh.run("statements", folder / "terrace-heat.docx"), "city.example")
    said = fresh.run("evaluate", TASKS, "documents", *OFFLINE, "--limit", "1", "--run", "d.assay")
    holds(said, "Scored 2 of 2")


def _local(fresh: Fresh) -> None:
    """A classifier says what pages support; its file was made elsewhere."""
    fresh.run("sources", "import", "examples/demo/pages.jsonl")
    said = fresh.run(
        "evaluate", TASKS, REPORTS, "--protocol", "fact", "--offline-sources",
        "--verifier", "local:classifier", "--limit", "2",
    )  # fmt: skip
    holds(said, "Scored 6 of 6")
    holds(fresh.run("leaderboard", "run.assay", "--wide"), "model=local:classifier")


def _asr(fresh: Fresh) -> None:
    """The sound of a film goes to an endpoint. A model of its own would have to be downloaded."""
    fresh.code("import faster_whisper, ctranslate2")
    fresh.code(FILM)
    with an_ear() as ear:
        address = ("--model", "openai:whisper-1", "--base-url", ear.base_url)
        fresh.run("tasks", "transcribe", "film.mkv", "-o", "transcripts", *address)
    if ear.uploads[0].parts["file"][0] != "recording.mp3":
        raise Unfit("the film itself was sent, and not its sound")
    absent = ("tasks", "transcribe", "film.mkv", "-o", "more", "--model", "./none")
    holds(fresh.run(*absent, status=2), "there is no such folder")


def _parquet(fresh: Fresh) -> None:
    """Tasks come from Parquet, and boards go there."""
    fresh.code(
        "import json, pyarrow, pyarrow.parquet as p\n"
        f"rows = [json.loads(line) for line in open({TASKS!r}, encoding='utf-8')]\n"
        "rows = [{'id': row['id'], 'prompt': row['prompt']} for row in rows]\n"
        "p.write_table(pyarrow.Table.from_pylist(rows), 'own.parquet')"
    )
    only = ("--protocol", "presentation", "--run", "p.assay")
    holds(fresh.run("evaluate", "own.parquet", REPORTS, *only), "Scored 18 of 18")
    fresh.run("leaderboard", "p.assay", "--format", "parquet", "-o", "board.parquet")


def _figures(fresh: Fresh) -> None:
    """Figures are drawn."""
    evaluated(fresh)
    fresh.run("figures", "run.assay", "-o", "figures", "--only", "ranking")
    if not list((fresh.folder / "figures").glob("*.svg")):
        raise Unfit("figures wrote none")


def _pandas(fresh: Fresh) -> None:
    """Scores become a frame."""
    evaluated(fresh)
    program = "import deepassay; print(len(deepassay.open_run('run.assay').scores().to_pandas()))"
    holds(fresh.code(program), "18")


def _ray(fresh: Fresh) -> None:
    """Cases are carried out by a cluster that ends with the command."""
    ray = ("--engine", "ray", "--address", "local", "--workers", "1", "--limit", "2")
    said = fresh.run("evaluate", TASKS, REPORTS, "--protocol", "presentation", *ray)
    holds(said, "Scored 6 of 6")


def _inspect(fresh: Fresh) -> None:
    """A run of one protocol becomes logs, and their reports are scored anew."""
    only = ("--protocol", "presentation", "--limit", "3", "--run", "run.assay")
    holds(fresh.run("evaluate", TASKS, REPORTS, *only), "Scored 9 of 9")
    fresh.run("export", "run.assay", "--format", "eval", "-o", "logs")
    fresh.code("import deepassay.wings.bridges.inspect.scorers")
    fresh.run("evaluate", TASKS, "logs", "--protocol", "presentation", "--run", "again.assay")


def _mcp(fresh: Fresh) -> None:
    """A client of MCP searches a corpus and fetches a page, and has a report looked at."""
    asyncio.run(_linted(fresh))
    with serving(fresh, "sandbox", CORPUS) as said:
        address = re.search(r"http://\S+", "".join(said))[0]  # type: ignore[index]
        asyncio.run(_called(f"{address}/mcp"))


def _pytest(fresh: Fresh) -> None:
    """A test asks for the fixture of the plugin."""
    for agent in ("heron", "cuckoo"):
        report = f"{REPORTS}/{agent}/open-library.md"
        asked = f"deepassay.assert_report({report!r}, 'Why?', {{'presentation': 70}})"
        Path(fresh.folder, f"test_{agent}.py").write_text(f"def test(deepassay):\n    {asked}\n")
    said = fresh.code(
        "import subprocess, sys\n"
        "words = [sys.executable, '-m', 'pytest', '-q', 'test_heron.py', 'test_cuckoo.py']\n"
        "print(subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout)"
    )
    holds(said, "1 failed, 1 passed")


async def _called(address: str) -> None:
    from mcp import Client

    async with Client(address) as asking:
        found = await asking.call_tool("search", {"query": "on-call bus", "max_results": 1})
        (hit,) = found.structured_content["results"]
        page = await asking.call_tool("fetch", {"id": hit["id"]})
        if page.is_error or not page.structured_content["text"]:
            raise Unfit(f"fetch of {hit['id']} gives {page}")


async def _linted(fresh: Fresh) -> None:
    from mcp import Client, StdioServerParameters

    words = ["-m", "deepassay", "mcp", "--folder", REPORTS]
    server = StdioServerParameters(
        command=str(fresh.python), args=words, cwd=str(fresh.folder), env=dict(os.environ)
    )
    async with Client(server) as asking:
        for tool, rows in (("lint", "findings"), ("statements", "statements")):
            said = await asking.call_tool(tool, {"file": "magpie/open-library.md"})
            if said.is_error or not said.structured_content[rows]:
                raise Unfit(f"{tool} gives {said}")


SMOKES: Final[dict[str, Callable[[Fresh], None]]] = {
    "core": _core,
    "anthropic": _vendor("anthropic:good", as_claude),
    "asr": _asr,
    "docs": _docs,
    "figures": _figures,
    "google": _vendor("google:good", as_gemini),
    "inspect": _inspect,
    "local": _local,
    "mcp": _mcp,
    "pandas": _pandas,
    "parquet": _parquet,
    "pytest": _pytest,
    "ray": _ray,
    "web": _web,
}
"""By extra; the documents are followed besides."""


def given(fresh: Fresh) -> None:
    """What stands in the folder before anything is run."""
    (fresh.folder / "report.docx").write_bytes(WORD)
    for name in ("talk.wav", "tasks.parquet", "log.eval"):
        (fresh.folder / name).write_bytes(b"PK\x03\x04" if name.endswith("eval") else b"PAR1")
    write_classifier(fresh.folder / "classifier")
    shutil.copytree(os.fspath(Path(__file__).parents[2] / "examples"), fresh.folder / "examples")
