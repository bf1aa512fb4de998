import json
import re
from datetime import date

import pytest

from deepassay.models.client import ModelSettings
from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.checklist import ReportAndQuery
from deepassay.protocols.pointwise.protocol import CitationAssociation, Consistency
from deepassay.protocols.pointwise.released import QUESTIONS
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.reports.report import Report
from deepassay.results.explain import explain
from deepassay.results.records import Judged
from deepassay.runfile import RunFile
from deepassay.score import Cause, Score, Signature, Unscored, from_json, to_json
from tests.loopback import completion
from tests.models.judged import judged
from tests.protocols.judges import NO_SOURCES, ByRule, Scripted, Silent
from tests.protocols.pointwise.faults import REPORT, TASK, clash, slip, uncited

BOTH = [Consistency(), CitationAssociation()]
EVERY = [*BOTH, Consistency("code"), CitationAssociation("code")]
ASKED = ReportAndQuery(language="en", report=REPORT.text, query=TASK.prompt)


async def scored(protocol, judge, task=TASK, report=REPORT):
    return await protocol.score(Case(task, report), RoleAskers.alone(judge), NO_SOURCES)


def found(*issues):
    return {"issues": list(issues)}


# ------------------------------------------------------------------ edition paper


@pytest.mark.asyncio
async def test_no_issue_leaves_the_full_score():
    for protocol in BOTH:
        score = await scored(protocol, Scripted(found()))
        assert (score.value, score.bounds) == (100, (0, 100))
        assert score.details == {"issues": 0, "items": []}


@pytest.mark.asyncio
async def test_the_number_of_issues_decides_the_score_by_the_table():
    three = found(clash(), slip(), slip("They are quieter than diesel ferries."))
    assert (await scored(Consistency(), Scripted(three))).value == 80
    harsh = Consistency(penalties="0:100,2:50,more:0")
    assert (await scored(harsh, Scripted(three))).value == 0


@pytest.mark.asyncio
async def test_issues_on_the_same_passages_count_once():
    turned = clash("the fleet counts 38 electric ferries", "The fleet has 42 electric ferries")
    folded = clash("The fleet has **42** electric ferries", "the fleet counts 38  electric ferries")
    other_kind = clash() | {"kind": "logic"}
    score = await scored(
        Consistency(), Scripted(found(clash(), turned, folded, other_kind, slip(), slip()))
    )
    assert score.details["issues"] == 2
    assert score.value == 90
    same = [
        uncited(),
        uncited(kind="mismatched"),
        uncited("They are  quieter than diesel ferries."),
    ]
    score = await scored(CitationAssociation(), Scripted(found(*same)))
    assert [item["verdict"] for item in score.details["items"]] == ["uncited"]


@pytest.mark.asyncio
async def test_evidence_is_quoted_as_the_report_spells_it_with_line_and_column():
    score = await scored(Consistency(), Scripted(found(clash(), slip())))
    first, second = score.details["items"]
    assert first == {
        "key": "i1",
        "item": "The fleet has **42** electric ferries",
        "verdict": "contradiction",
        "justification": "42 or 38?",
        "places": [
            {"line": 3, "column": 1, "message": "the passage"},
            {
                "line": 7,
                "column": 10,
                "message": "at odds with: the fleet counts 38 electric\nferries",
            },
        ],
    }
    assert (second["key"], second["places"][0]["line"]) == ("i2", 8)
    assert from_json(to_json(score)) == score


@pytest.mark.asyncio
async def test_a_quote_of_what_the_fence_disarmed_is_found_and_shown_as_it_was_written():
    seen = "A run of ((( angles stands here."
    score = await scored(CitationAssociation(), Scripted(found(uncited(seen))))
    assert score.details["items"][0]["item"] == "A run of <<< angles stands here."


@pytest.mark.asyncio
async def test_explain_prints_every_issue_with_its_places():
    score = await scored(Consistency(), Scripted(found(clash())))
    record = Judged("consistency", "heron", "t1", 1, 0, {}, score, Signature({}))
    text = explain([record], "heron", "t1")
    assert "Score 90.0 on 0 to 100" in text
    assert "i1 contradiction: The fleet has **42** electric ferries" in text
    assert "line 7, column 10: at odds with: the fleet counts 38" in text


@pytest.mark.parametrize(
    ("issues", "said"),
    [
        ([slip(), clash("The fleet has 43 ferries")], "word for word.*: quote of issue 2$"),
        ([clash(other="nowhere"), slip("nor here")], "other_quote of issue 1, quote of issue 2$"),
        ([slip("...")], "quote of issue 1"),
        ([clash(other="")], "needs other_quote too, which is empty here: issue 1"),
        ([clash(other="The fleet has 42 electric ferries ")], "one and the same passage: issue 1"),
        ([slip(f"no {n}") for n in range(20)], "and 12 more$"),
    ],
)
def test_what_cannot_be_shown_is_asked_again_and_named(issues, said):
    answer = read_reply(Consistency.question, ASKED, json.dumps(found(*issues))).value
    assert re.search(said, Consistency.question.quotes(ASKED, answer))


