import asyncio
import json

import pytest

from deepassay.errors import BadSetting
from deepassay.models.ask import Answer
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.race.cleaning import CLEAN, CLEAN_AS_RELEASED
from deepassay.protocols.race.protocol import Race
from deepassay.protocols.race.questions import COMPARE, GRADE, VANILLA
from deepassay.protocols.race.released import COMPARE_AS_RELEASED
from deepassay.protocols.registry import ABLATIONS, parse
from deepassay.reports.report import Report
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import DIMENSIONS
from tests.protocols.judges import ByRule, Silent
from tests.protocols.race.marks import Judge, criteria_of, sheet

TARGET = Report("# Mine\n\nThe target says much [1].\n\n## References\n\n1. https://a.example/1\n")
REFERENCE = Report("# Other\n\nThe reference says more.\n", agent="other")
TASK = Task(id="7", prompt="What is the case?", criteria=criteria_of())
CASE = Case(TASK, TARGET, 0, REFERENCE)
MARKS = {"target": [8, 4, 4, 8, 6, 6, 2, 2], "reference": [6, 6, 8, 8, 6, 6, 4, 8]}
FULLER = """# What insight 1 means

Prices rise because demand grew by 12 % in 2021, while supply did not.
That is what comprehensiveness 2 means.

## Where the case stands

- Rents follow after nine months; therefore tenants in cities pay 300 more a year.
- Builders hesitate, although credit is cheap: the permits of 2019 took 14 months.

## What readability 2 means for the answer

However, if permits came sooner, prices would fall. The risk is a glut, as in 2008.
"""
FULL = 5.7 / (5.7 + 6.5)


def scored(race, case=CASE, judge=None, **roles):
    judge = judge or Judge(MARKS)
    asked = RoleAskers(judge, judge, roles.get("cleaner", judge), judge, judge)
    return asyncio.run(race.score(case, asked, None))


def test_the_report_is_held_against_the_reference_on_the_criteria_of_its_task():
    judge = Judge(MARKS)
    found = scored(Race(), judge=judge)
    assert found.value == pytest.approx(FULL)
    assert set(found.parts) == set(DIMENSIONS)
    [(operation, inputs, repeat)] = judge.asked
    assert (operation, repeat) == (COMPARE, 0)
    assert "target" in inputs.article_1
    assert "reference" in inputs.article_2
    assert inputs.query == TASK.prompt


def test_citations_are_taken_out_of_both_articles_before():
    judge = Judge(MARKS)
    cited = Report("The reference says more [2].\n\n## Sources\n\n2. https://b.example/2\n")
    scored(Race(), Case(TASK, TARGET, 0, cited), judge)
    [(_, inputs, _)] = judge.asked
    assert inputs.article_1.strip() == "# Mine\n\nThe target says much."
    assert inputs.article_2.strip() == "The reference says more."
    scored(Race(cleaning="none"), Case(TASK, TARGET, 0, cited), judge)
    assert judge.asked[1][1].article_1 == TARGET.text


@pytest.mark.parametrize("position", ["second", "both"])
def test_the_position_of_the_report_changes_the_question_and_not_whose_marks_they_are(position):
    judge = Judge(MARKS)
    found = scored(Race(position=position), judge=judge)
    assert found.value == pytest.approx(FULL)
    assert found.details["items"][0]["score"] == 8
    assert "target" in judge.asked[-1][1].article_2
    places = {"second": ["second"], "both": ["first", "second"]}[position]
    assert found.details["position"] == places
    assert len(judge.asked) == len(places)


def test_both_positions_average_what_a_judge_says_of_each():
    class Partial(Judge):  # the article that stands first gets more
        def _mark(self, article):
            return 0

        async def __call__(self, operation, inputs, *, repeat=0):
            answer = sheet(TASK.criteria, article_1_score=8, article_2_score=4)
            return Answer(operation.gives.model_validate(answer), "key", "partial")

    assert scored(Race(), judge=Partial({})).value == pytest.approx(2 / 3)
    assert scored(Race(position="second"), judge=Partial({})).value == pytest.approx(1 / 3)
    assert scored(Race(position="both"), judge=Partial({})).value == pytest.approx(1 / 2)


def test_a_failure_in_one_position_is_a_failure():
    failure = Unscored(Cause.TIMEOUT, "too late")
    for race in (Race(), Race(position="both"), Race(reference=False), Race(vanilla=True)):
        assert scored(race, judge=Silent(failure)) == failure
    assert scored(Race(edition="code"), judge=Silent(failure)) == failure


