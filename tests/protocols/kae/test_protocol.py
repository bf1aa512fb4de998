"""KAE on pages in memory: what is read off them, what is asked, what comes of it."""

import asyncio

import pytest

from deepassay.models.ask import OfflineAsker
from deepassay.models.operation import OffMenu
from deepassay.protocols.kae.key_points import (
    EXTRACT_POINTS,
    EXTRACTING,
    UNIFYING,
    PageForTask,
    Points,
    points_by_rule,
)
from deepassay.protocols.kae.protocol import Kae, cited_addresses
from deepassay.protocols.kae.relations import (
    JUDGE_POINTS,
    PointsOnReport,
    Relations,
    relations_by_rule,
)
from deepassay.protocols.protocol import RoleAskers, Sources
from deepassay.reports.report import Report
from deepassay.runfile import RunFile
from deepassay.score import Cause, Score, Unscored, from_json, to_json
from deepassay.sources.page import Failure
from tests.protocols.fact.web import Model, Web, case_of, scored

A, B, C = "https://a.example/1", "https://b.example/2", "https://c.example/3"
PROMPT = (
    "How much energy do grids store in batteries, and how did the solar output of grids change?"
)
REPORT = f"""# Storage

Grids stored 3.5 GW of energy in batteries in 2023 [1].
The solar output of grids fell by 9 % in Texas in 2022 [2].

## References

[1] Operator, {A}
[2] Ministry, {B}
"""
FILLING = "The operator issues its annual report in spring. Engineers inspect substations twice. "
PAGES = {
    A: FILLING + "Grids stored 3.5 GW of energy in batteries in 2023. "
    "Grids lose 7 % of the stored energy on average.",
    B: FILLING + "Grids stored 3.5 GW, of energy in batteries in 2023. "
    "The solar output of grids rose by 9 % in Texas in 2022.",
}
EXTRACT, UNIFY, JUDGE = "kae/extract_points", "kae/unify_points", "kae/judge_points"


def score(text=REPORT, pages=PAGES, protocol=None, prompt=PROMPT, **more):
    return asyncio.run(scored(protocol or Kae(), text, pages, prompt=prompt, **more))


def test_a_whole_report_is_scored_by_rule():
    outcome, model, web = score()
    verdicts = {item["item"]: item["verdict"] for item in outcome.details["items"]}
    assert verdicts == {
        "Grids stored 3.5 GW of energy in batteries in 2023.": "SUPPORTS",
        "Grids lose 7 % of the stored energy on average.": "OMITS",
        "The solar output of grids rose by 9 % in Texas in 2022.": "SUPPORTS",
    }
    assert outcome.value == pytest.approx(2 / 3)
    rates = [outcome.parts[rate] for rate in ("KSR", "KCR", "KOR")]
    assert rates == pytest.approx([2 / 3, 0, 1 / 3])
    assert outcome.tally == (2.0, 3.0) and outcome.bounds == (0.0, 1.0)
    assert outcome.details["items"][0]["urls"] == [A, B]  # unified across pages
    assert outcome.details["key_points"]["merged by text"] == 1
    assert from_json(to_json(outcome)) == outcome
    assert sorted(web.asked) == [A, B]
    assert [name for name, _ in model.asked] == [EXTRACT, EXTRACT, UNIFY, JUDGE]


def test_the_evidence_names_the_place_in_the_report():
    outcome, *_ = score()
    items = {item["item"][:9]: item for item in outcome.details["items"]}
    (place,) = items["The solar"]["places"]
    assert place["line"] == 4 and "fell by 9 %" in place["message"]


def test_all_addresses_that_a_report_cites_are_read_each_once():
    text = f"One [1]. Two [1]. See [this]({B}).\n\n## References\n\n[1] X, {A}\n[2] Y, {C}\n"
    assert cited_addresses(Report(text)) == (A, B, C)


