"""A text in doubt is read once by the judge; what stays in doubt decides nothing but support."""

import asyncio

import pytest

from deepassay.models.ask import OFFLINE, OfflineAsker, ReplayAsker
from deepassay.models.operation import Inputs
from deepassay.protocols.citation_accuracy.protocol import CitationAccuracy
from deepassay.protocols.citation_accuracy.tree import tree_of
from deepassay.protocols.fact.protocol import Fact
from deepassay.protocols.kae.protocol import Kae
from deepassay.protocols.page_check import FAILURES, JUDGE_PAGE, MOST, PageInDoubt, settled
from deepassay.protocols.protocol import RoleAskers, Sources
from deepassay.runfile import RunFile
from deepassay.score import Cause, Score, Unscored
from deepassay.sources.page import NoPage, Page, state_of
from tests.protocols.fact.web import Model, Rows, Web, case_of, scored

QUESTION = "pages/judge_page"
SURE, SHORT, WALL = "https://sure.example/a", "https://short.example/b", "https://wall.example/c"
FILLING = (
    "The operator publishes its annual report every spring. It describes demand, the state of "
    "the lines and the weather, which was mild. Engineers inspect every substation twice. "
)
PAGES = {
    SURE: FILLING + "Grids stored 3.5 GW in 2023, more than ever.",
    SHORT: Page(SHORT, "Grids: batteries of Moss Landing cost 400 million dollars.", doubt="few"),
    WALL: Page(WALL, "Hold tight. You will be taken to the site by itself.", doubt="few"),
}
REPORT = f"""# Storage

Grids stored 3.5 GW in 2023 ({SURE}).

Batteries of Moss Landing cost 400 million dollars ({SHORT}).

Nine turbines broke in 14 storms ({WALL}). Prices rose by 80 % in Texas ({SHORT}).
"""
PROMPT = "How much energy do batteries of grids store, what do they cost, and which turbines broke?"


def says(**came):
    """A judge that says of each page what came of it; of the others by rule."""

    def said(operation, inputs):
        if operation.name != QUESTION:
            return None
        host = inputs.address.partition("://")[2].partition(".")[0]
        return {"came": came[host], "reason": f"it is {came[host]}"} if host in came else None

    return Model(said)


def score(protocol=None, model=None, **more):
    outcome, model, _ = asyncio.run(
        scored(protocol or Fact(), REPORT, PAGES, model=model, prompt=PROMPT, **more)
    )
    return outcome, model


def test_its_prompts_fit_and_fence_what_strangers_wrote():
    JUDGE_PAGE.verify()
    for language in ("en", "zh"):
        inputs = PageInDoubt(language=language, address="https://a.example/", title="T", text="X9")
        told = JUDGE_PAGE.render(inputs, salt="s")
        assert isinstance(inputs, Inputs) and "X9" in str(told)


def test_without_a_judge_only_support_counts_on_a_page_in_doubt():
    outcome, _ = score()
    assert isinstance(outcome, Score)
    counts = outcome.details["counts"]
    assert (counts["pairs"], counts["supported"], counts["doubtful"]) == (4, 2, 2)
    assert (counts["unsupported"], counts["unknown"]) == (0, 0)
    assert (outcome.value, outcome.tally) == (1.0, (2.0, 2.0))
    assert (outcome.details["low"], outcome.details["high"]) == (0.5, 1.0)
    assert outcome.details["open"]
    assert outcome.details["page_classes"] == {"ok": 1, "doubtful": 2}
    assert "2 doubtful" in outcome.details["summary"]
    doubtful = [each for each in outcome.details["items"] if each["verdict"] == "doubtful"]
    assert [each.get("score") for each in doubtful] == [None, None]
    assert all("may not be the page" in each["justification"] for each in doubtful)


@pytest.mark.parametrize("came", ["page", *FAILURES])
def test_what_a_judge_sees_is_what_the_page_is(came):
    outcome, model = score(model=says(short="page", wall=came))
    counts = outcome.details["counts"]
    assert [each.address for each in model.questions(QUESTION)] == [SHORT, WALL]
    assert "doubtful" not in counts and counts["supported"] == 2
    if came == "page":
        assert counts["unsupported"] == 2 and outcome.value == 0.5
        return
    failure = FAILURES[came].value
    assert counts[failure] == 1 and counts["unsupported"] == 1
    assert outcome.details["page_classes"] == {"ok": 2, failure: 1}
    assert outcome.value == pytest.approx(0.5 if failure == "gone" else 2 / 3)
    asked = [each.page for each in model.questions("fact/judge_support")]
    assert len(asked) == 2 and not any("Hold tight" in each for each in asked)
    (item,) = [each for each in outcome.details["items"] if each["verdict"] == failure]
    assert f"it is {came}" in item["justification"]


@pytest.mark.parametrize("said", [Cause.JUDGE_REFUSED, "no JSON", {"came": "maybe", "reason": "x"}])
def test_a_judge_that_fails_leaves_it_in_doubt(said):
    model = Model(lambda operation, inputs: said if operation.name == QUESTION else None)
    outcome, _ = score(model=model)
    assert outcome.details["counts"]["doubtful"] == 2


def test_a_spent_budget_is_no_outcome():
    model = Model(lambda operation, inputs: Cause.BUDGET if operation.name == QUESTION else None)
    for protocol in (Fact(), CitationAccuracy(), Kae()):
        outcome, _ = score(protocol, model)
        assert isinstance(outcome, Unscored) and outcome.cause is Cause.BUDGET