@pytest.mark.parametrize(
    ("race", "name", "value"),
    [
        (Race(), "race", FULL),
        # means of dimensions without weights: 6, 6, 6, 2 against 6, 8, 6, 6
        (Race(criteria_weights=False), "race(criteria_weights=False)", 5.6 / (5.6 + 6.6)),
        # with weights: 7, 5, 6, 2 against 6, 8, 6, 5
        (Race(dimension_weights=False), "race(dimension_weights=False)", 20 / (20 + 25)),
        (
            Race(criteria_weights=False, dimension_weights=False),
            "race(criteria_weights=False, dimension_weights=False)",
            20 / (20 + 26),
        ),
        (Race(reference=False), "race(reference=False)", 0.57),
        (Race(position="second"), "race(position='second')", FULL),
        (Race(position="both"), "race(position='both')", FULL),
    ],
)
def test_every_ablation_counts_the_same_marks_in_its_own_way(race, name, value):
    assert str(race) == name
    assert name in ABLATIONS
    assert scored(race).value == pytest.approx(value)


def test_the_ablations_are_those_of_the_paper_and_both_positions():
    assert len(set(ABLATIONS)) == len(ABLATIONS) == 9
    assert {str(Race(criteria="static")), str(Race(vanilla=True))} < set(ABLATIONS)


def test_without_a_reference_the_judge_sees_one_article():
    judge = Judge(MARKS)
    scored(Race(reference=False), Case(TASK, TARGET), judge)
    [(operation, inputs, _)] = judge.asked
    assert operation is GRADE
    assert "reference" not in inputs.model_dump_json()


def test_the_plain_baseline_asks_for_one_mark_and_shows_no_criteria():
    judge = Judge({"target": 7.5})
    bare = Task(id="7", prompt="What is the case?")
    found = scored(Race(vanilla=True), Case(bare, TARGET), judge)
    assert found.value == 0.75
    assert found.parts == {}
    [(operation, inputs, _)] = judge.asked
    assert operation is VANILLA
    assert set(type(inputs).model_fields) == {"language", "article", "query"}


def test_static_criteria_keep_the_weights_of_the_tasks_dimensions():
    judge = Judge({"target": 8, "reference": 4})
    found = scored(Race(criteria="static"), judge=judge)
    assert found.value == pytest.approx(2 / 3)
    assert found.details["dimension_weight"] == pytest.approx(TASK.criteria.dimension_weight)
    assert {item["weight"] for item in found.details["items"]} == {0.25}
    assert "insight 1" not in judge.asked[0][1].criteria.model_dump_json()


def test_static_criteria_without_weights_of_dimensions_need_nothing_of_the_task():
    bare = Task(id="7", prompt="问题是什么？")
    case = Case(bare, TARGET, 0, REFERENCE)
    judge = Judge({"target": 8, "reference": 4})
    found = scored(Race(criteria="static", dimension_weights=False), case, judge)
    assert found.value == pytest.approx(2 / 3)
    assert "覆盖范围" in judge.asked[0][1].criteria.model_dump_json()
    assert scored(Race(criteria="static"), case).cause == Cause.MISSING_INPUT


def test_a_task_without_criteria_is_unscored_and_told_how_to_make_them():
    bare = Task(id="7", prompt="What is the case?")
    found = scored(Race(), Case(bare, TARGET, 0, REFERENCE))
    assert found.cause == Cause.MISSING_INPUT
    assert "deepassay tasks criteria" in found.detail


def test_a_report_without_a_reference_is_unscored_and_told_how_to_name_one():
    found = scored(Race(), Case(TASK, TARGET))
    assert found.cause == Cause.MISSING_INPUT
    assert "--reference" in found.detail


def test_a_report_that_is_its_own_reference_has_parity_and_nobody_is_asked():
    judge = Judge(MARKS)
    found = scored(Race(), Case(TASK, TARGET, 0, Report(TARGET.text + "\n")), judge)
    assert (found.value, judge.asked) == (0.5, [])
    assert "own reference" in found.details["not_asked"]


def test_edition_code_asks_the_same_question_and_counts_as_the_program_does():
    class Careless(Judge):  # leaves a criterion out
        async def __call__(self, operation, inputs, *, repeat=0):
            answer = self._answer(inputs)
            answer["insight"].pop()
            return Answer(operation.gives(answer), "key", "careless")

    plain = scored(Race(edition="code"))
    assert plain.value == pytest.approx(FULL, abs=1e-12)
    assert plain.details["quirks"] == []
    found = scored(Race(edition="code"), judge=Careless(MARKS))
    target, reference = 5.7 - 0.3 * 5 + 0.3 * 4, 6.5
    assert found.value == pytest.approx(target / (target + reference), abs=1e-12)
    assert found.details["quirks"]
    inputs = Judge(MARKS)
    scored(Race(), judge=inputs)
    prompts = [op.render(inputs.asked[0][1], "s") for op in (COMPARE, COMPARE_AS_RELEASED)]
    assert prompts[0] == prompts[1]
    assert COMPARE.digest("en") != COMPARE_AS_RELEASED.digest("en")


