"""What the released programs made of verdicts, rows, answers and long reports."""

import json
import math
from statistics import fmean

import pytest

from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.entries import JudgedEntry, Judgement
from deepassay.protocols.rubrics.criteria import JUDGE_CRITERIA, VERDICTS, CriteriaOnReport
from deepassay.protocols.rubrics.released import (
    JUDGE_AS_RELEASED,
    MENUS,
    ReportAndTitle,
    chunks_of,
    needs_chunks,
)
from deepassay.protocols.rubrics.released_grades import (
    Grade,
    grade_of,
    merit_by_verdict,
    released_score,
    released_value,
)
from deepassay.protocols.rubrics.released_grades import RubricQuirk as Quirk
from deepassay.protocols.rubrics.scoring import paper_score
from deepassay.score import Cause, Score, Unscored
from tests.protocols.rubrics.graders import criterion

ASKED = ReportAndTitle(
    language="en", title="t", category="a", weight=5.0, report="r", menu=MENUS["ternary"]
)


@pytest.fixture(scope="module")
def golden(shared):
    def vectors(name):
        return json.loads((shared / f"golden/rubrics/{name}.json").read_text())

    return vectors


def rubric_of(weights):
    """Criteria with the weights of a vector that a rubric may hold."""
    return [criterion(f"number {at}", float(weight)) for at, weight in enumerate(weights)]


def in_a_rubric(vector):
    """Whether it can be graded at all: a verdict for each weight, and no weight of 0."""
    weights = vector["weights"]
    return len(weights) == len(vector["verdicts"]) and weights and all(weights)


def grade(verdict):
    return Grade(verdict, merit_by_verdict(verdict, "ternary"), 0.9, "so it is")


def test_every_vector_of_verdicts_gives_the_number_of_the_first_program(golden):
    vectors = golden("compliance_verdicts")
    assert len(vectors) == 61
    for vector in vectors:
        for scale in ("ternary", "binary"):
            merits = [merit_by_verdict(each, scale) for each in vector["verdicts"]]
            number = released_value(vector["weights"], merits)
            assert number == vector["official"][scale], (vector["id"], scale)


def test_edition_code_gives_both_figures_of_the_first_program(golden):
    vectors = [each for each in golden("compliance_verdicts") if in_a_rubric(each)]
    assert len(vectors) == 57
    for vector in vectors:
        rubric, grades = rubric_of(vector["weights"]), [*map(grade, vector["verdicts"])]
        outcome = released_score(rubric, grades, [None] * len(grades), "ternary")
        assert outcome.value == vector["official"]["ternary"], vector["id"]
        assert outcome.details["binary"] == vector["official"]["binary"], vector["id"]


def test_edition_paper_gives_the_same_number_or_the_ledger_says_why(golden):
    differing = set()
    for vector in golden("compliance_verdicts"):
        if not in_a_rubric(vector):
            continue
        lines = [
            JudgedEntry(each, Judgement(verdict) if verdict in VERDICTS else Judgement(
                None, cause=Cause.ANSWER_UNREADABLE))
            for each, verdict in zip(rubric_of(vector["weights"]), vector["verdicts"], strict=True)
        ]  # fmt: skip
        paper = paper_score(lines)
        official = vector["official"]["ternary"]
        if isinstance(paper, Score) and paper.value == pytest.approx(
            official, rel=1e-12, abs=1e-12
        ):
            continue
        differing.add(vector["id"])
        code = released_score(
            [line.entry for line in lines],
            [*map(grade, vector["verdicts"])],
            [None] * len(lines),
            "ternary",
        )
        assert code.details["quirks"], vector["id"]
    # Labels that are off the menu stay open; nothing can be earned by penalties alone.
    assert differing == {
        "only-negative", "only-negative-none",
        "unknown-verdict", "case", "none", "na", "trailing-space",
    }  # fmt: skip


