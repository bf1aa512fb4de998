"""Answers of judges to the released program of LiveResearchBench, and what it made of them."""

import json
import math

import pytest

from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.checklist import ReportAndQuery, keys_of, paper_score
from deepassay.protocols.checklist_released import as_released, released_rate, released_score
from deepassay.protocols.coverage import (
    JUDGE_ITEMS,
    Coverage,
    ReportAndChecklist,
)
from deepassay.protocols.presentation.protocol import CHECKS, JUDGE_CHECKS
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.released import Ungraded
from deepassay.reports.report import Report
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.task import Task
from tests.protocols.judges import NO_SOURCES
from tests.protocols.test_ledger import ledger


@pytest.fixture(scope="module")
def listed():
    """The quirks that the ledger names."""
    return {code for entry in ledger() for code in entry.get("quirks", [])}


READ_BY_US_ONLY = {
    # The program gives these answers up, or one of its two clients does; the text holds verdicts.
    *(f"p-{form}-{client}" for client in ("openai", "gemini") for form in (
        "fenced", "fenced-nolang", "fenced-upper", "prose-before", "trailing", "fence-trailing",
        "badescape-pct", "badescape-d", "inner-backticks", "escaped-colon-in-valid")),
    "p-single-quotes", "p-trailing-comma",
}  # fmt: skip
"""Vectors in which our reading may differ from the program's; see lenient-wrapping."""


@pytest.fixture(scope="module")
def vectors(shared):
    every = json.loads((shared / "golden/live/single_report.json").read_text())
    return [each for each in every if each["criterion"] in ("presentation", "coverage")]


def items_of(vector):
    """What was asked: the ten checks, or as many checklist items as the vector had."""
    if vector["criterion"] == "presentation":
        return dict(CHECKS)
    result = vector["official"].get("result")
    asked_for = result["summary"].get("total_checklists", 0) if result else 4
    return keys_of([f"item {i}" for i in range(asked_for)])


def readings(vector):
    """What edition `paper` and edition `code` read, each an answer or Unreadable."""
    if vector["criterion"] == "presentation":
        inputs = ReportAndQuery(language="en", report="r", query="q")
        operations = (JUDGE_CHECKS, as_released(JUDGE_CHECKS))
    else:
        checklist = tuple(items_of(vector).values())
        inputs = ReportAndChecklist(language="en", report="r", query="q", checklist=checklist)
        operations = (JUDGE_ITEMS, as_released(JUDGE_ITEMS))
    return [attempt(operation, inputs, vector["judge_raw"]) for operation in operations]


def attempt(operation, inputs, raw):
    try:
        return read_reply(operation, inputs, raw).value
    except Unreadable as error:
        return error


def official(vector):
    """The released number, or None where the program graded nothing."""
    result = vector["official"].get("result")
    summary = result["summary"] if result else {}
    return summary.get("average_pass_rate", summary.get("percentage_addressed"))


def asked(vectors):
    """Vectors in which a judge was asked at all."""
    return [each for each in vectors if each["id"] != "c-empty-checklist"]


def test_all_vectors_are_there(vectors):
    assert len(vectors) == 58
    assert {each["id"] for each in vectors} >= READ_BY_US_ONLY


def test_edition_code_gives_the_released_number_wherever_there_is_one(vectors):
    graded = [each for each in asked(vectors) if official(each) is not None]
    assert len(graded) == 29
    for vector in graded:
        _, raw = readings(vector)
        number = released_rate(raw.root, list(items_of(vector))).rate
        wanted = official(vector)
        assert number == wanted or (math.isnan(number) and math.isnan(wanted)), vector["id"]


def test_edition_code_reads_the_scores_that_the_program_stored(vectors):
    for vector in asked(vectors):
        result = vector["official"].get("result")
        if not result or vector["id"] in READ_BY_US_ONLY:
            continue
        _, raw = readings(vector)
        read_by_us = json.dumps(raw.root.get("evaluations", {}))
        assert read_by_us == json.dumps(result["evaluations"]), vector["id"]


def test_where_an_answer_breaks_the_program_edition_code_is_unscored(vectors):
    """The program stopped after one call, at the type of what it read."""
    broken = [
        each
        for each in asked(vectors)
        if official(each) is None and each["id"] not in READ_BY_US_ONLY
    ]
    assert len(broken) == 11
    for vector in broken:
        _, raw = readings(vector)
        if isinstance(raw, Unreadable):  # there was no JSON to count
            assert "line 1 column" in vector["official"]["error"], vector["id"]
            continue
        with pytest.raises(Ungraded):
            released_rate(raw.root, list(items_of(vector)))


def test_wherever_the_editions_differ_the_ledger_says_why(vectors, listed):
    differing = 0
    for vector in asked(vectors):
        strict, raw = readings(vector)
        if isinstance(raw, Unreadable):
            assert isinstance(strict, Unreadable) or vector["id"] in READ_BY_US_ONLY, vector["id"]
            continue
        items = items_of(vector)
        paper = None if isinstance(strict, Unreadable) else paper_score(strict, items)
        code = released_score(raw.root, items)
        if paper and isinstance(code, Score) and paper.value == code.value:
            assert code.details["quirks"] == [], vector["id"]
            continue
        differing += 1
        assert paper is None or isinstance(code, Unscored), f"{vector['id']}: other numbers"
        assert code.details["quirks"], vector["id"]
        assert set(code.details["quirks"]) <= listed, vector["id"]
    assert differing == 24


@pytest.mark.asyncio
@pytest.mark.parametrize("edition", ["paper", "code"])
async def test_a_task_without_checklist_is_unscored_and_nobody_is_asked(edition, listed):
    case = Case(Task(id="t", prompt="p"), Report("text"))
    outcome = await Coverage(edition=edition).score(case, RoleAskers.alone(None), NO_SOURCES)
    assert isinstance(outcome, Unscored)
    assert outcome.cause is Cause.MISSING_INPUT
    assert set(outcome.details.get("quirks", [])) <= listed
