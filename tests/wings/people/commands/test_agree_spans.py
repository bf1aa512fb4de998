"""What raters mark, from a study to `agree`: spans by themselves, and pairs with evidence."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from pathlib import Path

import pytest

from deepassay.runfile import Rating, RunFile
from deepassay.runfile.annotating import MarkedSpan
from deepassay.wings.people.annotate.book import StudyBook
from deepassay.wings.people.annotate.setting_up import StudyTerms, set_up_study
from deepassay.wings.people.annotate.spans import text_digest

QUESTIONS = """
questions:
  - key: misleading
    text: {en: Mark what misleads., zh: 请标出误导之处。}
    labels: [misleads, unsupported]
  - key: clearer
    text: Which is clearer?
    pairs: all
    labels: [evidence]
  - key: deeper
    text: Which goes deeper?
    pairs: heron
"""
WINS = {"clearer": "heron", "deeper": "cuckoo"}


@pytest.fixture
def study(deepassay, small):
    """A study of two raters who mark overlapping words, and prefer each another report."""
    Path("q.yaml").write_text(QUESTIONS, "utf-8")
    tasks, reports = small
    with RunFile.create(Path("study.assay")) as file:
        terms = StudyTerms(("q.yaml",), ("ana", "bo"), 2, tasks=Path(tasks), seed=0)
        set_up_study(Path(reports), file, terms)
        book = StudyBook(file)
        for number in range(len(book.items)):
            for rater in ("ana", "bo"):
                asyncio.run(book.keep(rated(book, number, rater)))
    return Path("study.assay")


def rated(book: StudyBook, number: int, rater: str) -> Rating:
    item = book.items[number]
    answers, spans = {}, {}
    for question in item.questions:
        if question.menu:
            own = WINS[question.key] == item.agent if rater == "ana" else item.agent == "cuckoo"
            answers[question.key] = "win" if own else "loss"
        if question.labels:
            end = 10 if rater == "ana" else 20
            text = item.texts["first"]
            spans[question.key] = [
                MarkedSpan("first", 0, end, text_digest(text), question.labels[0].value, "w", "why")
            ]
    return Rating(f"{rater}{number}", rater, number, answers, spans=spans, at="t")


def figures(done):
    return {
        (row["protocol"], row["figure"]): row for row in csv.DictReader(io.StringIO(done.stdout))
    }


def test_spans_go_straight_into_agree(deepassay, study):
    exported = deepassay("annotate", "export", "--format", "spans")
    assert exported.returncode == 0, exported.stderr
    Path("spans.csv").write_text(exported.stdout, "utf-8")
    done = deepassay("agree", "spans", "spans.csv", "--format", "csv")
    assert done.returncode == 0, done.stderr
    found = figures(done)
    # Ten characters of ana's twenty by bo: twice ten of thirty.
    for key in ("misleading", "clearer"):
        assert float(found[key, "F1 of characters"]["value"]) == pytest.approx(2 / 3)
        assert float(found[key, "spans that another rater met"]["value"]) == 1.0
    assert "found their raters" in done.stderr
    shown = deepassay("agree", "spans", "spans.csv")
    assert "misleading: spans of raters" in shown.stdout
    assert deepassay("agree", "spans", "none.csv").returncode == 2


def test_the_answers_of_a_study_say_what_they_leave_to_the_spans(deepassay, study):
    done = deepassay("annotate", "export")
    rows = [*csv.DictReader(io.StringIO(done.stdout))]
    assert {row["protocol"] for row in rows} == {"clearer", "deeper"}
    assert {row["rival"] for row in rows} <= {"heron", "cuckoo"}
    assert {row["shown_first"] for row in rows} <= {"heron", "cuckoo"}
    assert "marked spans, which --format spans has" in done.stderr


def test_pairs_are_what_agree_preferences_has_a_judge_compare(deepassay, study):
    which = deepassay("annotate", "export", "--format", "pairs")
    assert which.returncode == 2 and "--question: clearer, deeper" in which.stderr
    exported = deepassay("annotate", "export", "--format", "pairs", "--question", "clearer")
    assert exported.returncode == 0, exported.stderr
    pairs = json.loads(exported.stdout)
    labels = {pair["rater"]: (pair["model1"]["name"], pair["overall_label"]) for pair in pairs}
    assert labels == {"ana": ("cuckoo", 1), "bo": ("cuckoo", -1)}
    Path("pairs.json").write_text(exported.stdout, "utf-8")
    done = deepassay("agree", "preferences", "pairs.json", "--run", "judged.assay")
    assert "clearer, of a study" in done.stdout, done.stderr
    assert deepassay("annotate", "export", "--question", "clearer").returncode == 2


def test_label_studio_cannot_take_spans(deepassay, study):
    done = deepassay("annotate", "export", "--format", "label-studio")
    assert done.returncode == 2 and "takes more than an answer" in done.stderr
