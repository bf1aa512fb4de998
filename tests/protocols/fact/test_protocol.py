import asyncio

import pytest

from deepassay.errors import BadSetting
from deepassay.models.ask import OFFLINE, OfflineAsker, ReplayAsker
from deepassay.protocols.citation_accuracy.protocol import CitationAccuracy
from deepassay.protocols.fact.extraction import EXTRACTING
from deepassay.protocols.fact.pairs import READING
from deepassay.protocols.fact.protocol import Fact
from deepassay.protocols.protocol import MOST_AT_ONCE, RoleAskers, Sources
from deepassay.results.evidence import reading_of
from deepassay.results.explain import summary_of
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored, from_json, to_json
from deepassay.sources.page import Failure
from tests.protocols.fact.web import Model, Rows, Web, case_of, scored

OPERATOR, MINISTRY = "https://operator.example/a", "https://ministry.example/"
GONE, WALL = "https://gone.example/", "https://wall.example/"
REPORT = f"""# Storage

Grids stored 3.5 GW in 2023 [1]. GRIDS stored 3.5 GW, in 2023 [1].
Nine turbines broke in 14 storms [1].
Batteries of the Moss Landing plant cost 400 million dollars [2]. Prices rose by 80 % in Texas.

## References

[1] Operator, {OPERATOR}
[2] Ministry, {MINISTRY}
"""
FILLING = (
    "The operator publishes its annual report every spring. It describes demand, the state of "
    "the lines and the weather, which was mild. Engineers inspect every substation twice. "
    "Consumers pay for the lines through a fee that the regulator sets.\n\n"
)
PAGES = {
    OPERATOR: f"{FILLING}Grids stored 3.5 GW in 2023, more than ever. Solar output rose by 2 %.",
    MINISTRY: f"{FILLING}The batteries of the Moss Landing plant cost 400 million dollars.",
}


def score(text=REPORT, pages=PAGES, protocol=None, **more):
    return asyncio.run(scored(protocol or Fact(), text, pages, **more))


def test_a_whole_report_is_scored_by_rule():
    outcome, model, web = score()
    counts = outcome.details["counts"]
    assert outcome.value == pytest.approx(2 / 3)
    assert outcome.tally == (2.0, 3.0) and outcome.bounds == (0.0, 1.0)
    assert (counts["pairs"], counts["merged"], counts["supported"]) == (3, 1, 2)
    assert outcome.parts["E.Cit"] == 2.0 and outcome.parts["pairs"] == 3.0
    assert outcome.parts["uncited"] == 1 / 5
    assert outcome.parts["citation recall"] == 3 / 5  # both wordings of the merged fact
    assert from_json(to_json(outcome)) == outcome
    assert sorted(web.asked) == sorted([OPERATOR, MINISTRY])
    assert len(model.questions("fact/judge_support")) == 2


def test_each_page_is_fetched_once_and_judged_in_one_call_for_all_its_statements():
    text = "".join(f"Plant number {n} stores {n} GWh ({OPERATOR}). " for n in range(2, 32))
    outcome, model, web = score(text)
    assert web.asked == [OPERATOR]
    assert [len(each.statements) for each in model.questions("fact/judge_support")] == [30]
    assert outcome.details["counts"]["pairs"] == 30


def test_verdicts_are_shared_by_reports_and_by_forms_of_the_protocol():
    rows, model = Rows(), Model()
    score(rows=rows, model=model)
    second, *_ = score(rows=rows, model=model, protocol=Fact(merging="none"), agent="beta")
    asked = [each.statements for each in model.questions("fact/judge_support")]
    assert sum(map(len, asked)) == 4  # three, and the one that is no more merged
    assert second.details["counts"]["pairs"] == 4


