"""A report opened: findings at their places, statements by their beginnings, quotes on pages."""

from __future__ import annotations

from deepassay.results.page.content import JudgedText
from deepassay.results.page.evidence import BEGINNING
from deepassay.results.page.opened import opened
from deepassay.results.quoted_passages import SourcePage
from deepassay.results.records import Judged
from deepassay.score import Score, Signature

STATEMENT = "The trial had 38 houses, of which the boreholes served every single one that winter."
REPORT = JudgedText(
    "heron", "t", 1, f"# Trial\r\n\r\n{STATEMENT[:-1]} [1].\n", (), {STATEMENT: (11, 99)}
)


class OnePage:
    def page(self, snapshot):
        text = "x" * 900 + " There were 38 houses. " + "y" * 900
        return SourcePage("https://a.example/", "Trial", "2026", text) if snapshot == "p" else None

    def place(self, text, quote):
        start = text.find(quote)
        return None if start < 0 else (start, start + len(quote))


def open_items(*items, pages=None, room=10_000):
    details = {"items": [{"key": "k", "score": 1, **item} for item in items]}
    record = Judged(
        *("fact", "heron", "t", 1, 0, {}),
        Score(0.5, (0, 1), details=details),
        Signature({}, {"pages": pages or {}}),
    )
    return opened("r1", REPORT, [record], OnePage(), room)


def lines(report):
    groups = report.judgements[0].voices[0].groups
    return [line for group in groups for lines in group.sets for line in lines]


def test_a_cited_statement_is_marked_with_its_citation_and_listed_by_its_beginning():
    report = open_items({"item": STATEMENT, "url": "https://a.example/"})
    (line,) = lines(report)
    assert line.item.text == f"{STATEMENT[:BEGINNING]}…"
    assert [pointer.line for pointer in line.pointers] == [3]
    assert [piece.text for piece in report.pieces if piece.tone] == [REPORT.text[11:99]]


def test_a_criterion_is_listed_whole():
    long = "Does the report say how many houses there were, " * 3
    (line,) = lines(open_items({"item": long, "places": [{"line": 3, "column": 5, "message": ""}]}))
    assert line.item.text == long
    assert line.item.spots[0].start == 15


def test_findings_of_one_judgement_about_one_passage_share_a_mark():
    cited = {"item": STATEMENT, "url": "https://a.example/"}
    first, second = lines(open_items(cited, cited))
    assert first.name
    assert not second.name
    assert first.pointers == second.pointers


def test_places_outside_the_report_are_brought_inside():
    wild = [{"line": 99, "column": 99, "message": "m"}, {"line": 0, "column": 0, "message": "m"}]
    report = open_items({"item": "x", "places": wild})
    assert "".join(piece.text for piece in report.pieces) == REPORT.text
    assert [spot.start for spot in lines(report)[0].item.spots] == [len(REPORT.text), 0]


def test_a_quote_stands_in_its_page_with_what_is_around_it():
    cited = {"item": "x", "url": "u", "justification": "u · “There were 38 houses.”"}
    (line,) = lines(open_items(cited, pages={"u": "p"}))
    passage = line.excerpt.passage
    assert passage.quote == "There were 38 houses."
    assert passage.before.startswith("…x")
    assert passage.after.endswith("y…")
    assert line.item.justification == "“There were 38 houses.”"


def test_without_the_page_there_is_no_passage():
    cited = {"item": "x", "url": "u", "justification": "u · “There were 38 houses.”"}
    (line,) = lines(open_items(cited, pages={"u": "gone"}))
    assert line.excerpt is None


def test_a_penalty_that_applies_is_bad():
    penalty = {"item": "x", "weight": -2.0, "mandatory": False, "axis": "", "verdict": "Satisfied"}
    report = open_items(
        penalty, penalty | {"score": 0}, {"item": "x"}, {"item": "x", "score": None}
    )
    assert [line.item.tone for line in lines(report)] == ["bad", "good", "good", "open"]


def test_the_sources_of_one_statement_stand_below_it():
    cited = [{"item": STATEMENT, "url": url} for url in ("a", "b")]
    report = open_items(*cited, {"item": "Another.", "url": "a"})
    first, second = report.judgements[0].voices[0].groups
    assert (first.kind, second.kind) == ("statement", "")
    assert [page.url for page in report.cited.listed] == ["a", "b"]


def test_claims_on_a_page_are_held_against_it():
    tree = [
        {"item": "u", "state": "reachable", "verdict": "reachable", "depth": 0},
        {"item": "x", "depth": 1, "justification": "There were 38 houses."},
    ]
    above, claim = lines(open_items(*tree, pages={"u": "p"}))
    assert above.item.text == ""
    assert claim.excerpt.passage.quote == "There were 38 houses."


def test_every_span_of_a_key_point_is_looked_for_on_its_pages():
    point = {"item": "x", "urls": ["gone", "u"], "spans": ["There were 38 houses."]}
    point["justification"] = "It says so. · gone, u: “There were 38 houses.”"
    (line,) = lines(open_items(point, pages={"gone": "gone", "u": "p"}))
    assert line.words == "It says so. “There were 38 houses.”"
    assert (line.excerpt.page.url, len(line.pages)) == ("u", 2)


def test_a_passage_is_shown_once_and_led_to_afterwards():
    quoted = {"url": "u", "justification": "u · “There were 38 houses.”"}
    first, second = lines(
        open_items({"item": "x"} | quoted, {"item": "y"} | quoted, pages={"u": "p"})
    )
    assert first.excerpt.passage is not None
    assert second.excerpt.passage is None
    assert first.excerpt.name == second.excerpt.name


def test_what_finds_no_room_is_counted():
    reason = "There were 38 houses, and it goes on and on about all that was in them and behind."
    cited = {"item": "x", "url": "u", "justification": f"u · {reason} “There were 38 houses.”"}
    report = open_items(cited, pages={"u": "p"}, room=0)
    (line,) = lines(report)
    assert line.words.endswith("…")
    assert line.excerpt.passage is None
    assert (report.cited.left_out, report.cited.shortened) == (1, 1)


def test_the_same_words_of_two_judgements_are_read_once():
    reason = "The page names thirty-eight houses, all of them built in the years before the war."
    tree = [
        {"item": "u", "state": "reachable", "verdict": "reachable", "depth": 0},
        {"item": STATEMENT, "depth": 1, "justification": reason},
        {"item": STATEMENT, "url": "u", "justification": f"u · {reason}"},
    ]
    _, first, second = lines(open_items(*tree))
    assert (first.words, first.same) == (reason, "")
    assert (second.words, second.same) == ("", first.name)
