"""Whatever stands in a run file of somebody else, every command ends, and says so in words."""

import asyncio
import json
import signal
import sys
from contextlib import contextmanager, nullcontext
from unittest.mock import Mock

import pytest

from deepassay.cli import main
from deepassay.files import read_yaml
from deepassay.results.figures import rendering
from deepassay.runfile import AgentRun, Attempt, RunFile, StoredRun
from tests.cli.strange import BODIES, CHANGES, IDENTITIES, METAS, PARTS, RAW, VALUES, craft

GUARD = 60
"""Seconds after which a command hangs; none takes one."""

WORDS = {
    "leaderboard": ("leaderboard", "{}"),
    "wide": ("leaderboard", "{}", "--wide"),
    "beside": ("leaderboard", "whole", "{}"),
    "compare": ("compare", "{}"),
    "judges": ("compare", "whole", "{}", "--judges"),
    "explain": ("explain", "{}", "--agent", "heron", "--task", "{task}"),
    "jsonl": ("export", "{}"),
    "export": ("export", "{}", "-o", "tables", "--format", "csv", "--force"),
    "figures": ("figures", "{}", "-o", "figures", "--force"),
    "html": ("html", "{}", "-o", "page.html", "--force"),
    "replay": ("replay", "{}"),
    "merge": ("merge", "{}", "whole", "-o", "merged.assay"),
    "agree": ("agree", "people", "{}", "--human", "{demo}/people.csv"),
    "calibrate": ("calibrate", "{}", "--human", "{demo}/people.csv", "-o", "w.json"),
    "batches": ("batches", "{}"),
    "resume": (
        *("evaluate", "{demo}/tasks.jsonl", "{reports}", "--run", "{}", "--limit", "{limit}"),
        *("--protocol", "coverage", "--protocol", "fact", "--protocol", "rubrics"),
        *("--rubric", "{rubrics}", "--offline-sources", "--date", "2026-05-04"),
    ),
}
"""Each command that reads run files, with what it needs."""

DOORS = ("leaderboard", "replay", "merge", "resume")
"""Those that open a file each in a way of its own; the others open it as `leaderboard` does."""

READERS = {
    "usage that": ("resume",),
    "no salt": ("replay",),
    "costs without": ("replay", "merge", "resume"),
    "costs below": ("replay", "merge", "resume"),
}
"""Of values that not every one of them looks at: which do."""

SAMPLE = (
    *("an endless view in place of outcomes", "no salt", "costs below nothing"),
    *("an identity that is {}", "tasks: a bomb", "outcomes details items", "outcomes: [NaN]"),
)
"""Changes that every command is tried on."""

DRAWN = "outcomes details items"
"""The one of them that comes as far as the pictures: the others draw what a whole file has."""


def words_of(command, run, demo, whole, task="terrace-heat"):
    """The words of a command on a run file, which is made of the one that is whole."""
    put = {"{}": str(run), "whole": str(run.with_name("whole")), "{task}": task}
    put |= {"{rubrics}": str(whole.with_name("rubrics.jsonl"))}
    put |= {"{reports}": str(whole.with_name("reports"))}
    put |= {"{limit}": {"whole": "2", "little": "1"}[whole.name]}
    return [put.get(each, each.replace("{demo}", str(demo))) for each in WORDS[command]]


@pytest.fixture(scope="module")
def whole(repository, tmp_path_factory):
    """Two tasks and three agents: a row for every odd thing."""
    demo = repository / "examples" / "demo"
    return made(demo, tmp_path_factory.mktemp("files") / "whole", "*")


@pytest.fixture(scope="module")
def little(repository, tmp_path_factory):
    """One task and one agent: enough where all rows of a table are changed alike."""
    demo = repository / "examples" / "demo"
    return made(demo, tmp_path_factory.mktemp("files") / "little", "heron")


