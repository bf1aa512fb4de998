"""A local classifier as verifier, from the command line: scored, named, replayed, measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.classifiers import write_classifier

from .conftest import Run

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo"
EVALUATE = ("evaluate", DEMO / "tasks.jsonl", DEMO / "reports", "--date", "2026-05-04")


@pytest.fixture
def pages(deepassay: Run) -> None:
    assert deepassay("sources", "import", DEMO / "pages.jsonl").returncode == 0
    write_classifier(Path("recall"))


@pytest.mark.usefixtures("pages")
def test_fact_and_the_citation_tree_share_the_verdicts_of_a_classifier(deepassay: Run) -> None:
    protocols = ("--protocol", "fact", "--protocol", "citation_accuracy", "--offline-sources")
    assert deepassay(*EVALUATE, *protocols, "--verifier", "local:recall").returncode == 0
    board = deepassay("leaderboard", "run.assay", "--wide").stdout
    assert "model=local:recall" in board
    assert "labels=0=supported,1=unknown,2=unsupported" in board
    explained = deepassay(
        "explain", "run.assay", "--agent", "magpie", "--task", "swift-boxes", "--protocol", "fact"
    ).stdout
    assert "breed in holes of buildings, under roof tiles" in explained
    assert "36 outcomes are the same to the byte" in deepassay("replay", "run.assay").stdout


@pytest.mark.usefixtures("pages")
def test_a_changed_folder_is_another_recipe(deepassay: Run) -> None:
    fact = (*EVALUATE, "--protocol", "fact", "--offline-sources", "--verifier", "local:recall")
    assert deepassay(*fact).returncode == 0
    (Path("recall") / "deepassay.json").write_text('{"threshold": 0.9}')
    changed = deepassay(*fact)
    assert changed.returncode == 2
    assert "verifier" in changed.stderr


def test_a_classifier_cannot_judge_reports(deepassay: Run) -> None:
    refused = deepassay(*EVALUATE, "--protocol", "coverage", "--judge", "local:recall")
    assert refused.returncode == 2
    assert "--verifier local:recall" in refused.stderr


def test_its_agreement_with_people_is_measured(deepassay: Run) -> None:
    write_classifier(Path("recall"))
    Path("pairs.csv").write_text(
        "statement,label,page\n"
        "the roof is green,supported,in graz the roof is green\n"
        "the roof is red,not supported,nobody paid\n"
    )
    done = deepassay("agree", "support", "pairs.csv", "--verifier", "local:recall")
    assert "all:           2 of 2 agree" in done.stdout