def told(points, relation="OMITS"):
    """A model that reads these key points, leaves them apart and finds this relation to all."""

    def says(operation, inputs):
        if operation.name == EXTRACT:
            return {"points": [{"point": p, "spans": s} for p, s in points]}
        if operation.name == UNIFY:
            return {"groups": [[number + 1] for number in range(inputs.count)]}
        quotes = [] if relation == "OMITS" else ["Grids stored 3.5 GW"]
        one = {"reason": "so", "relation": relation, "quotes": quotes}
        return {"relations": {f"k{n}": one for n, _ in enumerate(inputs.points, start=1)}}

    return Model(says)


def test_a_key_point_whose_span_is_not_on_the_page_is_dropped_and_counted():
    points = [
        ("Stored.", ["Grids stored 3.5 GW of energy"]),
        ("Made up.", ["Grids stored 99 GW"]),
        ("No span.", []),
        ("Half.", ["not there", "inspect   substations"]),
    ]
    outcome, *_ = score(pages={A: PAGES[A]}, model=told(points))
    assert [item["item"] for item in outcome.details["items"]] == ["Stored.", "Half."]
    assert outcome.details["items"][1]["spans"] == ["inspect substations"]
    counts = outcome.details["key_points"]
    assert (counts["extracted"], counts["dropped"], counts["unified"]) == (2, 2, 2)
    assert "2 more were dropped" in outcome.details["summary"]


@pytest.mark.parametrize("number", [1, 2, 5])
def test_a_page_is_open_where_all_key_points_that_were_given_of_it_are_dropped(number):
    made_up = [(f"Made up {n}.", [f"Grids stored {n} GW in all"]) for n in range(number)]
    outcome, *_ = score(model=told(made_up))
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.ANSWER_UNREADABLE
    assert "2 of 2 cited pages were read" in outcome.detail
    assert f"none of the {number} key points given" in outcome.detail
    half = told([*made_up, ("Lose.", ["Grids lose 7 % of the stored energy"])])
    outcome, *_ = score(model=half)  # of one page a span stands, of the other none does
    assert isinstance(outcome, Score) and outcome.details["open"]
    kept = outcome.details["key_points"]
    assert (kept["read"], kept["failed"], kept["dropped"]) == (1, 1, number)


@pytest.mark.parametrize("made_up", [(1,), (0, 2), (2,), (0, 1, 2)])
def test_a_long_page_is_open_only_where_no_key_point_of_any_part_stands(made_up):
    text = "".join(f"Sentence {n} says that wind grew by {n} per cent. " for n in range(4000))
    asked = []

    def says(operation, inputs):
        if operation.name != EXTRACT:
            return told([]).says(operation, inputs)
        asked.append(inputs.page)
        stands = inputs.page[4000 : 4000 + 60]
        spans = ["nowhere on it"] if len(asked) - 1 in made_up else [stands]
        return {"points": [{"point": f"Point {len(asked)}.", "spans": spans}]}

    outcome, *_ = score(pages={A: text}, model=Model(says))
    assert len(asked) == 3
    if len(made_up) == 3:
        assert outcome.cause is Cause.ANSWER_UNREADABLE and "none of the 3 key" in outcome.detail
        return
    kept = outcome.details["key_points"]
    assert (kept["read"], kept["extracted"]) == (1, 3 - len(made_up))
    assert (kept["dropped"], kept.get("failed", 0)) == (len(made_up), 0)


def test_a_page_of_which_no_key_point_was_given_has_none_and_is_not_open():
    outcome, *_ = score(model=told([]))
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.MISSING_INPUT
    assert outcome.details["key_points"]["read"] == 2 and not outcome.details["open"]


def test_an_answer_without_any_span_that_stands_is_asked_again():
    inputs = PageForTask(language="en", page=PAGES[A], query=PROMPT)
    made_up = {"point": "x", "spans": ["nowhere"]}
    nothing = Points.model_validate({"points": [made_up, made_up]})
    assert "not one of the spans" in EXTRACT_POINTS.soft_check(inputs, nothing)
    assert not EXTRACT_POINTS.soft_check(inputs, Points(points=[]))
    stands = {"point": "x", "spans": ["Grids stored 3.5 GW"]}
    one = Points.model_validate({"points": [made_up, stands]})
    assert not EXTRACT_POINTS.soft_check(inputs, one)
    with pytest.raises(OffMenu, match="give 20 at most"):
        EXTRACT_POINTS.check(inputs, Points.model_validate({"points": [stands] * 21}))


