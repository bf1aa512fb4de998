"""The second half of the demonstration: three agents answer tasks over a corpus and are judged."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from string import Template

import pytest

from deepassay.reports.numbering import check_citations
from deepassay.runfile import RunFile

DEMO = Path(__file__).resolve().parents[4] / "examples" / "demo"


def research(folder: Path, commands: str, *python: str) -> Path:
    """What `run.sh` asks for by these commands after the page is written.

    python: how Python is started for them, if they are to have a hash seed of their own: forks
    have that of their origin.
    """
    script = (DEMO / "run.sh").read_text(encoding="utf-8").replace("\\\n", " ")
    places = {
        "demo": str(DEMO),
        "corpus": str(DEMO / "research" / "corpus"),
        "answers": str(folder / "research.assay"),
        "python": sys.executable,
    }
    after = script.partition('"$deepassay" html')[2].replace("build/answers", str(folder / "out"))
    for line in re.findall(rf'^"\$deepassay" ((?:{commands}) .*)', after, re.MULTILINE):
        words = [*python, "deepassay"]
        for word in shlex.split(Template(line).substitute(places)):
            words += map(str, sorted(Path(word[:-2]).iterdir())) if word.endswith("/*") else [word]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The demonstration, under two hash seeds: the one by chance, the other is none."""
    first, second = (tmp_path_factory.mktemp("research") for _ in range(2))
    anew = ("env", "PYTHONHASHSEED=0", sys.executable, "-m")
    return [
        research(first, "sources|research|evaluate"),
        research(second, "research", *anew),
    ]


def reports(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder / "out")): path.read_text(encoding="utf-8")
        for path in sorted((folder / "out").rglob("*.md"))
    }


def test_three_agents_answer_three_tasks_the_same_every_time(answered: list[Path]) -> None:
    first, second = map(reports, answered)
    assert len(first) == 9 and first == second


def test_reports_of_ours_have_no_fault_of_citation(answered: list[Path]) -> None:
    for name, text in reports(answered[0]).items():
        if not name.startswith("plain"):
            assert check_citations(text) == (), name


def test_what_could_not_be_read_is_never_cited(answered: list[Path]) -> None:
    for name, text in reports(answered[0]).items():
        for path in ("/plan", "/weekly", "guihua"):
            assert path not in text, name


def test_all_are_judged_in_the_same_run_file(answered: list[Path]) -> None:
    with RunFile.read(answered[0] / "research.assay") as run:
        scored = {(each.protocol, each.agent) for each in run.scores() if "value" in each.outcome}
        found = {each.agent: each.run.found for each in run.answering.runs()}
        assert not run.verify().damage
    assert {agent for _, agent in scored} == {"ours", "printed", "plain"}
    assert {"presentation", "coverage", "fact", "retrieval"} <= {protocol for protocol, _ in scored}
    assert all(found.values()), "somebody was not seen searching"
