import pytest

from deepassay.protocols.coverage import JUDGE_ITEMS, Coverage
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.registry import PROTOCOLS
from deepassay.reports.report import Report
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import Task

from .judges import NO_SOURCES, Scripted, Silent, verdicts

TASK = Task(id="t1", prompt="Which boats are quiet?", checklist=("Is the noise given?", "Why?"))
REPORT = Report("Electric ferries are quiet.")


async def scored(protocol, judge):
    return await protocol.score(Case(TASK, REPORT), RoleAskers.alone(judge), NO_SOURCES)


@pytest.mark.asyncio
async def test_the_score_is_the_share_of_the_checklist_that_is_delivered():
    judge = Scripted(verdicts(q1=1, q2=0))
    score = await scored(Coverage(), judge)
    assert (score.value, score.tally) == (50, (1, 2))
    assert score.parts == {"t1:Q1": 100, "t1:Q2": 0}
    assert [item["item"] for item in score.details["items"]] == list(TASK.checklist)
    ((operation, inputs, _),) = judge.asked
    assert operation is JUDGE_ITEMS
    assert inputs.checklist == TASK.checklist


@pytest.mark.asyncio
async def test_edition_code_adds_up_items_that_nobody_asked_for():
    score = await scored(Coverage("code"), Scripted(verdicts(q1=1, q2=1, q3=1)))
    assert score.value == 150
    assert score.parts == {"t1:Q1": 100, "t1:Q2": 100}


@pytest.mark.asyncio
@pytest.mark.parametrize("edition", ["paper", "code"])
async def test_a_failed_judgement_is_handed_on_with_its_cause(edition):
    timeout = Unscored(Cause.TIMEOUT)
    assert await scored(Coverage(edition), Silent(timeout)) is timeout


def test_the_checklist_is_part_of_what_a_score_rests_on():
    other = TASK.model_copy(update={"checklist": ("Is the noise given?",)})
    assert Coverage().basis(Case(TASK, REPORT)) != Coverage().basis(Case(other, REPORT))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_prompt_numbers_the_items_and_shows_the_report_first(language):
    inputs = JUDGE_ITEMS.takes(
        language=language, report=REPORT.text, query=TASK.prompt, checklist=TASK.checklist
    )
    text = JUDGE_ITEMS.render(inputs, "salt").text
    assert text.index(REPORT.text) < text.index(TASK.prompt) < text.index("1. Is the noise given?")
    assert "2. Why?" in text


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_prompt_file_fits_its_operation_in_both_languages(name):
    options = [{"edition": edition} for edition in PROTOCOLS[name].editions]
    options += [{"mechanical": True}] if name == "presentation" else []
    for each in options:
        for operation in PROTOCOLS[name](**each).operations():
            operation.verify()
            assert operation.digest("en") != operation.digest("zh")