@pytest.mark.parametrize(
    ("failure", "value", "open_"),
    [
        (Failure.GONE, 0.5, False),
        (Failure.REDIRECTED_HOME, 0.5, False),
        (Failure.REFUSED, 0.5, False),
        (Failure.BLOCKED, 1.0, True),
        (Failure.SCRIPT_ONLY, 1.0, True),
        (Failure.PAYWALLED, 1.0, True),
        (Failure.TIMEOUT, 1.0, True),
        (Failure.TOO_LARGE, 1.0, True),
        (Failure.NOT_TEXT, 1.0, True),
        (Failure.NOT_ARCHIVED, 1.0, True),
    ],
)
def test_a_page_that_is_gone_supports_nothing_and_one_we_could_not_see_leaves_it_open(
    failure, value, open_
):
    text = f"Grids stored 3.5 GW in 2023 ({OPERATOR}). Costs fell by half in 2021 ({GONE})."
    outcome, *_ = score(text, PAGES | {GONE: failure})
    assert (outcome.value, outcome.details["open"]) == (value, open_)
    assert outcome.details["counts"][str(failure)] == 1
    assert outcome.details["page_classes"] == {"ok": 1, str(failure): 1}
    assert (outcome.details["low"], outcome.details["high"]) == (0.5, 1.0 if open_ else 0.5)


def test_if_no_page_could_be_seen_the_report_is_unscored():
    outcome, *_ = score(pages={OPERATOR: Failure.BLOCKED, MINISTRY: Failure.NOT_ARCHIVED})
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.PAGE_BLOCKED


def test_a_failed_judge_call_is_an_unscored_pair():
    def says(operation, inputs):
        return Cause.JUDGE_REFUSED if "Moss" in inputs.page else None

    outcome, *_ = score(model=Model(says))
    assert outcome.value == 0.5 and outcome.details["counts"]["failed"] == 1


@pytest.mark.parametrize("edition", ["paper", "code"])
def test_where_the_budget_ends_there_is_no_outcome_yet_and_nothing_is_kept(edition):
    asked = []

    def first_page_only(operation, inputs):
        if "judge_support" in operation.name:
            asked.append(inputs)
            return Cause.BUDGET if len(asked) > 1 else None
        return None

    rows = Rows()
    outcome, *_ = score(model=Model(first_page_only), rows=rows, protocol=Fact(edition=edition))
    assert len(asked) == 2
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.BUDGET
    assert all(row.verdict != "failed" for row in rows.rows.values())


@pytest.mark.parametrize("edition", ["paper", "code"])
def test_of_many_pages_few_are_held_at_a_time(edition):
    held = most = 0

    class Slow(Model):
        async def __call__(self, operation, inputs, *, repeat=0):
            nonlocal held, most
            if "judge_support" not in operation.name:
                return await super().__call__(operation, inputs, repeat=repeat)
            held += 1
            most = max(most, held)
            await asyncio.sleep(0.001)
            held -= 1
            return await super().__call__(operation, inputs, repeat=repeat)

    pages = {f"https://a.example/{n}": f"Plant number {n} stores {n} GWh." for n in range(100)}
    text = "".join(f"Plant number {n} stores {n} GWh ({url}).\n\n" for n, url in enumerate(pages))
    outcome, *_ = score(text, pages, Fact(edition=edition), model=Slow())
    assert outcome.details["counts"]["pairs"] == 100
    assert most == MOST_AT_ONCE


def test_a_report_without_citations_scores_nothing():
    outcome, model, web = score("Grids stored 3.5 GW in 2023.")
    assert outcome.value == 0.0 and not model.asked and not web.asked
    assert outcome.parts["citation recall"] == 0.0 and outcome.parts["uncited"] == 1.0


def test_citations_that_cannot_be_resolved_are_read_by_a_model():
    text = f"Grids stored 3.5 GW in 2023 [1]. Solar output rose by 2 % [1].\n\nLink: {OPERATOR}"

    def says(operation, inputs):
        if operation.name == "fact/extract":
            return {"statements": [{"statement": "Grids stored 3.5 GW in 2023", "url": OPERATOR}]}
        return None

    outcome, model, _ = score(text, model=Model(says))
    assert model.questions("fact/extract")
    assert outcome.details["statements_by"] == "model" and outcome.value == 1.0
    assert (
        outcome.details["counts"]["uncited"] == 0
    )  # the other claim has a citation, though a blind one
    mechanical, model, _ = score(text, protocol=Fact(statements="mechanical"))
    assert not model.questions("fact/extract")
    assert mechanical.details["statements_by"] == "mechanical"


def told(outcome):
    """What `explain` says above the items, from what is kept of the outcome."""
    return summary_of(reading_of(from_json(to_json(outcome))).evidence)


