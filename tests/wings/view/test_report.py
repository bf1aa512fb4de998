"""A report as it is read: each finding at its words, with its verdict, its reason and its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deepassay.results.evidence import reading_of
from deepassay.run.showing.records import Judgements
from deepassay.runfile import RunFile
from deepassay.wings.view.costs import costs_of
from deepassay.wings.view.findings import LINT
from deepassay.wings.view.reading import read_report
from deepassay.wings.view.room import Place, Room
from deepassay.wings.view.snapshot import nearest_passage, read_page
from tests.browser import Browser, needs_chromium
from tests.wings.view.rooms import Visitor, faults

TERRACE = {"agent": "magpie", "task": "terrace-heat"}


@pytest.mark.parametrize("protocol", ["coverage", "fact", "presentation", "rubrics"])
def test_costs_of_items_are_together_what_a_score_lacks(demo: Path, protocol: str) -> None:
    with RunFile.read(demo) as run:
        outcomes = [
            reading_of(each.outcome)
            for each in Judgements(run).every()
            if each.protocol == protocol
        ]
    costly = 0
    for each in outcomes:
        costs = [cost for cost in costs_of(each) if cost is not None]
        if costs:
            assert each.bounds and each.value is not None
            assert sum(costs) == pytest.approx(each.bounds[1] - each.value)
            costly += sum(costs) > 0
    assert costly > 5


def test_drawing_level_on_a_criterion_brings_what_it_is_said_to_cost(demo: Path) -> None:
    with RunFile.read(demo) as run:
        (race,) = (
            reading_of(each.outcome)
            for each in Judgements(run).of_task("terrace-heat")
            if (each.protocol, each.agent) == ("race", "magpie")
        )
    weights, totals = race.evidence.weighing
    own, other = totals["target"]["overall"], totals["reference"]["overall"]
    first = race.evidence.items[0]
    gained = weights[first.dimension] * first.weight * (first.reference - first.score)
    better = (own + gained) / (own + gained + other)
    assert costs_of(race)[0] == pytest.approx(better - race.value)


def test_every_finding_of_every_report_is_beside_its_words_or_listed(demo: Path) -> None:
    room = Room([demo])
    run = room.runs[0]
    placed = 0
    for place in run.file.report_places():
        report = read_report(run, Place(1, *place))
        assert report is not None
        cards = [card for row in report.rows for card in row.cards]
        beside = {each.name for card in cards for each in card.findings}
        loose = {each.name for each in report.loose}
        assert beside | loose == {each.name for each in report.findings if each.spots}
        assert len({each.name for each in report.findings}) == len(report.findings)
        html = "".join(row.html for row in report.rows)
        for card in cards:
            assert f'id="{card.name}"' in html
        placed += len(beside)
    assert placed > 200
    room.close()


def test_every_anchor_is_there_once_and_every_link_to_one_leads_somewhere(
    visitor: Visitor,
) -> None:
    for agent, task, _ in visitor.room.runs[0].file.report_places():
        html = visitor.get("/report", agent=agent, task=task).html
        anchors = re.findall(r' id="([^"]*)"', html)
        assert len(anchors) == len(set(anchors))
        assert set(re.findall(r'href="#([^"]*)"', html)) <= set(anchors)


def test_a_statement_that_no_page_supports_is_marked_where_it_stands(visitor: Visitor) -> None:
    html = visitor.get("/report", **TERRACE).html
    words = re.sub(r"<[^>]*>", "", "".join(re.findall(r'<mark class="bad[^>]*>(.*?)</mark>', html)))
    assert "The ground keeps a steady temperature through the winter" in words
    assert "An air-source heat pump takes heat" not in words


def test_what_cost_most_stands_first_with_its_reason(visitor: Visitor) -> None:
    text = visitor.get("/report", **TERRACE).text
    lost = text.partition("What cost it most")[2].partition("Coloured by")[0]
    assert lost.split()[:2] == ["−14.3", "coverage"]
    assert "absent: yearly, running" in lost
    assert "fact The ground keeps a steady temperature" in lost


def test_a_fault_of_a_rubric_is_a_penalty_and_no_success(visitor: Visitor) -> None:
    text = visitor.get("/report", **TERRACE).text
    assert "penalty applies weight -3" in text
    assert "Satisfied (weight -3" not in text


def test_the_page_behind_a_claim_shows_the_passage_that_is_quoted(visitor: Visitor) -> None:
    found = visitor.get("/report", **TERRACE)
    pages = [link for link in found.links() if link.startswith("/page?")]
    quoted = [visitor.follow(link) for link in dict.fromkeys(pages)]
    marks = [re.findall(r'<mark class="(\w+)">(.*?)</mark>', each.html, re.S) for each in quoted]
    assert ["quote"] in [[kind for kind, _ in each] for each in marks]
    assert "the shared ground loop came to £16,900 per house installed" in str(marks)


def test_of_a_page_that_nobody_quotes_the_nearest_passage_is_shown_and_named_so(demo: Path) -> None:
    room = Room([demo])
    run = room.runs[0]
    report = read_report(run, Place(1, "magpie", "terrace-heat", 1))
    assert report is not None
    claim = next(each for each in report.findings if each.verdict == "unsupported")
    read = read_page(run, report, claim, claim.urls[0])
    assert read.found == "near"
    (passage,) = (piece.text for piece in read.pieces if piece.tone)
    assert len({*claim.said.lower().split()} & {*passage.lower().split()}) > 1
    room.close()


def test_the_nearest_passage_has_most_of_the_words() -> None:
    text = "Menu. About us.\n\nThe loop cost £16,900 in all.\n\n电梯每户一万六千元，由住户分摊。"
    assert text[slice(*nearest_passage(text, "The loop cost us £16,900"))].startswith("The loop")
    assert "住户分摊" in text[slice(*nearest_passage(text, "每户分摊一万六千元"))]
    assert nearest_passage(text, "nothing like it") is None


def test_a_long_page_is_shown_in_parts_that_lead_on(demo: Path) -> None:
    room = Room([demo])
    run = room.runs[0]
    report = read_report(run, Place(1, "magpie", "terrace-heat", 1))
    assert report is not None
    claim = next(each for each in report.findings if each.verdict == "supported")
    read = read_page(run, report, claim, claim.urls[0], 10)
    assert (read.start, read.end) == (10, read.size)
    assert read_page(run, report, claim, claim.urls[0], 10**8).start == read.size - 1
    room.close()


def test_the_text_is_coloured_by_the_protocol_of_the_address(visitor: Visitor) -> None:
    by_fact = visitor.get("/report", **TERRACE).html
    by_rubrics = visitor.get("/report", **TERRACE, colour="rubrics").html
    assert by_fact != by_rubrics
    assert 'colour=rubrics" aria-current' in by_rubrics
    assert visitor.get("/report", **TERRACE, colour="none such").html == by_fact


def test_mechanical_findings_stand_beside_the_words_they_are_about(demo: Path) -> None:
    room = Room([demo])
    report = read_report(room.runs[0], Place(1, "cuckoo", "lift-retrofit", 1))
    assert report is not None
    remarks = [each for each in report.findings if each.protocol == LINT]
    assert remarks
    assert {each.key for each in remarks} >= {"DA307", "DA101"}
    room.close()


@pytest.mark.parametrize(
    "query",
    [{}, {"agent": "nobody", "task": "terrace-heat"}, {**TERRACE, "run": "9"},
     {**TERRACE, "sample": "x" * 40}, {**TERRACE, "run": "-1"}, {**TERRACE, "sample": "²"}],
)  # fmt: skip
def test_a_report_that_is_not_there_is_said_not_to_be(visitor: Visitor, query: dict) -> None:
    found = visitor.get("/report", **query)
    there = query.get("run") in ("-1",) or query.get("sample") in ("x" * 40, "²")
    assert found.status == (200 if there else 404)
    assert visitor.get("/page", **query, at="f00", url="https://x.example").status == 404


@needs_chromium
def test_a_finding_is_led_to_and_nothing_is_complained_of(demo_address: str) -> None:
    with Browser() as browser:
        browser.open(f"{demo_address}/report?agent=magpie&task=terrace-heat")
        for width in (360, 390, 1440, 2560):
            browser.screen(width, 1000)
            assert browser.run("document.documentElement.scrollWidth") <= width
        browser.screen(1440, 1000)
        beside = browser.run(
            "[...document.querySelectorAll('.row.has:not(.wide-row)')].every(row => {"
            "const [text, margin] = row.children; return Math.abs("
            "text.getBoundingClientRect().top - margin.getBoundingClientRect().top) < 2})"
        )
        assert beside
        assert not faults(browser)
        assert len(browser.run("document.documentElement.outerHTML")) < 300_000
