"""`agree cascade` and `evaluate --verifier cascade:FILE`, from the command line."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from deepassay.cli import main
from deepassay.runfile import RunFile
from tests.classifiers import write_classifier
from tests.loopback import FakeJudge

from .conftest import Run

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo"
FACT = (
    *("evaluate", DEMO / "tasks.jsonl", DEMO / "reports", "--date", "2026-05-04"),
    *("--protocol", "fact", "--offline-sources", "--snapshots", "pages.assay"),
)
LEARN = (
    *("agree", "cascade", "pairs.csv", "--first", "local:recall", "-o", "c.json"),
    *("--run", "learn.assay"),
)


def typed(*words: object) -> None:
    """Run `deepassay WORDS`, which end well."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as end:
        patch.setattr(sys, "argv", ["deepassay", *map(str, words)])
        main()
    assert not end.value.code


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with statements that a classifier of words is right on, but for those in the middle.

    `c.json` is what is learnt on them by their labels.
    """
    folder = tmp_path_factory.mktemp("learnt")
    write_classifier(folder / "recall")
    lines = ["statement,label,page"]
    for at in range(60):
        lines.append(f"the roof is green,supported,{at} in graz the roof is green")
        lines.append(f"the roof is green,not supported,{at} nobody paid the not")
        lines.append(f"a b c costs five,{'supported' if at % 2 else 'not supported'},{at} a b x")
    (folder / "pairs.csv").write_text("\n".join(lines) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        typed("sources", "import", DEMO / "pages.jsonl", "--snapshots", "pages.assay")
        typed(*LEARN, "--by", "labels", "--risk", "0.05")
    return folder


@pytest.fixture
def here(learnt: Path) -> None:
    """All of it where the test is."""
    shutil.copytree(learnt, ".", dirs_exist_ok=True)


@pytest.fixture
def pairs(here: None) -> None:
    """The same, but for what was learnt."""
    Path("c.json").unlink()
    Path("learn.assay").unlink()


def test_the_cheap_judge_settles_what_it_is_sure_of_and_the_recipe_says_the_risk(
    deepassay: Run, pairs: None, judge: FakeJudge
) -> None:
    done = deepassay(*LEARN, "--by", "labels", "--risk", "0.05")
    assert done.returncode == 0, done.stderr
    assert "pairs: 180 came in, 180 used." in done.stdout
    assert "It settles 66.7 % of all verdicts; 0.0 % of all stand" in done.stdout
    assert "Risk: at most 5.0 % of all verdicts are other than those of people" in done.stdout
    assert "60 pairs of 180 (33.3 %) go on to the judge." in done.stdout
    asked = ("--judge", "openai:good", "--base-url", judge.base_url)
    plain = deepassay(*FACT, *asked, "--run", "plain.assay")
    assert plain.returncode == 0, plain.stderr
    alone = len(judge.requests)
    estimated = deepassay("estimate", *FACT[1:], *asked, "--verifier", "cascade:c.json")
    assert estimated.returncode == 0, estimated.stderr
    cascade = (*FACT, *asked, "--verifier", "cascade:c.json")
    scored = deepassay(*cascade)
    assert scored.returncode == 0, scored.stderr
    assert len(judge.requests) - alone < alone
    (told,) = re.findall(r"Cascade: .*", scored.stderr + scored.stdout)
    figures = re.fullmatch(
        r"Cascade: statements came (\d+) to local:recall, (\d+) to openai:good, "
        r"which (\d+) \([\d.]+%\) did not reach\.",
        told,
    )
    assert figures, told
    came, to_judge, saved = map(int, figures.groups())
    with RunFile.read(Path("run.assay")) as run:
        assert came == len([*run.verdicts.each()])
        asked_of = run.exchanges(("fact/judge_support", "openai:good"))
        assert to_judge == sum(len(json.loads(each.raw)["verdicts"]) for each in asked_of)
    assert saved == came - to_judge > 0
    board = deepassay("leaderboard", "run.assay", "--wide").stdout
    assert "model=local:recall > openai:good" in board
    assert "risk=0.05" in board
    replayed = deepassay("replay", "run.assay").stdout
    assert "outcomes are the same to the byte" in replayed
    assert f"{came} verdicts on pages are those of the answers." in replayed
    before = len(judge.requests)
    again = deepassay(*cascade)
    assert again.returncode == 0
    assert len(judge.requests) == before, "all of it is there"
    assert told in again.stderr + again.stdout


def test_it_is_learnt_on_answers_of_the_judge_and_holds_for_that_one_alone(
    deepassay: Run, pairs: None, judge: FakeJudge
) -> None:
    asked = ("--judge", "openai:good", "--base-url", judge.base_url)
    done = deepassay(*LEARN, *asked, "--risk", "0.3")
    assert done.returncode == 0, done.stderr
    assert "than those of the judge" in done.stdout
    kept = json.loads(Path("c.json").read_text())
    assert (kept["learnt"], kept["judge"]["model"]) == ("judge", "openai:good")
    other = deepassay(*FACT, "--judge", "offline", "--verifier", "cascade:c.json")
    assert other.returncode == 2
    assert "learnt on answers of openai:good" in other.stderr


def test_a_further_stage_is_learnt_on_what_is_left(deepassay: Run, here: None) -> None:
    again = deepassay(
        *("agree", "cascade", "pairs.csv", "--first", "offline", "-o", "c.json"),
        *("--by", "labels", "--risk", "0.04", "--run", "learn.assay"),
    )
    assert again.returncode == 0, again.stderr
    assert "Risk: at most 9.0 % of all verdicts" in again.stdout
    kept = json.loads(Path("c.json").read_text())
    assert [each["model"] for each in kept["stages"]] == ["local:recall", "offline"]
    assert kept["stages"][1]["high"] is None, "of the middle, half is wrong"
    mixed = deepassay(*LEARN, "--by", "judge")
    assert mixed.returncode == 2
    assert "was learnt by labels" in mixed.stderr


@pytest.mark.parametrize(
    "options, said",
    [
        (("--verifier", "cascade:none.json"), "none.json cannot be read"),
        (
            ("--verifier", "cascade:c.json", "--judge", "offline", "--judge", "openai:x"),
            "goes before one judge",
        ),
    ],
)
def test_what_cannot_be_is_refused(deepassay: Run, here: None, options, said) -> None:
    done = deepassay(*FACT, *options)
    assert done.returncode == 2
    assert said in done.stderr
