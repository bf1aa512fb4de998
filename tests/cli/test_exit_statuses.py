"""Nothing done is no success: what every command ends with where there was nothing to do it on.

The table of docs/exit-statuses.md has a row for each command; here each is run as a user types it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from deepassay.cli.app import app
from deepassay.runfile import RunFile
from deepassay.wings.build.arena.transcript import write_transcripts
from deepassay.wings.build.experts.query_drafts import QueryDraft, add_drafts
from tests.wings.build.seminars import seminar
from tests.wings.people.commands.test_annotating import study  # noqa: F401 - a fixture

TASKS = ("a", "b")
BLANK = ("--protocol", "coverage", "--run", "r")
REPOSITORY = Path(__file__).parents[2]

CASES: dict[str, tuple[str, int, str]] = {
    "start": ("start none.csv reports", 2, "none.csv"),
    "evaluate": ("evaluate tasks.jsonl reports {BLANK}", 1, "Nothing was scored."),
    "research": ("research tasks.jsonl --agent x=command:false --run q", 1, "No report was"),
    "sandbox": ("sandbox empty --port 0", 2, "empty"),
    "estimate": ("estimate tasks.jsonl none", 2, "none"),
    "doctor": ("doctor --judge openai:x", 1, "OPENAI_API_KEY"),
    "settings": ("settings --judge", 2, "--judge"),
    "protocols": ("protocols nosuch", 2, "nosuch"),
    "leaderboard": ("leaderboard r", 1, "No report has a score"),
    "compare": ("compare r", 1, "No report has a score"),
    "calibrate": ("calibrate r --human people.csv", 2, "people.csv"),
    "audit": ("audit tasks.jsonl reports --protocol coverage --run audit.assay", 2, ""),
    "explain": ("explain r --agent nobody --task a", 2, "nobody"),
    "figures": ("figures r -o drawn", 1, ""),
    "html": ("html r -o page.html", 1, "No report has a score"),
    "view": ("view none.assay --port 0", 2, "none.assay"),
    "export": ("export nothing.assay", 1, "has no outcome"),
    "replay": ("replay nothing.assay", 2, "no outcomes"),
    "bundle": ("bundle nothing.assay -o x.assay.zip", 2, "no outcomes"),
    "verify": ("verify r", 2, "no bundle"),
    "commit": ("commit tasks.jsonl -o c.json", 2, "names its protocols"),
    "board": ("board empty -o board.html", 2, "no bundle"),
    "mcp": ("mcp --folder none", 2, "no such folder"),
    "merge": ("merge none.assay -o whole.assay", 2, "none.assay"),
    "batches": ("batches r", 0, ""),
    "lint": ("lint empty", 2, "empty"),
    "clean": ("clean reports/heron/a.md", 1, "nothing is left"),
    "statements": ("statements reports/heron/a.md", 1, "no statement"),
    "convert": ("convert empty -o converted", 2, ""),
    "standardise": ("standardise reports -o standard --run s", 1, "Without standard forms"),
    "perturb": ("perturb reports -o changed", 2, "nothing in these reports to change"),
    "agree people": ("agree people r --human people.csv", 2, "people.csv"),
    "agree support": ("agree support pairs.csv --run s", 2, "pairs.csv"),
    "agree cascade": ("agree cascade pairs.csv --first offline -o c.json --run s", 2, "pairs.csv"),
    "agree rubrics": ("agree rubrics people.csv r", 2, "people.csv"),
    "agree spans": ("agree spans people.csv", 2, "people.csv"),
    "agree draw": ("agree draw r --protocol coverage -o drawn.csv", 2, ""),
    "agree show": ("agree show r --human people.csv -o shown.csv", 2, ""),
    "agree preferences": ("agree preferences people.csv", 2, "people.csv"),
    "annotate serve": ("annotate serve r --raters ana --study s.assay", 2, ""),
    "annotate draw": ("annotate draw r --questions coverage -o draw.json", 2, ""),
    "annotate status": ("annotate status --study none.assay", 2, "none.assay"),
    "annotate export": ("annotate export --study study.assay", 1, "Nobody has answered"),
    "annotate import": ("annotate import exported.json --study study.assay", 1, "no answer"),
    "rescue": ("rescue r --under r", 2, ""),
    "robustness references": (
        "robustness references tasks.jsonl reports --reference heron --reference cuckoo",
        1,
        "",
    ),
    "robustness lengths": ("robustness lengths tasks.jsonl reports --reference heron", 1, ""),
    "robustness judges": (
        "robustness judges tasks.jsonl reports --reference heron --judge offline",
        2,
        "",
    ),
    "robustness together": ("robustness together tasks.jsonl reports", 2, ""),
    "sources fetch": ("sources fetch reports --snapshots s.assay", 1, "cite no address"),
    "sources list": ("sources list --snapshots nothing.assay", 1, "keeps no address"),
    "sources export": ("sources export --snapshots nothing.assay -o p.warc.gz", 1, "keeps no page"),
    "sources import": ("sources import empty.jsonl --snapshots s.assay", 1, "hold no page"),
    "tasks criteria": ("tasks criteria empty.jsonl -o c.jsonl", 2, "empty.jsonl"),
    "tasks checklist": ("tasks checklist empty.jsonl -o c.jsonl", 2, "empty.jsonl"),
    "tasks rubric": ("tasks rubric tasks.jsonl -o c.yaml", 2, ""),
    "tasks describe": ("tasks describe empty.jsonl", 2, "empty.jsonl"),
    "tasks recount": ("tasks recount key-points empty.jsonl", 2, "empty.jsonl"),
    "tasks sets": ("tasks sets nosuch", 2, "There is no set 'nosuch'"),
    "tasks check": ("tasks check r --run check.assay", 2, "No criterion"),
    "tasks leakage": ("tasks leakage one.jsonl --run s", 1, "Not tested: 1 of 1"),
    "tasks transcribe": ("tasks transcribe none.srt -o talks", 2, "none.srt"),
    "tasks inspire": (
        "tasks inspire talks.jsonl -o i.jsonl --run s",
        1,
        "No inspiration was found",
    ),
    "tasks weave": ("tasks weave i0.jsonl -o w.jsonl --run s", 1, "No task was woven"),
    "tasks rank": ("tasks rank one.jsonl -o ranked.jsonl --run s", 1, "Nothing was ranked"),
    "tasks build": ("tasks build talks.jsonl -o built.jsonl --run s", 1, "No task is left"),
    "tasks provenance": ("tasks provenance tasks.jsonl", 2, ""),
    "tasks topics": ("tasks topics empty.csv -o t.jsonl --run s", 2, ""),
    "tasks author": ("tasks author empty.jsonl -o au.yaml", 2, "empty.jsonl"),
    "tasks survey": ("tasks survey empty.csv -o plan.yaml", 2, "empty.csv"),
    "tasks draft": ("tasks draft empty.yaml -o d2.yaml", 2, "empty.yaml"),
    "tasks clarify": ("tasks clarify d.yaml -o c.yaml --run s", 1, "No questions were made"),
    "tasks refine": ("tasks refine d.yaml -o c.yaml --run s", 1, "No refined queries"),
    "tasks checklist-from": ("tasks checklist-from d.yaml -o c.yaml --run s", 1, "No checklists"),
    "tasks verify": ("tasks verify d.yaml -o c.yaml", 1, "No draft was seen"),
    "tasks quality": ("tasks quality d.yaml -o set.jsonl", 1, "was not written"),
}
"""Of each command: how it is typed, its status, and what is said."""


def commands() -> Iterator[str]:
    """Every command, as it is typed."""

    def walk(command: Any, path: str) -> Iterator[str]:
        for name, child in getattr(command, "commands", {}).items():
            yield from walk(child, f"{path} {name}".strip())
        if not hasattr(command, "commands"):
            yield path

    yield from walk(get_command(app), "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where what `nothing` makes is kept, so that it is made once."""
    return tmp_path_factory.mktemp("nothing")