def test_if_every_pair_is_in_doubt_the_report_is_unscored():
    text = f"Nine turbines broke in 14 storms ({WALL})."
    outcome, *_ = asyncio.run(scored(Fact(), text, PAGES))
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.PAGE_DOUBTFUL
    assert (outcome.details["low"], outcome.details["high"]) == (0.0, 1.0)


def test_the_tree_leaves_open_what_rests_on_a_doubt_and_ends_where_no_page_is():
    outcome, _ = score(CitationAccuracy())
    ends = {claim.text: claim for _, claim in tree_of(outcome.details).pairs()}
    assert ends["Nine turbines broke in 14 storms."].cause == "page_doubtful"
    assert outcome.details["errors"]["E3"] == 0 and outcome.details["errors"]["open_pairs"] == 2
    outcome, model = score(CitationAccuracy(), says(short="page", wall="not_found"))
    states = {each.url: (each.state, each.cause) for each in tree_of(outcome.details).sources}
    assert states[WALL] == ("E1", "gone") and states[SHORT] == ("reachable", "")
    assert outcome.details["errors"]["E3"] == 1
    assert not any("Hold tight" in each.opening for each in model.questions(
        "citation_accuracy/judge_relevance"))  # fmt: skip


def test_what_is_off_topic_and_in_doubt_is_no_error():
    def said(operation, inputs):
        if operation.name == "citation_accuracy/judge_relevance":
            return {"on_topic": False, "reason": "a door"}
        return None

    outcome, _ = score(CitationAccuracy(), Model(said))
    tree = tree_of(outcome.details)
    assert {each.url: each.state for each in tree.sources} == {
        SURE: "E2",
        SHORT: "open",
        WALL: "open",
    }
    assert tree.counts()["open_pairs"] == 3


def test_key_points_are_not_read_off_a_door():
    _, model = score(Kae())
    assert any("Hold tight" in each.page for each in model.questions("kae/extract_points"))
    outcome, model = score(Kae(), says(short="page", wall="blocked"))
    assert not any("Hold tight" in each.page for each in model.questions("kae/extract_points"))
    assert outcome.details["page_classes"] == {"ok": 2, "blocked": 1}
    outcome, _ = score(Kae())
    assert outcome.details["page_classes"] == {"ok": 1, "doubtful": 2}


def test_edition_code_asks_nothing_new_and_judges_the_text_as_it_came():
    outcome, model = score(Fact(edition="code"))
    assert model.questions(QUESTION) == []
    texts = [each.page for each in model.questions("fact/judge_support_as_released")]
    assert sum("Hold tight" in each for each in texts) == 1
    assert "doubtful" not in outcome.details["counts"]


def test_one_question_serves_reports_protocols_and_repeats():
    with RunFile.in_memory() as run:
        asker = OfflineAsker(run)
        roles, sources = RoleAskers.alone(asker), Sources(Web(PAGES), Rows())

        async def all_of_them():
            for protocol in (Fact(), Fact(merging="none"), CitationAccuracy(), Kae()):
                for agent in ("alpha", "beta"):
                    case = case_of(REPORT, prompt=PROMPT, agent=agent)
                    await protocol.score(case, roles, sources)
                    await protocol.score(vary(case), roles, sources)

        def vary(case):
            return type(case)(case.task, case.report, repeat=1)

        asyncio.run(all_of_them())
        asked = list(run.exchanges((QUESTION, "offline"), 99))
        assert len(asked) == 2
        replayed = RoleAskers.alone(ReplayAsker(run, OFFLINE))
        again = asyncio.run(Fact().score(case_of(REPORT, prompt=PROMPT), replayed, sources))
        assert again == asyncio.run(Fact().score(case_of(REPORT, prompt=PROMPT), roles, sources))


def test_a_page_is_shown_with_its_address_title_and_a_bounded_text():
    model = says(short="page")
    page = Page(SHORT, "… " * MOST + "end", "A title", doubt="few")
    found = asyncio.run(settled(page, model, "en"))
    (asked,) = model.questions(QUESTION)
    assert (asked.address, asked.title, len(asked.text)) == (SHORT, "A title", MOST)
    assert state_of(found) == "ok" and found.text == page.text
    sure, gone = Page(SURE, "x"), NoPage(SURE, FAILURES["not_found"])
    for each in (sure, gone):
        assert asyncio.run(settled(each, model, "en")) is each
    assert len(model.asked) == 1


@pytest.mark.parametrize("came", ["page", "blocked"])
def test_all_judges_of_a_panel_have_the_same_key_points(came):
    reader = says(short=came, wall="blocked")
    texts = []
    for seen in ("page", "not_found"):
        judge = says(short=seen, wall=seen)
        roles = RoleAskers(judge, reader, reader, reader, judge)
        sources = Sources(Web(PAGES), Rows())
        outcome = asyncio.run(Kae().score(case_of(REPORT, prompt=PROMPT), roles, sources))
        assert judge.questions(QUESTION) == [], "who reads key points off a page says what it is"
        texts.append([each["item"] for each in outcome.details["items"]])
        assert outcome.details["page_classes"]["blocked"] == (1 if came == "page" else 2)
    assert texts[0] == texts[1]
