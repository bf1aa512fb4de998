import asyncio

import pytest

from deepassay.errors import BadSetting
from deepassay.models.ask import OFFLINE, OfflineAsker, ReplayAsker
from deepassay.protocols.citation_accuracy.protocol import CitationAccuracy
from deepassay.protocols.citation_accuracy.tree import tree_of
from deepassay.protocols.fact.protocol import Fact
from deepassay.protocols.protocol import RoleAskers, Sources
from deepassay.runfile import RunFile
from deepassay.score import Cause, Score, Unscored, to_json
from deepassay.sources.page import NO_NAMES, Failure, NoPage
from tests.protocols.fact.web import Model, Rows, Web, case_of, scored

OPERATOR, MINISTRY = "https://operator.example/a", "https://ministry.example/"
GONE, PHONES = "https://gone.example/", "https://phones.example/"
PROMPT = "How much energy do the storage batteries of electricity grids hold, and at what cost?"
STORED = "Grids stored 3.5 GW in 2023."
REPORT = f"""# Storage

Grids stored 3.5 GW in 2023 [1][2].

Solar output fell by 9 % [1].

Batteries of the Moss Landing plant cost 400 million dollars [2][3].

The cheapest battery holds 90 kWh [4].

Grids stored 3.5 GW in 2023 [1].

## References

[1] Operator, {OPERATOR}
[2] Ministry, {MINISTRY}
[3] Archive, {GONE}
[4] Phones, {PHONES}
"""
FILLING = (
    "The operator of the electricity grid publishes its annual report every spring. It describes "
    "storage, batteries, cost, the state of the lines and the weather, which was mild. "
)
PAGES = {
    OPERATOR: f"{FILLING}Grids stored 3.5 GW in 2023, more than ever. Solar output rose by 2 %.",
    MINISTRY: f"{FILLING}The batteries of the Moss Landing plant cost 400 million dollars.",
    PHONES: "The new telephone has a brighter screen, two cameras and a long life. We compared it "
    "with last year's model in bright sun, in the rain and on the train to Vienna.",
}
RELEVANCE, SUPPORT = "citation_accuracy/judge_relevance", "fact/judge_support"


def score(text=REPORT, pages=PAGES, protocol=None, **more):
    more.setdefault("prompt", PROMPT)
    return asyncio.run(scored(protocol or CitationAccuracy(), text, pages, **more))


def states(outcome):
    return {source.url: source.state for source in tree_of(outcome.details).sources}


def test_a_report_becomes_its_tree():
    outcome, _, web = score()
    assert states(outcome) == {
        OPERATOR: "reachable",
        MINISTRY: "reachable",
        GONE: "E1",
        PHONES: "E2",
    }
    counts = outcome.details["errors"]
    # Operator: output fell. Ministry: it says nothing of what grids stored.
    assert (counts["E1"], counts["E2"], counts["E3"], counts["errors"]) == (1, 1, 2, 4)
    assert (counts["pairs"], counts["claims"], counts["stopped"]) == (6, 4, 2)
    assert outcome.value == pytest.approx(100 * 2 / 6)
    assert sorted(web.asked) == sorted([OPERATOR, MINISTRY, GONE, PHONES])


def test_each_node_has_its_evidence():
    outcome, *_ = score()
    operator, ministry, gone, phones = tree_of(outcome.details).sources
    stored = operator.claims[0]
    assert "Grids stored 3.5 GW in 2023, more than ever" in stored.evidence
    assert [place.line for place in stored.places] == [3, 11]  # one wording, one claim
    assert ministry.claims[0].verdict == "unsupported"
    assert (gone.cause, gone.evidence) == ("gone", "it is gone")
    assert phones.evidence.startswith("By rule:")
    assert phones.opening.startswith("The new telephone")


def test_no_claim_is_asked_about_a_page_that_stopped():
    _, model, _ = score()
    assert len(model.questions(RELEVANCE)) == 3
    assert len(model.questions(SUPPORT)) == 2
    assert not any("telephone" in each.page for each in model.questions(SUPPORT))
    outcome, model, _ = score(pages={})
    assert outcome.details["errors"]["E1"] == 4
    assert not model.asked


@pytest.mark.parametrize(
    ("failure", "state", "apart"),
    [
        (Failure.GONE, "E1", {}),
        (Failure.REDIRECTED_HOME, "E1", {}),
        (Failure.REFUSED, "E1", {}),
        (Failure.BLOCKED, "E1", {"blocked": 1}),
        (Failure.TIMEOUT, "E1", {"timeout": 1}),
        (Failure.SCRIPT_ONLY, "open", {"open_sources": 1}),
        (Failure.PAYWALLED, "open", {"open_sources": 1}),
        (Failure.TOO_LARGE, "open", {"open_sources": 1}),
        (Failure.NOT_TEXT, "open", {"open_sources": 1}),
        (Failure.NOT_ARCHIVED, "open", {"open_sources": 1}),
    ],
)
def test_a_page_is_unreachable_or_we_do_not_know(failure, state, apart):
    outcome, *_ = score(pages=PAGES | {GONE: failure})
    assert states(outcome)[GONE] == state
    counts = outcome.details["errors"]
    assert counts["E1"] == (state == "E1")
    assert {name: counts[name] for name in apart} == apart
    assert outcome.details["open"] == (state == "open")