@pytest.mark.parametrize(
    "options",
    [
        {"position": "third"},
        {"criteria": "own"},
        {"cleaning": "by hand"},
        {"vanilla": True, "reference": False},
        {"vanilla": True, "criteria": "static"},
        {"vanilla": True, "criteria_weights": False},
        {"vanilla": True, "position": "both"},
        {"reference": False, "position": "second"},
        {"criteria": "static", "criteria_weights": False},
        {"edition": "code", "reference": False},
        {"edition": "code", "position": "second"},
        {"edition": "code", "dimension_weights": False},
        {"edition": "code", "vanilla": True},
        {"edition": "code", "criteria": "static"},
    ],
)
def test_settings_that_make_no_sense_are_refused_with_a_remedy(options):
    with pytest.raises(BadSetting) as refusal:
        Race(**options)
    assert refusal.value.remedy


@pytest.mark.parametrize("cleaning", ["rules", "model", "none"])
def test_every_way_of_cleaning_goes_with_every_form(cleaning):
    for options in ({}, {"vanilla": True}, {"reference": False}, {"edition": "code"}):
        race = Race(cleaning=cleaning, **options)
        assert race.roles == (("judge", "cleaner") if cleaning == "model" else ("judge",))
        cleaners = {CLEAN, CLEAN_AS_RELEASED} & set(race.operations())
        assert bool(cleaners) == (cleaning == "model")


def test_each_form_names_the_question_that_it_asks():
    assert Race().operations() == (COMPARE,)
    assert Race(edition="code").operations() == (COMPARE_AS_RELEASED,)
    assert Race(reference=False).operations() == (GRADE,)
    assert Race(vanilla=True).operations() == (VANILLA,)
    assert Race(cleaning="model").operations() == (COMPARE, CLEAN)
    assert Race(cleaning="model", edition="code").operations()[1] is CLEAN_AS_RELEASED


def test_the_basis_holds_what_decides_the_score_and_nothing_else():
    basis = Race().basis(CASE)
    assert set(basis) == {"criteria", "reference"}
    assert basis["reference"] == REFERENCE.digest
    assert set(Race(reference=False).basis(CASE)) == {"criteria"}
    assert Race(vanilla=True).basis(CASE) == {}
    other = TASK.model_copy(update={"criteria": criteria_of(insight=[0.5, 0.5])})
    assert Race().basis(Case(other, TARGET, 0, REFERENCE))["criteria"] != basis["criteria"]
    static = Race(criteria="static")
    assert static.basis(CASE) == static.basis(Case(other, TARGET, 0, REFERENCE))
    assert Race().basis(Case(Task(id="7", prompt="?"), TARGET)) == {}


def test_without_a_model_a_fuller_report_has_more_than_half():
    full, poor = Report(FULLER), Report("Nothing much.")
    for race in (Race(), Race(position="both"), Race(edition="code")):
        found = scored(race, Case(TASK, full, 0, poor), ByRule())
        assert isinstance(found, Score)
        assert found.value > 0.5
    alone = [
        scored(Race(reference=False), Case(TASK, each), ByRule()).value for each in (full, poor)
    ]
    plain = [scored(Race(vanilla=True), Case(TASK, each), ByRule()).value for each in (full, poor)]
    assert alone[0] > alone[1]
    assert plain[0] > plain[1]


def test_without_a_model_equal_articles_are_at_parity_in_either_place():
    same = Report("# A title\n\nSome sentence, because of something.\n\n[1]: https://a.example")
    other = Report("# A title\n\nSome sentence, because of something.")
    assert scored(Race(), Case(TASK, same, 0, other), ByRule()).value == pytest.approx(0.5)


def test_details_can_be_written_as_json():
    for name in (Race(), Race(position="both"), Race(reference=False), Race(edition="code")):
        json.dumps(scored(name).details)


def test_the_form_without_criteria_alone_carries_no_reading_of_the_offline_judge():
    blind = {str(form) for form in parse("race-ablations") if not form.describe().offline_reads}
    assert blind == {"race(vanilla=True)"}
