"""Answers of judges to the released pointwise prompts, and what the program made of them."""

import json

import pytest

from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.pointwise.protocol import CitationAssociation, Consistency
from deepassay.protocols.pointwise.released import (
    QUESTIONS,
    TABLE,
    ReportOnDay,
    released_score,
    stored,
)
from deepassay.protocols.pointwise.released import (
    IssueQuirk as Quirk,
)
from deepassay.score import Cause, Score, Unscored

KINDS = {"consistency": Consistency, "citation": CitationAssociation}
ASKED = ReportOnDay(language="en", report="r", query="q", today="")
FIELDS = ("specific_issues", "total_issues", "score", "justification")

READ_BY_US_ONLY = {"cons-fenced-openai", "cita-fenced-openai"}
"""Bare JSON is all that one of the program's two clients reads; see lenient-wrapping."""


@pytest.fixture(scope="module")
def vectors(shared):
    every = json.loads((shared / "golden/live/single_report.json").read_text())
    return [each for each in every if each["criterion"] in KINDS]


def answer_of(vector):
    operation = QUESTIONS[KINDS[vector["criterion"]].name]
    return read_reply(operation, ASKED, vector["judge_raw"]).value.root


def official_mean(vector):
    """The number in the program's summary of this one report, None where it has none."""
    overall = vector["official"].get("summary_overall")
    return overall["mean"] if overall else None


def test_all_vectors_are_there(vectors):
    assert len(vectors) == 82
    assert {each["id"] for each in vectors} >= READ_BY_US_ONLY
    assert {each["client"] for each in vectors} == {"openai", "gemini"}


def test_every_answer_is_stored_with_the_values_that_the_program_stored(vectors):
    graded = [each for each in vectors if each["official"].get("result")]
    assert len(graded) == 78
    for vector in graded:
        ours, theirs = stored(answer_of(vector)), vector["official"]["result"]
        read_by_us = {field: getattr(ours, field) for field in FIELDS}
        assert json.dumps(read_by_us) == json.dumps({each: theirs[each] for each in FIELDS})


def test_edition_code_gives_the_number_of_the_program_wherever_it_has_one(vectors):
    numbered = [each for each in vectors if official_mean(each) is not None]
    assert len(numbered) == 74
    for vector in numbered:
        outcome = released_score(answer_of(vector))
        assert isinstance(outcome, Score), vector["id"]
        assert outcome.value == official_mean(vector), vector["id"]


def test_where_the_program_has_no_number_edition_code_is_unscored_and_says_why(vectors):
    """A list in place of an object, a score that is null, one that is a text."""
    without = [
        each
        for each in vectors
        if official_mean(each) is None and each["id"] not in READ_BY_US_ONLY
    ]
    assert {each["id"].partition("-")[2] for each in without} == {
        "root-list", "score-null", "score-str",
    }  # fmt: skip
    for vector in without:
        outcome = released_score(answer_of(vector))
        assert isinstance(outcome, Unscored), vector["id"]
        assert outcome.cause is Cause.ANSWER_UNREADABLE
        null = vector["id"].endswith("score-null")
        assert outcome.details["quirks"] == [Quirk.NULL_SCORE if null else Quirk.STOPPED]


def test_edition_paper_takes_none_of_these_answers(vectors):
    """It asks for issues with quotes and for no number."""
    asked = ReportAndQuery(language="en", report="i0 i1", query="q")
    for vector in vectors:
        with pytest.raises(Unreadable):
            read_reply(KINDS[vector["criterion"]].question, asked, vector["judge_raw"])


def test_wherever_the_number_is_not_that_of_the_count_a_quirk_says_so(vectors):
    differing = 0
    for vector in vectors:
        outcome = released_score(answer_of(vector))
        if isinstance(outcome, Unscored):
            continue
        by_count = TABLE.score(outcome.details["issues"])
        fired = Quirk.AGAINST_COUNT in outcome.details["quirks"]
        assert fired == (outcome.value != by_count), vector["id"]
        differing += fired
    assert differing == 22


def test_in_the_vectors_of_the_table_no_quirk_fires(vectors):
    plain = [each for each in vectors if each["id"].partition("-n")[2].isdigit()]
    assert len(plain) == 42
    for vector in plain:
        assert released_score(answer_of(vector)).details["quirks"] == []