def test_every_vector_of_rows_gives_the_numbers_of_the_later_program(golden):
    vectors = golden("compliance_records")
    assert len(vectors) == 12
    for vector in vectors:
        samples = {}
        for row in vector["records"]:
            samples.setdefault(row["sample_id"], []).append((row["weight"], row["score"]))
        official = vector["official"]
        if "error" in official:
            with pytest.raises(TypeError):
                for rows in samples.values():
                    released_value(*zip(*rows, strict=True))
            continue
        found = {name: released_value(*zip(*rows, strict=True)) for name, rows in samples.items()}
        assert found == pytest.approx(official["per_sample"], rel=0, abs=0, nan_ok=True), vector[
            "id"
        ]
        mean = fmean(found.values()) if found else 0.0
        assert mean == pytest.approx(official["average"], rel=1e-15, nan_ok=True), vector["id"]


def test_a_failed_penalty_is_waived_by_the_program_and_open_in_edition_paper(golden):
    (vector,) = [each for each in golden("compliance_records") if each["id"] == "error-on-negative"]
    rubric = rubric_of([row["weight"] for row in vector["records"]])
    grades = [
        Grade(row["verdict"], row["score"], 0.0, "", row["success"]) for row in vector["records"]
    ]
    code = released_score(rubric, grades, [Cause.TIMEOUT, None], "binary")
    assert code.value == vector["official"]["per_sample"]["a"] == 1
    assert code.details["quirks"] == [Quirk.ERROR_IS_ZERO, Quirk.PENALTY_WAIVED]
    assert code.details["open"]
    judgements = [Judgement(None, "too late", cause=Cause.TIMEOUT), Judgement("Satisfied")]
    paper = paper_score([*map(JudgedEntry, rubric, judgements)])
    assert isinstance(paper, Unscored)
    assert paper.cause is Cause.TIMEOUT
    assert (paper.details["low"], paper.details["high"]) == (0, 1)


def test_every_answer_is_read_as_the_program_read_it(golden):
    vectors = golden("judge_json")
    assert len(vectors) == 19
    for vector in vectors:
        row = None
        for raw in vector["raw_attempts"]:
            try:
                row = grade_of(read_reply(JUDGE_AS_RELEASED, ASKED, raw).value.root)
            except Unreadable as problem:
                row = Grade.failed(str(problem))
            else:
                break
        official = {key: vector["official"][key] for key in Grade._fields}
        assert json.dumps(row._asdict(), sort_keys=True) == json.dumps(official, sort_keys=True)


def test_edition_paper_takes_none_of_these_answers(golden):
    asked = CriteriaOnReport(language="en", report="r q", query="q", criteria=("t",))
    for vector in golden("judge_json"):
        for raw in vector["raw_attempts"]:
            with pytest.raises(Unreadable):
                read_reply(JUDGE_CRITERIA, asked, raw)


BUILT = {
    "short": "a" * 1000,
    "exact-400k": "a" * 400_000,
    "400001-nopara": "a" * 400_001,
    "two-para-300k": "a" * 300_000 + "\n\n" + "b" * 300_000,
    "many": "\n\n".join(["p" * 100] * 6000),
    "first-para-too-long": "a" * 500_000 + "\n\n" + "b" * 10,
    "fits-exactly": "\n\n".join(["a" * 199_999, "b" * 199_996, "c" * 50_000]),
}
"""The texts that the vectors describe."""


def test_long_reports_are_divided_where_the_program_divides_them(golden):
    vectors = golden("chunking")
    assert len(vectors) == 10
    for vector in vectors:
        text = BUILT.get(vector["id"], "a" * vector["len"])
        assert len(text) == vector["len"], vector["id"]
        official = vector["needs_chunking_public(>150000 est tokens)"]
        assert needs_chunks(text) == official, vector["id"]
        if "chunk_lens" in vector:
            assert [*map(len, chunks_of(text))] == vector["chunk_lens"], vector["id"]
            assert "\n\n".join(chunks_of(text)) == text


def test_what_the_program_makes_nan_of_is_unscored():
    outcome = released_score(
        rubric_of([5]), [Grade("Satisfied", math.nan, 0.9, "r")], [None], "binary"
    )
    assert isinstance(outcome, Unscored)
    assert Quirk.NOT_A_NUMBER in outcome.details["quirks"]
