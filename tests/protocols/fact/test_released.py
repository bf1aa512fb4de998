"""Edition `code`, whole: its stages in a row."""

import asyncio

import pytest

from deepassay.protocols.fact.protocol import Fact
from deepassay.protocols.fact.released_stages import FactQuirk as Quirk
from deepassay.score import Cause, Unscored
from deepassay.sources.page import Failure
from tests.protocols.fact.test_protocol import OPERATOR, PAGES, REPORT
from tests.protocols.fact.web import Model, scored

CODE = Fact(edition="code")
EXTRACT, MERGE, JUDGE = (operation.name for operation in CODE.operations())


def says(citations=None, keep=None, verdicts=None):
    """A model that answers each stage as told, and else by rule."""
    told = {EXTRACT: citations, MERGE: keep, JUDGE: verdicts}
    return Model(lambda operation, inputs: told[operation.name])


def score(model, pages=PAGES, **more):
    return asyncio.run(scored(CODE, REPORT, pages, model, **more))


def cited(*facts, url=OPERATOR):
    return [{"fact": fact, "ref_idx": 1, "url": url} for fact in facts]


def results(*labels, first=1):
    return [{"idx": n, "result": label} for n, label in enumerate(labels, start=first)]


def test_a_report_is_scored_by_rule_through_all_stages():
    outcome, model, web = score(Model())
    assert outcome.value == pytest.approx(2 / 3) and outcome.tally == (2.0, 3.0)
    assert len(web.asked) == 2
    assert [len(model.questions(name)) for name in (EXTRACT, MERGE, JUDGE)] == [1, 1, 2]


def test_unknown_is_left_out():
    outcome, *_ = score(
        says(cited("a", "b", "c"), [1, 2, 3], results("supported", "unknown", "unsupported"))
    )
    assert outcome.value == 0.5 and outcome.tally == (1.0, 2.0)
    assert outcome.details["quirks"] == [Quirk.UNKNOWN_LEFT_OUT]
    assert outcome.details["counts"]["unknown"] == 1


@pytest.mark.parametrize(
    ("citations", "cause", "quirk"),
    [
        ([], Cause.MISSING_INPUT, Quirk.NO_CITATIONS),
        ("", Cause.ANSWER_UNREADABLE, Quirk.EXTRACTION_FAILED),
        ([{"fact": "a"}], Cause.ANSWER_UNREADABLE, Quirk.STOPPED),
    ],
)
def test_what_the_program_leaves_out_is_unscored(citations, cause, quirk):
    outcome, *_ = score(says(citations))
    assert isinstance(outcome, Unscored) and outcome.cause is cause
    assert outcome.details["quirks"] == [quirk]


def test_an_answer_that_chooses_a_fact_that_is_not_there_stops_the_program():
    outcome, *_ = score(says(cited("a", "b"), [3]))
    assert outcome.details["quirks"] == [Quirk.STOPPED]


@pytest.mark.parametrize(
    ("keep", "facts", "quirks"),
    [
        ([0, 1], 2, [Quirk.KEPT_ALL]),
        ([-1], 1, [Quirk.COUNTED_BACK]),
        ("nothing of use", 2, [Quirk.KEPT_ALL]),
        (Cause.TIMEOUT, 2, [Quirk.KEPT_ALL]),
        ([1, 1], 2, [Quirk.KEPT_TWICE]),
    ],
)
def test_how_facts_are_kept_is_said(keep, facts, quirks):
    outcome, *_ = score(says(cited("a", "b"), keep, results(*["supported"] * facts)))
    assert outcome.tally == (facts, facts) and outcome.details["quirks"] == quirks


@pytest.mark.parametrize(
    ("verdicts", "quirk", "value"),
    [
        (results("supported", "Supported"), Quirk.OTHER_LABEL, 0.5),
        (results("supported", "supported", first=7), Quirk.ODD_NUMBER, 1.0),
        (results("unsupported", None), Quirk.OTHER_LABEL, 0.0),
    ],
)
def test_what_is_odd_about_verdicts_is_counted_and_said(verdicts, quirk, value):
    outcome, *_ = score(says(cited("a", "b"), [1, 2], verdicts))
    assert outcome.value == value and outcome.details["quirks"] == [quirk]


def test_a_page_without_verdicts_is_left_out_and_the_score_is_open():
    def told(operation, inputs):
        if operation.name == EXTRACT:
            return [*cited("a"), *cited("b", url="https://b.example/")]
        return Cause.TIMEOUT if "annual" in inputs.page else results("supported")

    outcome, *_ = score(Model(told), PAGES | {"https://b.example/": "Another page."})
    assert outcome.tally == (1.0, 1.0) and outcome.details["open"] is True
    assert outcome.details["quirks"] == [Quirk.PAGE_LEFT_OUT]


def test_a_page_that_failed_is_judged_as_a_text():
    model = says(cited("a"), verdicts=results("unknown"))
    outcome, *_ = score(model, {OPERATOR: Failure.GONE})
    assert model.questions(JUDGE)[0].page == "scrape failed: it is gone"
    assert isinstance(outcome, Unscored) and outcome.details["counts"]["citing"] == 1
    assert Quirk.FAILURE_JUDGED in outcome.details["quirks"]


def test_two_spellings_of_an_address_are_two_pages_of_the_program():
    citations = [*cited("a"), *cited("b", url=f"{OPERATOR}#part")]
    model = says(citations, verdicts=results("supported"))
    outcome, *_ = score(model)
    assert len(model.questions(JUDGE)) == 2 and outcome.details["quirks"] == [Quirk.RAW_ADDRESS]


def test_fragments_are_cut_for_agents_of_openai_only():
    text = f"Grids grew [a]({OPERATOR}#:~:text=grids)."
    for agent, shown in (("openai-deep", f"({OPERATOR})"), ("other", "#:~:text=grids)")):
        _, model, _ = asyncio.run(scored(CODE, text, PAGES, Model(), agent=agent))
        assert shown in model.questions(EXTRACT)[0].report


@pytest.mark.parametrize(
    ("failure", "is_open"), [(None, False), (Failure.BLOCKED, True), (Failure.GONE, True)]
)
def test_a_page_that_could_not_be_read_leaves_the_score_open_for_a_retry(failure, is_open):
    outcome, *_ = score(Model(), PAGES if failure is None else {**PAGES, OPERATOR: failure})
    assert outcome.details["open"] is is_open