@pytest.mark.parametrize(
    ("relation", "quotes", "said"),
    [
        ("SUPPORTS", [], "needs 1 to 3 quotes"),
        ("CONTRADICTS", ["Grids stored 9 GW"], "does not stand in the report"),
        ("SUPPORTS", ["Grids"] * 4, "needs 1 to 3 quotes"),
        ("SUPPORTS", ["Grids stored " * 100], "longer than"),
        ("OMITS", ["Grids stored"], "has no quotes"),
    ],
)
def test_what_the_report_is_said_to_say_is_looked_up(relation, quotes, said):
    inputs = PointsOnReport(language="en", report=REPORT, query=PROMPT, points=("a",))
    one = {"reason": "so", "relation": relation, "quotes": quotes}
    answer = Relations.model_validate({"relations": {"k1": one}})
    JUDGE_POINTS.check(inputs, answer)
    assert said in JUDGE_POINTS.quotes(inputs, answer)


def test_every_key_point_gets_a_relation_and_no_other_does():
    inputs = PointsOnReport(language="en", report=REPORT, query=PROMPT, points=("a", "b"))
    one = {"reason": "so", "relation": "OMITS", "quotes": []}
    for keys, said in ((["k1"], "no relation for k2"), (["k1", "k2", "k3"], "nobody asked for k3")):
        with pytest.raises(OffMenu, match=said):
            answer = Relations.model_validate({"relations": dict.fromkeys(keys, one)})
            JUDGE_POINTS.check(inputs, answer)


@pytest.mark.parametrize(("together", "questions"), [(1, 3), (2, 2), (20, 1)])
def test_key_points_are_judged_in_batches(together, questions):
    outcome, model, _ = score(protocol=Kae(together=together))
    assert len(model.questions(JUDGE)) == questions
    assert outcome.tally == (2.0, 3.0)


def test_a_page_is_read_once_for_all_agents_of_a_task():
    async def once(run, agent, text):
        sources = Sources(Web(PAGES), run.verdicts)
        case = case_of(text, prompt=PROMPT, agent=agent)
        return await Kae().score(case, RoleAskers.alone(OfflineAsker(run)), sources)

    with RunFile.in_memory() as run:
        asyncio.run(once(run, "alpha", REPORT))
        assert len(run.answers()) == 4
        asyncio.run(once(run, "beta", REPORT + "\nMore."))
        assert len(run.answers()) == 5  # the report is another one, its pages are not


def test_a_long_page_is_read_in_windows_and_its_overlap_counts_once():
    before, after = "Nothing of the matter.\n" * 3430, "Nothing of the matter.\n" * 1000
    point = "Grids lose 7 % of the stored energy on average."
    outcome, model, _ = score(pages={A: f"{before}\n{point}\n\n{after}"})
    windows = model.questions(EXTRACT)
    assert [point in each.page for each in windows] == [True, True]
    assert [item["item"] for item in outcome.details["items"]] == [point]
    assert outcome.details["key_points"]["merged by text"] == 1


def test_a_report_too_long_for_the_judge_is_read_in_windows():
    long = REPORT.replace("## Ref", "Filling without any meaning. " * 9000 + "\n\n## Ref")

    def says(operation, inputs):
        if operation.name == JUDGE and len(inputs.report) > 200_000:
            return Cause.CONTEXT_OVERFLOW
        return None

    outcome, model, _ = score(long, model=Model(says))
    assert len(model.questions(JUDGE)) > 2
    assert outcome.parts == score()[0].parts


