"""A judgement as it is read: findings at their places, statements by their beginnings, quotes."""

from __future__ import annotations

from deepassay.reports.report import Report
from deepassay.results.quoted_passages import SourcePage
from deepassay.results.records import Judged
from deepassay.score import Score, Signature
from deepassay.wings.view.cited_pages import CitedPages
from deepassay.wings.view.findings import read_judgement
from deepassay.wings.view.judged_text import JudgedText
from deepassay.wings.view.opinions import BEGINNING, ReportPlaces

STATEMENT = "The trial had 38 houses, of which the boreholes served every single one that winter."
TEXT = f"# Trial\r\n\r\n{STATEMENT[:-1]} [1].\n"
REPORT = JudgedText(Report(TEXT, "heron", "t", 1), (), {STATEMENT: (11, 99)})


class OnePage:
    def page(self, snapshot):
        text = "x" * 900 + " There were 38 houses. " + "y" * 900
        return SourcePage("https://a.example/", "Trial", "2026", text) if snapshot == "p" else None

    def place(self, text, quote):
        start = text.find(quote)
        return None if start < 0 else (start, start + len(quote))


def findings(*items):
    details = {"items": [{"key": "k", "score": 1, **item} for item in items]}
    record = Judged(
        *("fact", "heron", "t", 1, 0, {}), Score(0.5, (0, 1), details=details), Signature({})
    )
    return read_judgement(record, ReportPlaces(REPORT, OnePage())).findings


def test_a_cited_statement_is_marked_with_its_citation_and_listed_by_its_beginning():
    (found,) = findings({"item": STATEMENT, "url": "https://a.example/"})
    assert found.text == f"{STATEMENT[:BEGINNING]}…"
    assert found.said == STATEMENT
    assert [(spot.start, spot.end, spot.line) for spot in found.spots] == [(11, 99, 3)]


def test_what_pairs_lost_is_told_above_them():
    pair = {"key": "s1", "item": STATEMENT, "verdict": "supported", "url": "https://a.example/"}
    record = Judged(
        *("fact", "heron", "t", 1, 0, {}),
        Score(1.0, (0, 1), details={"items": [pair, pair], "dropped": 3, "summary": "All."}),
        Signature({}),
    )
    (told,) = read_judgement(record, ReportPlaces(REPORT, OnePage())).told
    assert told.startswith("All.; ") and "left out: 3" in told and told.endswith("page: 2")


def test_a_criterion_is_listed_whole():
    long = "Does the report say how many houses there were, " * 3
    (found,) = findings({"item": long, "places": [{"line": 3, "column": 5, "message": ""}]})
    assert found.text == long
    assert found.spots[0].start == 15


def test_findings_of_one_name_have_anchors_of_their_own():
    cited = {"item": STATEMENT, "url": "https://a.example/"}
    first, second = findings(cited, cited)
    assert first.name != second.name
    assert first.spots == second.spots


def test_places_outside_the_report_are_brought_inside():
    wild = [{"line": 99, "column": 99, "message": "m"}, {"line": 0, "column": 0, "message": "m"}]
    (found,) = findings({"item": "x", "places": wild})
    assert [spot.start for spot in found.spots] == [len(TEXT), 0]


def test_a_quote_stands_in_its_page_with_what_is_around_it():
    (found,) = findings({"item": "x", "url": "u", "justification": "u · “There were 38 houses.”"})
    assert found.voices[0].reason == "“There were 38 houses.”"
    pages = CitedPages(OnePage())
    excerpt = pages.excerpt("f1", found.urls, found.voices[0].quotes, {"u": "p"})
    assert excerpt.passage.quote == "There were 38 houses."
    assert excerpt.passage.before.startswith("…x")
    assert excerpt.passage.after.endswith("y…")
    again = pages.excerpt("f2", found.urls, found.voices[0].quotes, {"u": "p"})
    assert again.passage is None and again.shown == "f1"


def excerpt_of(found, pages):
    quotes = [quote for voice in found.voices for quote in voice.quotes]
    return CitedPages(OnePage()).excerpt(found.name, found.urls, quotes, pages)


def test_without_the_page_there_is_no_passage():
    (found,) = findings({"item": "x", "url": "u", "justification": "u · “There were 38 houses.”"})
    assert excerpt_of(found, {"u": "gone"}) is None
    assert excerpt_of(found, {}) is None


def test_a_penalty_that_applies_is_bad():
    penalty = {"item": "x", "weight": -2.0, "mandatory": False, "axis": "", "verdict": "Satisfied"}
    plain = [{"item": "x"}, {"item": "x", "score": None}]
    found = findings(penalty, penalty | {"score": 0}, *plain)
    assert [each.tone for each in found] == ["bad", "good", "good", "open"]


def test_claims_on_a_page_are_held_against_it():
    above, claim = findings(
        {"item": "u", "state": "reachable", "verdict": "reachable", "depth": 0},
        {"item": "x", "depth": 1, "justification": "There were 38 houses."},
    )
    assert above.text == ""
    assert excerpt_of(claim, {"u": "p"}).passage.quote == "There were 38 houses."


def test_every_span_of_a_key_point_is_looked_for_on_its_pages():
    point = {"item": "x", "urls": ["gone", "u"], "spans": ["There were 38 houses."]}
    point["justification"] = "It says so. · gone, u: “There were 38 houses.”"
    (found,) = findings(point)
    assert found.voices[0].reason == "It says so. “There were 38 houses.”"
    assert excerpt_of(found, {"gone": "gone", "u": "p"}).url == "u"
    assert found.urls == ("gone", "u")


def test_costs_of_a_panel_are_what_its_mean_lacks_and_the_gravest_verdict_stands_first():
    def judged(*scores):
        items = [{"key": f"c{at}", "item": f"x{at}", "score": s} for at, s in enumerate(scores)]
        value = 100.0 * sum(scores) / len(scores)
        return {
            "value": value, "parts": {}, "tally": [float(sum(scores)), float(len(scores))],
            "bounds": [0.0, 100.0], "details": {"items": items},
        }  # fmt: skip

    judges = {"one": judged(1, 0, 1, 1), "other": judged(0, 0, 1, 1)}
    score = Score(62.5, (0, 100), {}, (2.5, 4.0), {"judges": judges})
    record = Judged("coverage", "heron", "t", 1, 0, {}, score, Signature({}))
    found = read_judgement(record, ReportPlaces(REPORT, OnePage()))
    assert [round(each.share, 3) for each in found.findings] == [0.125, 0.25, 0, 0]
    assert [each.cost for each in found.findings] == ["−12.5", "−25.0", "", ""]
    assert found.findings[0].tone == "bad" and found.findings[0].differ
    assert [judge for judge, _ in found.findings[1].spoken] == ["one, other"]
