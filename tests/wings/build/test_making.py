import json

import pytest

from deepassay.models.ask import Answer, OfflineAsker
from deepassay.models.reading import Unreadable, read_reply
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import DIMENSIONS, Criteria
from deepassay.wings.build.yardsticks.race_criteria import devise_criteria

TASK = Task(id="a", prompt="Why is the sky blue?")
FOUR = [{"criterion": f"c{n}", "explanation": "e", "weight": 0.25} for n in range(4)]


def shares(*weights):
    return dict(zip(DIMENSIONS, weights, strict=True))


class Scripted:
    """An asker that reads its answers from a script: the weights by repeat, the criteria by name.

    What cannot be read is Unscored, as after the last attempt.
    """

    def __init__(self, weights, **criteria):
        self._weights, self._criteria = weights, criteria
        self.identity = {"model": "scripted"}
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append((operation.name, repeat))
        if operation.name == "criteria/weigh":
            given = {"analysis": "a", "weights": self._weights[repeat]}
        else:
            given = {"analysis": "a", "criteria": self._criteria.get(inputs.dimension, FOUR)}
        if isinstance(given.get("weights"), Unscored):
            return given["weights"]
        try:
            return Answer(read_reply(operation, inputs, json.dumps(given)).value, "key", "scripted")
        except Unreadable as problem:
            return Unscored(Cause.ANSWER_UNREADABLE, str(problem))


@pytest.mark.asyncio
async def test_weights_are_the_mean_of_the_samples_and_criteria_are_asked_once():
    maker = Scripted([shares(0.3, 0.4, 0.2, 0.1)] * 2 + [shares(0.3, 0.34, 0.2, 0.16)])
    made = await devise_criteria(TASK, maker, samples=3)
    assert made.dimension_weight == shares(0.3, 0.38, 0.2, 0.12)
    assert all(len(made.criterions[name]) == 4 for name in DIMENSIONS)
    assert sorted(maker.asked) == [("criteria/devise", 0)] * 4 + [
        ("criteria/weigh", repeat) for repeat in range(3)
    ]


@pytest.mark.asyncio
async def test_a_step_without_an_answer_leaves_the_task_without_criteria():
    maker = Scripted([shares(0.3, 0.4, 0.2, 0.1)] * 5, insight=FOUR[:2])
    made = await devise_criteria(TASK, maker)
    assert isinstance(made, Unscored)
    assert made.cause is Cause.ANSWER_UNREADABLE
    assert made.detail.startswith("insight: ")


@pytest.mark.asyncio
async def test_the_released_program_leaves_out_samples_that_it_cannot_use():
    maker = Scripted([shares(0.3, 0.4, 0.2, 0.1), shares(0.9, 0.9, 0.9, 0.9)])
    made = await devise_criteria(TASK, maker, samples=2, edition="code")
    assert isinstance(made, Criteria)
    assert made.dimension_weight == shares(0.3, 0.4, 0.2, 0.1)
    assert isinstance(await devise_criteria(TASK, maker, samples=2), Unscored)


@pytest.mark.parametrize(
    ("weights", "criteria", "says"),
    [
        ([shares(0.336, 0.336, 0.326, 0.002)], {}, "greater than or equal to 0"),
        ([shares("0.3", "0.4", "0.2", "0.1")], {}, "cannot be averaged"),
        ([shares(0.9, 0.9, 0.9, 0.9)], {}, "no sample"),
        ([shares(0.3, 0.4, 0.2, 0.1)], {"insight": []}, "lacks insight"),
    ],
)
@pytest.mark.asyncio
async def test_what_the_released_program_makes_may_be_of_no_use(weights, criteria, says):
    made = await devise_criteria(TASK, Scripted(weights, **criteria), samples=1, edition="code")
    assert isinstance(made, Unscored)
    assert says in made.detail


@pytest.mark.asyncio
async def test_a_maker_that_cannot_be_reached_is_no_sample_left_out():
    away = Unscored(Cause.JUDGE_UNREACHABLE, "down for the night")
    maker = Scripted([shares(0.3, 0.4, 0.2, 0.1), away])
    for edition in ("paper", "code"):
        made = await devise_criteria(TASK, maker, samples=2, edition=edition)
        assert made == Unscored(Cause.JUDGE_UNREACHABLE, "weights: down for the night")


@pytest.mark.asyncio
async def test_half_a_character_in_a_criterion_can_be_written_down():
    odd = [{**each, "criterion": each["criterion"] + "\ud800"} for each in FOUR]
    maker = Scripted([shares(0.3, 0.4, 0.2, 0.1)], insight=odd)
    made = await devise_criteria(TASK, maker, samples=1, edition="code")
    assert [each.criterion for each in made.criterions["insight"]] == [
        "c0\ufffd",
        "c1\ufffd",
        "c2\ufffd",
        "c3\ufffd",
    ]


@pytest.mark.parametrize("edition", ["paper", "code"])
@pytest.mark.asyncio
async def test_the_rule_makes_the_same_criteria_in_both_editions(edition):
    task = Task(id="b", prompt="天空为什么是蓝色的？请比较各种解释。")
    with RunFile.in_memory() as run:
        made = await devise_criteria(task, OfflineAsker(run), edition=edition)
    assert isinstance(made, Criteria)
    assert "天空" in made.criterions["insight"][0].criterion
    assert sum(round(100 * each) for each in made.dimension_weight.values()) == 100


def test_an_item_of_the_vectors_lacks_the_dimension_that_never_validates(shared):
    path = shared / "golden/bench/clean_and_criteria.json"
    item = json.loads(path.read_text("utf-8"))["item_dimension_never_validates"]
    assert "comprehensiveness" not in item["criterions"]
    fields = {name: item[name] for name in ("dimension_weight", "criterions")}
    with pytest.raises(ValueError, match="lacks comprehensiveness"):
        Criteria.model_validate(fields)
