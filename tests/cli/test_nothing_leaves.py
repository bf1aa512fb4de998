"""Neither a key nor a formula leaves by any way out."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.judging import verdicts
from tests.loopback import FakeJudge, completion

SECRET = "sk-proj-0123456789abcdefghij"
FORMULA = '=HYPERLINK("http://a.example","x")'
ACTIVE = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


@pytest.fixture
def judged_by_an_echo(deepassay, small, monkeypatch, tmp_path) -> Path:
    """The run file of a judge that says the key in every answer, as its name, and in errors."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    tasks, reports = small
    Path(reports, "heron").rename(Path(reports, FORMULA.replace("/", "")))

    def reply(request, text):
        answer = json.loads(text)
        for verdict in answer["evaluations"].values():
            verdict["justification"] = f"{FORMULA} {SECRET} and {SECRET[9:23]}."
        said = completion(json.dumps(answer))
        said.body = said.body.replace(b"served-model-1", f"m-{SECRET}".encode())
        return said

    with FakeJudge(verdicts, scenarios={"echo": reply}) as judge:
        done = deepassay(
            "evaluate", tasks, reports, "--protocol", "coverage", "--judge", "openai:echo",
            "--base-url", judge.base_url, "--run", "r",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Path("r")


def test_a_key_that_a_judge_echoes_leaves_by_no_way_out(deepassay, judged_by_an_echo):
    run = judged_by_an_echo
    told = [run.read_bytes()]
    for command in (
        ("leaderboard", run), ("export", run), ("export", run, "--format", "csv"),
        ("explain", run, "--agent", "cuckoo", "--task", "a"), ("replay", run),
        ("html", run, "-o", "page.html"),
        ("export", run, "-o", "tables", "--texts"),
    ):  # fmt: skip
        done = deepassay(*command)
        assert done.returncode == 0, done.stderr
        told.append((done.stdout + done.stderr).encode())
    told += [path.read_bytes() for path in [Path("page.html"), *Path("tables").iterdir()]]
    runs = [SECRET[at : at + 12].encode() for at in range(len(SECRET) - 11)]
    assert not [run for run in runs if any(run in text for text in told)]
    assert any(b"(the key)" in text for text in told)


def cells(text: str) -> list[str]:
    return [cell for row in csv.reader(text.splitlines()) for cell in row]


def is_formula(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell.startswith(ACTIVE)
    return False


def test_no_cell_of_csv_is_a_formula(deepassay, judged_by_an_echo):
    run = judged_by_an_echo
    found = []
    for command in (
        ("leaderboard", run), ("compare", run), ("export", run), ("leaderboard", run, "--lengths"),
    ):  # fmt: skip
        found += cells(deepassay(*command, "--format", "csv").stdout)
    deepassay("export", run, "-o", "tables", "--format", "csv", "--texts")
    for path in Path("tables").iterdir():
        found += cells(path.read_text("utf-8"))
    assert [cell for cell in found if FORMULA[:10] in cell]
    assert not [cell for cell in found if is_formula(cell)]


def test_an_agent_that_is_named_like_markup_is_text_on_page_and_in_markdown(deepassay, small):
    tasks, reports = small
    name = "<img src=x onerror=alert(1)>|[a](javascript:x)"
    Path(reports, "cuckoo").rename(Path(reports, name))
    deepassay("evaluate", tasks, reports, "--protocol", "coverage", "--run", "r")
    deepassay("html", "r", "-o", "page.html")
    assert "<img src=x" not in Path("page.html").read_text("utf-8")
    (row,) = {
        line
        for line in deepassay("leaderboard", "r", "--format", "markdown").stdout.splitlines()
        if "onerror" in line and line.startswith("|")
    }
    assert r"\<img src=x onerror=alert(1)\>\|\[a\]" in row