def made(demo, run, agents):
    """A run file by three protocols, with a row of what an agent did and of what was asked.

    Beside it the beginning and end of each report of the demo, and its rubrics as lines: YAML takes
    longer to read than all that is done.
    """
    for report in demo.glob(f"reports/{agents}/*.md"):
        parts = report.read_text("utf-8").split("\n\n")
        short = run.with_name("reports") / report.parent.name / report.name
        short.parent.mkdir(parents=True, exist_ok=True)
        short.write_text("\n\n".join([*parts[:6], *parts[-2:]]), "utf-8")
    rubrics = read_yaml((demo / "rubrics.yaml").read_text("utf-8"))
    run.with_name("rubrics.jsonl").write_text("\n".join(map(json.dumps, rubrics)), "utf-8")
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as end:
        patch.setattr(sys, "argv", ["deepassay", *words_of("resume", run, demo, run)])
        main()
    assert end.value.code == 1  # none of the cited pages is kept

    async def add(file):
        await file.keep_attempt(Attempt("k", 1, "answered", 200, usage={"input": 7}, cost=0.5))
        for agent in ("stork", "wren"):
            await file.answering.keep(StoredRun(agent, "t", 1, AgentRun("# Tides", "done")))

    with RunFile.create(run) as file:
        asyncio.run(add(file))
    return run


@contextmanager
def guarded():
    def hangs(number, frame):
        raise AssertionError("the command hangs")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(GUARD)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def undrawn(monkeypatch):
    """Figures are made of what is read, but not drawn: see `DRAWN`."""
    canvas = Mock(savefig=lambda out, **how: out.write('<svg viewBox="0 0 640 480"/>'))
    monkeypatch.setattr(rendering, "canvas_of", lambda *how: nullcontext(canvas))


@pytest.fixture
def tried(demo, tmp_path, deepassay):
    """What commands say of a file with a change, each of a new one."""

    def tried(name, commands, whole):
        (tmp_path / "whole").write_bytes(whole.read_bytes())
        found = {}
        strange = tmp_path / "strange.assay"
        changed = craft(whole, tmp_path / "changed", CHANGES[name]).read_bytes()
        for command in commands:
            strange.write_bytes(changed)
            with guarded():
                done = deepassay(*words_of(command, strange, demo, whole))
            assert done.returncode in (0, 1, 2), (name, command)
            assert "Traceback" not in done.stderr, (name, command, done.stderr)
            found[command] = done
        return found

    return tried


@pytest.mark.parametrize("name", SAMPLE)
def test_every_command_ends_in_words(name, tried, request, whole):
    if name != DRAWN:
        request.getfixturevalue("undrawn")
    assert any(done.returncode for done in tried(name, WORDS, whole).values())


@pytest.mark.parametrize("name", RAW)
def test_tables_that_are_not_ours_are_refused_by_name(name, tried, little):
    for command, done in tried(name, DOORS, little).items():
        assert done.returncode in (1, 2), (command, done.stdout, done.stderr)
        assert "strange.assay" in done.stderr or "damaged: " in done.stderr, command


@pytest.mark.parametrize("name", VALUES)
def test_values_of_no_type_of_ours_are_refused_by_name(name, tried, little):
    for command, done in tried(name, DOORS, little).items():
        unread = command not in READERS.get(" ".join(name.split()[:2]), DOORS)
        assert unread or done.returncode in (1, 2), (command, done.stdout, done.stderr)
        assert unread or "strange.assay" in done.stderr or "damaged: " in done.stderr, command


@pytest.mark.parametrize("name", [*IDENTITIES, *METAS, *BODIES])
def test_odd_bodies_end_in_words(name, tried, little):
    assert tried(name, ("wide", "replay", "resume"), little)


@pytest.mark.parametrize("name", PARTS)
def test_odd_parts_of_a_row_end_in_words(name, tried, undrawn, whole):
    assert tried(name, ("wide", "jsonl", "html"), whole)