def test_where_no_host_is_found_no_source_is_an_error():
    for unasked in ({GONE}, {GONE, *PAGES}):
        pages = {url: NoPage(url, Failure.TIMEOUT, NO_NAMES) for url in unasked}
        outcome, *_ = score(pages=PAGES | pages)
        assert states(outcome)[GONE] == "open" and outcome.details["errors"]["timeout"] == 0
        assert isinstance(outcome, Unscored) == (len(unasked) > 1)


def test_a_claim_is_an_error_for_each_source_that_does_not_support_it():
    pages = {f"https://a.example/{n}": FILLING * 3 for n in range(5)}
    cited = "".join(f" ({url})" for url in pages)
    outcome, *_ = score(f"Lithium reached 71 dollars a kilogram{cited}.", pages)
    counts = outcome.details["errors"]
    assert (counts["claims"], counts["E3"], outcome.value) == (1, 5, 0.0)


def test_a_hundred_claims_under_one_address_take_one_retrieval():
    text = "".join(f"Battery number {n} stores {n} GWh ({OPERATOR}).\n\n" for n in range(2, 102))
    outcome, model, web = score(text)
    assert web.asked == [OPERATOR]
    assert len(model.questions(RELEVANCE)) == 1
    assert [len(each.statements) for each in model.questions(SUPPORT)] == [40, 40, 20]
    assert outcome.details["errors"]["pairs"] == 100


def test_unknown_is_no_support_and_is_counted_apart():
    def says(operation, inputs):
        if operation.name != SUPPORT:
            return None
        count = len(inputs.statements)
        return {"verdicts": [{"statement": n + 1, "verdict": "unknown"} for n in range(count)]}

    counts = score(model=Model(says))[0].details["errors"]
    assert (counts["E3"], counts["unknown"], counts["supported"]) == (4, 4, 0)


@pytest.mark.parametrize(("operation", "open_pairs"), [(RELEVANCE, 5), (SUPPORT, 4)])
def test_what_no_judge_answers_stays_open(operation, open_pairs):
    def says(asked, inputs):
        return Cause.JUDGE_UNREACHABLE if asked.name == operation else None

    outcome, *_ = score(model=Model(says))
    assert isinstance(outcome, Score)
    assert outcome.details["errors"]["open_pairs"] == open_pairs
    assert outcome.details["open"]
    assert outcome.value == 0.0
    assert outcome.details["high"] == pytest.approx(100 * open_pairs / 6)


@pytest.mark.parametrize("operation", [RELEVANCE, SUPPORT])
def test_where_the_budget_ends_there_is_no_outcome_yet(operation):
    outcome, *_ = score(
        model=Model(lambda asked, _: Cause.BUDGET if asked.name == operation else None)
    )
    assert isinstance(outcome, Unscored)
    assert outcome.cause is Cause.BUDGET


def test_a_report_that_cites_nothing_scores_nothing_and_has_no_errors():
    outcome, model, web = score("Grids stored 3.5 GW in 2023.")
    assert (outcome.value, outcome.details["errors"]["errors"]) == (0.0, 0)
    assert not model.asked and not web.asked


def test_verdicts_are_shared_with_fact():
    rows, model = Rows(), Model()
    score(protocol=Fact(), rows=rows, model=model)
    before = {(each.page, said) for each in model.questions(SUPPORT) for said in each.statements}
    asked = len(model.asked)
    score(rows=rows, model=model)
    assert {name for name, _ in model.asked[asked:]} == {RELEVANCE}
    assert len(before) == 5  # four here, and one about telephones that E2 would have spared


def test_the_subject_of_a_page_is_asked_once_for_all_reports_of_a_task():
    async def once(run, agent):
        sources, case = (
            Sources(Web(PAGES), run.verdicts),
            case_of(REPORT, prompt=PROMPT, agent=agent),
        )
        return await CitationAccuracy().score(case, RoleAskers.alone(OfflineAsker(run)), sources)

    with RunFile.in_memory() as run:
        for agent in ("alpha", "beta"):
            asyncio.run(once(run, agent))
            assert len(run.answers()) == 3 + 2  # subjects, and pages that were held against claims


def test_a_replay_needs_the_run_file_only():
    async def once(asker, verdicts):
        case, sources = case_of(REPORT, prompt=PROMPT), Sources(Web(PAGES), verdicts)
        return to_json(await CitationAccuracy().score(case, RoleAskers.alone(asker), sources))

    with RunFile.in_memory() as run:
        first = asyncio.run(once(OfflineAsker(run), run.verdicts))
        assert asyncio.run(once(ReplayAsker(run, OFFLINE), run.verdicts)) == first
        assert asyncio.run(once(ReplayAsker(run, OFFLINE), Rows())) == first


def test_a_failed_extraction_is_unscored():
    protocol = CitationAccuracy(statements="model")
    outcome, *_ = score(protocol=protocol, model=Model(lambda *_: Cause.TIMEOUT))
    assert outcome == Unscored(Cause.TIMEOUT, "told so")


def test_its_operations_have_fitting_prompts():
    for operation in CitationAccuracy().operations():
        operation.verify()
    assert len(CitationAccuracy(statements="mechanical").operations()) == 3


def test_there_is_one_edition_and_every_option_is_checked():
    with pytest.raises(BadSetting, match="no edition 'code'"):
        CitationAccuracy(edition="code")
    with pytest.raises(BadSetting, match="no such way"):
        CitationAccuracy(statements="by hand")