@pytest.mark.parametrize("protocol", [Fact, CitationAccuracy])
@pytest.mark.parametrize("lost", [0, 1, 3])
def test_what_was_dropped_of_an_extraction_is_told(protocol, lost):
    items = [{"statement": "Grids stored 3.5 GW in 2023 [1].", "url": OPERATOR}]
    items += [{"statement": f"Wind park {n} was abolished.", "url": OPERATOR} for n in range(lost)]

    def says(operation, inputs):
        return {"statements": items} if operation.name == "fact/extract" else None

    outcome, *_ = score(protocol=protocol(statements="model"), model=Model(says))
    line = f"; statements or addresses not in the report, and left out: {lost}"
    assert outcome.details["dropped"] == lost
    assert (line in told(outcome)) == bool(lost) == ("left out" in told(outcome))


@pytest.mark.parametrize("protocol", [Fact(merging="none"), CitationAccuracy()])
@pytest.mark.parametrize("without", [0, 1, 2])
def test_support_without_a_quote_that_is_on_the_page_is_told(protocol, without):
    given = {"Nine turbines": "No such words are on it.", "Batteries of": "..."}
    lacking = [*given][:without]

    def says(operation, inputs):
        if operation.name != "fact/judge_support":
            return {"on_topic": True, "reason": "It is."} if "relevance" in operation.name else None
        verdicts = [
            {"statement": number, "verdict": "supported", "quote": given[each[:13].strip()]}
            if each.startswith(tuple(lacking))
            else {"statement": number, "verdict": "supported", "quote": inputs.page[:40]}
            for number, each in enumerate(inputs.statements, start=1)
        ]
        return {"verdicts": verdicts}

    outcome, *_ = score(protocol=protocol, model=Model(says))
    line = f"; supported without a quote that is on the page: {without}"
    assert (line in told(outcome)) == bool(without) == ("without a quote" in told(outcome))
    assert outcome.value == outcome.bounds[1]


def test_edition_code_asks_for_no_quotes_and_says_nothing_of_them():
    outcome, *_ = score(protocol=Fact(edition="code"))
    assert outcome.value > 0 and "quote" not in told(outcome)


def test_a_failed_extraction_is_unscored():
    outcome, *_ = score(protocol=Fact(statements="model"), model=Model(lambda *_: Cause.TIMEOUT))
    assert outcome == Unscored(Cause.TIMEOUT, "told so")


def test_a_model_merges_on_request():
    _, model, _ = score(protocol=Fact(merging="model"))
    assert [len(each.statements) for each in model.questions("fact/merge")] == [3]


def test_the_same_report_scores_the_same_again():
    rows = Rows()
    first, *_ = score(rows=rows)
    again, model, _ = score(rows=rows)
    assert to_json(first) == to_json(again) and not model.asked


@pytest.mark.parametrize(
    "options",
    [
        {"statements": "by hand"},
        {"merging": "all"},
        {"edition": "code", "merging": "none"},
        {"edition": "code", "statements": "model"},
    ],
)
def test_options_that_do_not_exist_are_refused(options):
    with pytest.raises(BadSetting):
        Fact(**options)


def test_it_is_written_as_its_value():
    assert str(Fact(merging="none")) == "fact(merging='none')"


def test_its_operations_have_fitting_prompts():
    for protocol in (Fact(), Fact(merging="model"), Fact(edition="code")):
        for operation in protocol.operations():
            operation.verify()


@pytest.mark.parametrize(
    "protocol", [Fact(statements="model", merging="model"), Fact(edition="code")]
)
def test_what_is_kept_in_a_run_file_is_all_that_it_takes_to_score_again(protocol):
    async def once(asker, verdicts):
        sources = Sources(Web(PAGES), verdicts)
        return to_json(await protocol.score(case_of(REPORT), RoleAskers.alone(asker), sources))

    with RunFile.in_memory() as run:
        first = asyncio.run(once(OfflineAsker(run), run.verdicts))
        by_rows = asyncio.run(once(ReplayAsker(run, OFFLINE), run.verdicts))
        by_answers = asyncio.run(once(ReplayAsker(run, OFFLINE), Rows()))
    assert first == by_rows == by_answers
    assert first["details"]["counts"]["supported"] == 2


@pytest.mark.parametrize("kind", [Fact, CitationAccuracy])
def test_the_recipe_names_how_answers_are_read_where_a_model_may_extract(kind):
    assert kind(statements="mechanical").rules == {"pairs": READING}
    for way in ("auto", "model"):
        assert kind(statements=way).rules == {"pairs": READING, "extracting": EXTRACTING}
    assert Fact(edition="code").rules == {}