@pytest.fixture
def nothing(request: pytest.FixtureRequest, folder: Path, tmp_path: Path) -> None:
    """Files with nothing in them that a command could do its work on."""
    if not any(folder.iterdir()):
        request.getfixturevalue("study")
        make_nothing(request.getfixturevalue("deepassay"))
        shutil.copytree(tmp_path, folder, dirs_exist_ok=True)
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)


def make_nothing(deepassay: Callable[..., Any]) -> None:
    """Beside a study of what was scored: blank reports, a run of them, and empty files."""
    Path("one.jsonl").write_text('{"id": "a", "prompt": "Sky?"}\n', encoding="utf-8")
    rows = [{"id": each, "prompt": "Why?", "checklist": ["Is it so?"]} for each in TASKS]
    Path("tasks.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for old in Path("reports").rglob("*.md"):
        old.unlink()
    for agent in ("heron", "cuckoo"):
        for task in TASKS:
            file = Path("reports", agent, f"{task}.md")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(" \n", encoding="utf-8")
    Path("empty").mkdir()
    for name in ("empty.jsonl", "empty.csv", "empty.yaml", "i0.jsonl"):
        Path(name).write_text("", encoding="utf-8")
    Path("people.csv").write_text("agent,task,rater,score\n", encoding="utf-8")
    Path("pairs.csv").write_text("statement,page,label\n", encoding="utf-8")
    Path("exported.json").write_text("[]", encoding="utf-8")
    write_transcripts("talks.jsonl", [seminar("Good afternoon, and welcome to the seminar.")])
    with RunFile.create(Path("nothing.assay")):
        pass
    add_drafts(Path("d.yaml"), [QueryDraft(id="law-1", language="en", domain="Law", category="x")])
    deepassay("evaluate", "tasks.jsonl", "reports", *BLANK)


@pytest.mark.parametrize("command", CASES)
def test_a_command_with_nothing_to_do_does_not_end_like_one_that_did_it(
    deepassay: Callable[..., Any], nothing: None, command: str
) -> None:
    typed, status, said = CASES[command]
    done = deepassay(*typed.replace("{BLANK}", " ".join(BLANK)).split())
    assert done.returncode == status, (done.stdout, done.stderr)
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


ROW = re.compile(r"^\| `([a-z -]+)` \| [^|]+ \| ([012]) \|$", re.MULTILINE)


def test_every_command_has_a_row_in_the_table_of_exit_statuses_and_keeps_to_it() -> None:
    page = (REPOSITORY / "docs/exit-statuses.md").read_text(encoding="utf-8")
    table = page.partition("## What 1 means")[2].partition("\n## ")[0]
    rows = {name: int(status) for name, status in ROW.findall(table)}
    assert [*rows] == [*CASES]
    assert sorted(rows) == sorted(commands())
    assert rows == {name: status for name, (_, status, _) in CASES.items()}
