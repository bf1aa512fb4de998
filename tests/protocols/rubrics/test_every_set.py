"""Every set of ours in both editions: what a prompt asks for is what is counted."""

import json
import re

import pytest

from deepassay.models.ask import Answer
from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.rubrics.menus import CriteriaByMenu, questions_of
from deepassay.protocols.rubrics.protocol import Rubrics
from deepassay.protocols.rubrics.released_sets import released_score
from deepassay.protocols.rubrics.setting import setting_of
from deepassay.reports.report import Report
from deepassay.score import Score
from deepassay.tasks.set_tables import published_sets
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import Criterion
from tests.protocols.judges import NO_SOURCES

JUDGED = [name for name, each in published_sets().items() if each.setting]
"""Sets that say how reports are judged."""

RELEASED = [name for name in JUDGED if setting_of(name).code is not None]
"""Those whose program was released."""

EITHER = [*((name, "paper") for name in JUDGED), *((name, "code") for name in RELEASED)]
COUNTS_NUMBERS = {"drb2", "deepresearcheval-criteria"}
GIVEN = {
    "none": ["verdict"],
    "reason": ["reason", "verdict"],
    "quote": ["reason", "verdict", "quotes"],
}
TEXTS = ("The pump makes 61 decibels", "The hull costs 40,000 euros", "A name of the shipyard")
REPORT = Report("# Pumps\n\nThe pump makes 61 decibels. The hull costs 40,000 euros.\n")


class Obedient:
    """Answers exactly in the form that the prompt shows: the first verdict there, to the last
    criterion the last.
    """

    def __init__(self):
        self.prompts, self.forms = [], []

    async def __call__(self, operation, inputs, *, repeat=0):
        prompt = operation.render(inputs, "salt").text
        form = prompt[prompt.rindex('{"verdicts": {') :].partition("\n")[0]
        fields = re.search(r'"r1": \{(.*?)\}', form)[1]
        menu = re.search(r'"verdict": (.*?)(?:, "quotes"|\Z)', fields)[1]
        words = [json.loads(each) for each in re.split(" or | 或 ", menu)]
        names = re.findall(r'"(\w+)": ', fields)
        said = {"reason": "as it seems", "quotes": []}
        verdicts = {
            f"r{number}": {n: said.get(n, words[-1 if TEXTS[2] in each else 0]) for n in names}
            for number, each in enumerate(inputs.criteria, start=1)
        }
        self.prompts.append(prompt)
        self.forms.append((names, words))
        raw = json.dumps({"verdicts": verdicts})
        return Answer(read_reply(operation, inputs, raw).value, "key", "scripted")


class ByRule:
    """The offline judge."""

    async def __call__(self, operation, inputs, *, repeat=0):
        return Answer(operation.offline(inputs), "key", "by rule")


async def scored(judge, name, edition, language="en"):
    rubric = tuple(
        Criterion(criterion=text, weight=1, importance="vital", within=("form",)) for text in TEXTS
    )
    case = Case(Task(id="a", prompt="How loud is it?", language=language, rubric=rubric), REPORT)
    protocol = Rubrics(set=name, edition=edition)
    return await protocol.score(case, RoleAskers.alone(judge), NO_SOURCES)


def test_sets_are_there_in_both_editions():
    assert len(JUDGED) > 12 and len(RELEASED) > 8
    assert {*RELEASED} >= COUNTS_NUMBERS


@pytest.mark.asyncio
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", RELEASED)
async def test_who_answers_in_the_form_is_counted_alike_in_both_editions(name, language):
    paper = await scored(Obedient(), name, "paper", language)
    code = await scored(Obedient(), name, "code", language)
    assert isinstance(paper, Score) and paper.value > 0
    assert code.value == pytest.approx(paper.value, abs=0.005)


@pytest.mark.asyncio
@pytest.mark.parametrize(("name", "edition"), EITHER)
async def test_the_offline_judge_has_a_score_in_every_set(name, edition):
    outcome = await scored(ByRule(), name, edition)
    assert isinstance(outcome, Score) and outcome.value > 0


@pytest.mark.asyncio
@pytest.mark.parametrize(("name", "edition"), EITHER)
async def test_the_form_has_the_fields_that_the_prompt_wants_and_no_other(name, edition):
    judge = Obedient()
    await scored(judge, name, edition)
    wanted = setting_of(name).evidence
    assert {tuple(names) for names, _ in judge.forms} == {tuple(GIVEN[wanted])}
    assert all(f"What to give with a verdict: {wanted}." in each for each in judge.prompts)


@pytest.mark.asyncio
@pytest.mark.parametrize(("name", "edition"), EITHER)
async def test_numbers_are_asked_for_where_a_program_counts_nothing_else(name, edition):
    judge = Obedient()
    await scored(judge, name, edition)
    numbers = edition == "code" and name in COUNTS_NUMBERS
    assert {type(word) for _, words in judge.forms for word in words} == {int if numbers else str}
    assert all(("as a bare number" in each) == numbers for each in judge.prompts)


@pytest.mark.parametrize("name", ["drb2", "mr-dre", "finder"])
def test_a_verdict_with_a_field_that_its_set_does_not_ask_for_is_refused(name):
    setting = setting_of(name)
    asked = {"menu": "", "wanted": setting.evidence, "query": None, "blocked": None}
    inputs = CriteriaByMenu(language="en", report="r", criteria=TEXTS[:1], **asked)
    verdict = {"reason": "so", "verdict": next(iter(setting.menu)), "quotes": []}
    fields = GIVEN[setting.evidence]
    taken = {"verdicts": {"r1": {each: verdict[each] for each in fields}}}
    read_reply(questions_of(setting).whole, inputs, json.dumps(taken))
    for besides in {*verdict, "note"} - {*fields}:
        more = {"verdicts": {"r1": taken["verdicts"]["r1"] | {besides: verdict.get(besides, "x")}}}
        with pytest.raises(Unreadable, match=f"r1.{besides}: Extra inputs"):
            read_reply(questions_of(setting).whole, inputs, json.dumps(more))


@pytest.mark.asyncio
@pytest.mark.parametrize("name", RELEASED)
async def test_a_score_has_one_scale_in_both_editions(name):
    paper, code = [await scored(Obedient(), name, edition) for edition in ("paper", "code")]
    assert code.bounds == paper.bounds
    assert code.bounds[0] <= code.value <= code.bounds[1]


def counted(name, weights, said):
    rubric = [Criterion(criterion=f"c{n}", weight=each) for n, each in enumerate(weights)]
    return released_score(rubric, said, setting_of(name))


def test_the_ends_of_a_released_score_follow_its_faults_and_are_rounded_as_it_is():
    assert counted("mr-dre", [3, -2, -2], ["0", "1", "1"]).bounds == pytest.approx((-4 / 3, 1))
    assert counted("healthbench", [7, -3], ["true", "true"]).bounds == pytest.approx((-3 / 7, 1))
    worst = counted("researcherbench", [3, 1, -1], ["No", "No", "Yes"])
    assert (worst.value, worst.bounds) == (-0.3333, (-0.3333, 1.3333))


def test_a_number_that_a_program_believed_may_carry_a_score_past_its_ends():
    assert counted("mr-dre", [1, 1], [0.7, 0]).bounds == (0, 1)
    beyond = counted("mr-dre", [1, 1], [7, 0])
    assert (beyond.value, beyond.bounds) == (3.5, None)


def test_a_report_without_criteria_has_the_scale_of_its_set():
    nothing = counted("key-points", [], [])
    assert (nothing.value, nothing.bounds) == (0, (0, 100))