@pytest.mark.parametrize(
    ("failure", "open_", "again"),
    [
        (Failure.GONE, False, True),
        (Failure.REDIRECTED_HOME, False, True),
        (Failure.REFUSED, False, True),
        (Failure.BLOCKED, True, False),
        (Failure.SCRIPT_ONLY, True, False),
        (Failure.PAYWALLED, True, False),
        (Failure.NOT_ARCHIVED, True, False),
        (Failure.NOT_TEXT, True, False),
    ],
)
def test_a_page_that_was_not_read_is_counted_and_open_unless_it_is_gone(failure, open_, again):
    outcome, *_ = score(pages={**PAGES, A: failure})
    assert outcome.details["key_points"][str(failure)] == 1
    assert (outcome.details["open"], outcome.details["again"]) == (open_, again)
    assert (outcome.details["low"] < outcome.details["high"]) == open_


def test_a_page_whose_key_points_nobody_reads_is_open():
    def says(operation, inputs):
        return (
            Cause.ANSWER_UNREADABLE if operation.name == EXTRACT and "lose" in inputs.page else None
        )

    outcome, *_ = score(model=Model(says))
    assert outcome.details["key_points"]["failed"] == 1 and outcome.details["open"]
    everything, *_ = score(model=Model(lambda *_: Cause.ANSWER_UNREADABLE))
    assert isinstance(everything, Unscored) and everything.cause is Cause.ANSWER_UNREADABLE


def test_key_points_that_nobody_judges_are_open():
    def says(operation, inputs):
        return Cause.TIMEOUT if operation.name == JUDGE and "7 %" in inputs.points[0] else None

    outcome, *_ = score(protocol=Kae(together=1), model=Model(says))
    assert isinstance(outcome, Score)
    assert outcome.parts["KSR"] == 1.0 and outcome.parts["KOR"] == 0.0
    causes = {item["item"]: item.get("cause") for item in outcome.details["items"]}
    assert causes["Grids lose 7 % of the stored energy on average."] == "timeout"
    assert outcome.details["open"]


@pytest.mark.parametrize("operation", [EXTRACT, UNIFY, JUDGE])
def test_where_the_budget_ends_there_is_no_outcome_yet(operation):
    outcome, *_ = score(
        model=Model(lambda asked, _: Cause.BUDGET if asked.name == operation else None)
    )
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.BUDGET


def test_a_report_that_cites_nothing_is_unscored_and_nobody_is_asked():
    outcome, model, web = score("Grids stored 3.5 GW in 2023.")
    assert isinstance(outcome, Unscored) and outcome.cause is Cause.MISSING_INPUT
    assert not model.asked and not web.asked


def test_by_rule_a_page_about_something_else_has_no_key_point():
    inputs = PageForTask(language="en", page=FILLING * 50, query=PROMPT)
    assert points_by_rule(inputs).points == []


def test_by_rule_titles_are_no_key_points_and_reference_lists_say_nothing():
    page = "Solar output of grids and energy in batteries in Texas\n\n" + FILLING
    assert points_by_rule(PageForTask(language="en", page=page, query=PROMPT)).points == []
    listed = f"# Storage\n\nSo it is [1].\n\n## References\n\n[1] Grids stored 3.5 GW, {A}\n"
    inputs = PointsOnReport(
        language="en", report=listed, query=PROMPT, points=("Grids stored 3.5 GW.",)
    )
    assert relations_by_rule(inputs).relations["k1"].relation == "OMITS"


def test_by_rule_chinese_pages_are_read_too():
    page = "公司每年春天发布年报。电网在二〇二三年用电池储存了3.5吉瓦的电能。食堂的菜很好吃。"
    inputs = PageForTask(language="zh", page=page, query="电网用电池储存多少电能？")
    (point,) = points_by_rule(inputs).points
    assert "3.5吉瓦" in point.point


def test_its_operations_have_fitting_prompts():
    for operation in Kae().operations():
        operation.verify()


def test_the_recipe_names_how_key_points_are_read_and_merged():
    assert Kae().rules == {"extracting": EXTRACTING, "unifying": UNIFYING}