@pytest.mark.asyncio
async def test_an_issue_counts_without_its_place_and_the_record_says_how_many_do():
    issues = [clash("The fleet has 43 ferries"), slip("nowhere at all"), slip("nowhere at all")]
    score = await scored(Consistency(), Scripted(found(*issues)))
    assert (score.value, score.details["issues"]) == (90.0, 2)
    assert score.details["quotes_not_found"] == 2
    assert score.details["issues_without_place"] == 1
    assert "1 of 2 issues stand without a place" in score.details["summary"]
    second = score.details["items"][1]
    assert (second["item"], second["places"]) == ("nowhere at all", [])
    assert "(quote not found)" in second["justification"]


@pytest.mark.parametrize(
    ("issues", "said"),
    [
        ([slip("")], "issues.0.quote"),
        ([clash() | {"kind": "uncited"}], "issues.0.kind"),
        ([{**slip(), "score": 90}], "issues.0.score"),
    ],
)
def test_what_is_off_the_menu_is_refused(issues, said):
    with pytest.raises(Unreadable, match=said):
        read_reply(Consistency.question, ASKED, json.dumps(found(*issues)))


def test_a_judge_that_gives_a_number_is_asked_again():
    with pytest.raises(Unreadable):
        read_reply(CitationAssociation.question, ASKED, json.dumps(found() | {"score": 100}))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("protocol", "wrong", "right"),
    [
        (Consistency(), clash("The fleet has 43 ferries"), clash()),
        (CitationAssociation(), uncited("They are the quietest"), uncited()),
    ],
)
async def test_a_quote_that_is_not_in_the_report_is_asked_again_over_the_wire_where_wanted(
    protocol, wrong, right
):
    def invents_at_first(request, text):
        return completion(json.dumps(found(wrong if request.number == 1 else right)))

    with RunFile.in_memory() as run:
        async with judged(run, scenarios={"inventor": invents_at_first}) as judge:
            outcome = await scored(
                protocol, await judge.asker("inventor", ModelSettings(quotes=True))
            )
            again = judge.server.requests[-1].text
            assert judge.server.count("inventor") == 2
    assert isinstance(outcome, Score)
    assert outcome.value == 90
    assert "quote of issue 1" in again


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", EVERY, ids=str)
async def test_a_report_too_long_for_the_judge_is_unscored(protocol):
    with RunFile.in_memory() as run:
        async with judged(run) as judge:
            outcome = await scored(protocol, await judge.asker("overflow"))
    assert isinstance(outcome, Unscored)
    assert outcome.cause is Cause.CONTEXT_OVERFLOW


@pytest.mark.asyncio
async def test_a_panel_reports_the_mean_and_keeps_the_evidence_of_each_judge():
    protocol = Consistency()
    outcomes = {
        "one": await scored(protocol, Scripted(found())),
        "two": await scored(protocol, Scripted(found(clash(), slip(), slip("A run of")))),
        "three": Unscored(Cause.JUDGE_REFUSED),
    }
    whole = protocol.combine(outcomes)
    assert whole.value == 90
    assert whole.details["spread"]["scored"] == 2
    assert whole.details["judges"]["two"]["details"]["issues"] == 3


# ------------------------------------------------------------------ both editions


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", EVERY, ids=str)
async def test_a_failed_judgement_is_handed_on_with_its_cause(protocol):
    refused = Unscored(Cause.JUDGE_REFUSED, "it would not")
    assert await scored(protocol, Silent(refused)) is refused


@pytest.mark.asyncio
@pytest.mark.parametrize(("protocol", "released"), [*zip(EVERY[:2], EVERY[2:], strict=True)])
async def test_by_rule_both_editions_count_the_same_issues(protocol, released):
    text = REPORT.text.replace("the fleet counts 38", "The fleet has 38")
    paper = await scored(protocol, ByRule(), report=Report(text))
    code = await scored(released, ByRule(), report=Report(text))
    assert paper.value == code.value
    assert paper.details["issues"] == code.details["issues"] == code.details["total_issues"]
    assert code.details["quirks"] == []


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", EVERY, ids=str)
async def test_the_offline_rule_survives_half_a_character(protocol):
    report = Report("The ferry has 3\ud800 engines. The ferry has 5 engines [9].")
    assert isinstance(await scored(protocol, ByRule(), report=report), Score)


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", [Consistency, CitationAssociation])
async def test_only_edition_code_tells_the_judge_the_day(kind):
    for language, day in (("en", "May 4, 2026"), ("zh", "2026年5月4日")):
        task = TASK.model_copy(update={"language": language}).on(date(2026, 5, 4), "code")
        shown = {}
        for edition in ("paper", "code"):
            judge = Scripted(found() if edition == "paper" else {"score": 100})
            await scored(kind(edition), judge, task)
            ((operation, inputs, _),) = judge.asked
            shown[edition] = operation.render(inputs, "salt").text
        assert day in shown["code"]
        assert "2026" not in shown["paper"]


@pytest.mark.asyncio
async def test_a_task_without_a_day_says_so():
    judge = Scripted({"score": 100})
    await scored(Consistency("code"), judge)
    assert judge.asked[0][1].today == "not given"


@pytest.mark.parametrize("kind", [Consistency, CitationAssociation])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_released_question_shows_the_whole_table(kind, language):
    question = QUESTIONS[kind.name].files[language].question
    rows = [line for line in question.splitlines() if line.startswith("| ") and line[2].isdigit()]
    scores = [int(row.split("|")[1]) for row in rows]
    assert scores == [100, 90, 80, 70, 60, 50, 40, 30, 20, 10]
    edges = [row.split("|")[2].split()[0] for row in rows]
    assert edges == ["0", "1", "3", "5", "7", "9", "11", "13", "15", "18"]
