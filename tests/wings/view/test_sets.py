"""Criteria that are judged by the menu of another set read as that set means them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from deepassay.score import Score
from deepassay.wings.people.agreement.runs import hold
from deepassay.wings.view.findings import worded
from deepassay.wings.view.menus import menu
from deepassay.wings.view.reading import ReadReport, read_report
from deepassay.wings.view.room import Place
from tests.wings.view.rooms import DEMO, Visitor, demo_run

SETS = ("drb2", "healthbench", "researchqa", "scholarqa")
MAGPIE = {"agent": "magpie", "task": "terrace-heat"}
AT = Place(1, "magpie", "terrace-heat", 1)


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    folder = tmp_path_factory.mktemp("sets")
    (folder / "magpie").mkdir()
    shutil.copy(DEMO / "reports" / "magpie" / "terrace-heat.md", folder / "magpie")
    protocols = [*(f"rubrics(set='{name}')" for name in SETS), "rubrics(scale='binary')"]
    protocols += ["surface", "coverage", "citation_accuracy", "citation_association"]
    run = demo_run(folder / "run.assay", folder / "magpie", protocols, reference=None)
    found = Visitor([run])
    yield found
    found.close()


def report_of(visitor: Visitor) -> ReadReport:
    report = read_report(visitor.room.runs[0], AT)
    assert report is not None
    return report


def words(report: ReadReport, protocol: str) -> set[tuple[str, ...]]:
    (judgement,) = (each for each in report.judgements if each.record.protocol == protocol)
    return {
        tuple(choice.word for choice in menu(each, judgement.record, report.task))
        for each in judgement.findings
    }


def test_what_would_be_right_is_chosen_from_the_menu_of_the_protocol(visitor: Visitor) -> None:
    report = report_of(visitor)
    assert words(report, "rubrics(set='drb2')") == {("1", "0", "-1")}
    assert words(report, "rubrics(set='healthbench')") == {("true", "false")}
    (five,) = words(report, "rubrics(set='researchqa')")
    assert five == ("Completely", "Mostly", "Moderately", "Barely", "Not at all")
    assert words(report, "rubrics(scale='binary')") == {("Satisfied", "Not Satisfied")}
    assert words(report, "coverage") == {("met", "not met")}
    assert words(report, "citation_accuracy") == {(), ("supported", "unsupported", "unknown")}
    assert words(report, "citation_association") <= {("there", "not there")}
    assert words(report, "surface") <= {()}  # counted by code: nobody judged


def test_what_was_chosen_is_read_by_agree_against_the_merit_of_the_verdict(
    visitor: Visitor, tmp_path: Path
) -> None:
    report = report_of(visitor)
    (judgement,) = (e for e in report.judgements if e.record.protocol == "rubrics(set='drb2')")
    for number, each in enumerate(judgement.findings):
        said = each.stance if number else "-1" if each.stance == "0" else "0"
        visitor.post("/note", **MAGPIE, at=each.name, right=said)
    file = tmp_path / "notes.csv"
    file.write_bytes(visitor.get("/notes.csv").body)
    header, *_ = file.read_text(encoding="utf-8").splitlines()
    assert "right" in header.split(",")
    held = hold([file], [visitor.room.runs[0].path], 0)
    figures = {each.name: each.value for sheet in held.sheets for each in sheet.figures}
    same = 1.0 if judgement.findings[0].stance == "0" else 1 - 1 / len(judgement.findings)
    assert figures["agreement with offline"] == pytest.approx(same)


def test_what_a_protocol_kept_is_not_said_again_by_lint(visitor: Visitor) -> None:
    report = report_of(visitor)
    kept = {
        (each.key.partition(" ")[0], spot.start)
        for judgement in report.judgements
        for each in judgement.findings
        for spot in each.spots
    }
    assert any(code.startswith("DA") for code, _ in kept)
    assert not kept & {(each.key, each.spots[0].start) for each in report.remarks}


def test_a_fault_that_is_there_is_a_penalty_and_a_number_says_what_it_means(
    visitor: Visitor,
) -> None:
    report = report_of(visitor)
    for judgement in report.judgements:
        for each in judgement.findings:
            if "weight -" in each.terms:
                assert "penalty" in each.verdict
                assert (each.tone == "good") == (each.verdict == "no penalty")
    met = {"1": "met", "0": "not met", "-1": "not met"}
    (judgement,) = (e for e in report.judgements if e.record.protocol == "rubrics(set='drb2')")
    assert {*((e.stance, e.verdict) for e in judgement.findings)} <= {*met.items()}
    assert worded("rubrics(set='drb2')", "-1")[1].startswith("-1: the report would meet it, but")
    assert worded("rubrics(set='deepresearcheval-criteria')", "7")[0] == "7 of 10"
    assert worded("rubrics(set='mr-dre-presentation')", "-1")[0] == "does not apply"
    assert worded("rubrics(set='researchqa')", "Mostly") == ("Mostly", "")
    page = visitor.get("/report", **MAGPIE).text
    assert "the report meets the criterion, and does not rest on a source" in page


@pytest.mark.parametrize("name", SETS)
def test_what_criteria_cost_is_what_the_score_lacks(visitor: Visitor, name: str) -> None:
    (judgement,) = (
        each for each in report_of(visitor).judgements
        if each.record.protocol == f"rubrics(set='{name}')"
    )  # fmt: skip
    outcome = judgement.record.outcome
    assert isinstance(outcome, Score) and outcome.bounds
    low, high = outcome.bounds
    lost = sum(each.share for each in judgement.findings) * (high - low)
    assert lost > 0
    assert outcome.value == pytest.approx(high - lost)
