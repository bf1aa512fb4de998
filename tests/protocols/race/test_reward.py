"""RACE as a reward model: arrangements, editions, Ties, what is missing."""

import asyncio
from itertools import permutations

import pytest

from deepassay.errors import BadSetting
from deepassay.models.ask import Answer
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.race.arithmetic import relative_share, totals
from deepassay.protocols.race.questions import COMPARE, COMPARE_FOUR, GRADE
from deepassay.protocols.race.reward import RaceReward
from deepassay.reports.report import Report
from deepassay.score import Cause, Score, Unscored
from deepassay.tasks.task import Completions, Task
from tests.protocols.race.marks import Judge, criteria_of, sheet

CRITERIA = criteria_of()
FOUR = Completions(chosen=("right",), rejected=("wrong a", "wrong b", "wrong c"))
TIED = Completions(chosen=("right a", "right b"), rejected=("wrong a",))
MARKS = {"right": [8, 4, 4, 8, 6, 6, 2, 2], "wrong a": 5, "wrong b": [6, 2] * 4, "wrong c": 1}
UNREAD = Unscored(Cause.ANSWER_UNREADABLE, "no JSON")


def case_of(completions=FOUR, subset="Math", identifier="7", repeat=0, reference=None):
    task = Task(
        id=identifier,
        prompt="What is it?",
        labels={"subset": subset},
        criteria=CRITERIA,
        completions=completions,
    )
    return Case(task, Report(completions.chosen[0]), repeat, reference)


class Comparing(Judge):
    """Marks each completion as it is told to, in every operation; some questions it leaves open."""

    def __init__(self, marks=MARKS, open_=lambda operation, inputs: None):
        super().__init__(marks)
        self.open = open_

    async def __call__(self, operation, inputs, *, repeat=0):
        if operation is COMPARE_FOUR:
            self.asked.append((operation, inputs, repeat))
            shown = {f"article_{n}": getattr(inputs, f"article_{n}") for n in range(1, 5)}
            columns = {f"{name}_score": self._mark(text) for name, text in shown.items()}
            answer = Answer(operation.gives.model_validate(sheet(CRITERIA, **columns)), "k", "j")
        else:
            answer = await super().__call__(operation, inputs, repeat=repeat)
        return self.open(operation, inputs) or answer


def scored(case, judge=None, **options):
    judge = judge or Comparing()
    return asyncio.run(RaceReward(**options).score(case, RoleAskers.alone(judge), None))


def overall(word, marks=MARKS):
    own = marks[word]
    return totals(CRITERIA, own if isinstance(own, list) else [own] * 8).overall


def test_together_is_one_question_whose_order_is_drawn_from_task_and_repeat():
    orders = set()
    for task, repeat in [(str(n), r) for n in range(6) for r in range(2)]:
        judge = Comparing()
        found = scored(case_of(identifier=task, repeat=repeat), judge)
        assert found.details["ratings"] == pytest.approx([overall(word) for word in MARKS])
        assert found.value == 1
        [(operation, inputs, asked)] = judge.asked
        assert (operation, asked) == (COMPARE_FOUR, repeat)
        orders.add(tuple(getattr(inputs, f"article_{n}") for n in range(1, 5)))
        again = Comparing()
        scored(case_of(identifier=task, repeat=repeat), again)
        assert again.asked[0][1] == inputs
    assert len(orders) > 6
    assert {order.index("right") for order in orders} == {0, 1, 2, 3}


def test_pairs_are_each_beside_each_in_both_orders():
    judge = Comparing()
    found = scored(case_of(), judge, arrangement="pairs")
    shown = {(i.article_1, i.article_2) for operation, i, _ in judge.asked if operation is COMPARE}
    assert shown == {*permutations(FOUR.every, 2)}
    assert len(judge.asked) == 12
    own = [relative_share(overall("right"), overall(other)) for other in FOUR.rejected]
    assert found.details["ratings"][0] == pytest.approx(sum(own) / 3)
    assert found.value == 1


def test_against_holds_each_beside_the_reference_as_race_does():
    judge = Comparing({**MARKS, "reference": 4})
    found = scored(case_of(reference=Report("reference")), judge, arrangement="against")
    assert [i.article_2 for _, i, _ in judge.asked] == ["reference"] * 4
    assert found.details["ratings"] == pytest.approx([relative_share(overall(w), 4) for w in MARKS])


def test_equals_share_and_a_wrong_one_ahead_counts_nothing():
    assert scored(case_of(), Comparing(dict.fromkeys(MARKS, 5))).value == 0.25
    assert scored(case_of(), Comparing({**MARKS, "wrong a": 9})).value == 0


@pytest.mark.parametrize("arrangement", ["together", "pairs", "against"])
def test_ties_are_marked_alone_whatever_the_arrangement(arrangement):
    judge = Comparing({"right a": 8, "right b": 6, "wrong a": 3})
    found = scored(case_of(TIED, "Ties", "tied:1"), judge, arrangement=arrangement)
    assert [operation for operation, _, _ in judge.asked] == [GRADE] * 3
    assert found.value == 1
    assert found.details["ratings"] == pytest.approx([8, 6, 3])
    assert found.details["correct"] == 2
    assert [each["key"] for each in found.details["items"]] == ["right 1", "right 2", "wrong 3"]


def unread(word, cause=Cause.ANSWER_UNREADABLE):
    def opened(operation, inputs):
        texts = [getattr(inputs, name, "") for name in ("article", "article_1", "article_2")]
        return Unscored(cause, "so") if word in texts else None

    return opened


@pytest.mark.parametrize("arrangement", ["pairs", "against"])
def test_an_unreadable_rating_leaves_the_prompt_open_or_counts_as_released(arrangement):
    judge = Comparing({**MARKS, "reference": 4}, unread("right"))
    case = case_of(reference=Report("reference"))
    assert scored(case, judge, arrangement=arrangement).cause == Cause.ANSWER_UNREADABLE
    code = scored(case, judge, arrangement=arrangement, edition="code")
    assert (code.value, code.details["ratings"][0]) == (0, -1)
    assert code.details["quirks"] == ["unreadable-rating"]
    assert code.details["items"][0]["score"] is None


@pytest.mark.parametrize("cause", [Cause.JUDGE_UNREACHABLE, Cause.BUDGET, Cause.TIMEOUT])
def test_what_may_still_be_answered_is_open_in_both_editions(cause):
    for arrangement in ("together", "pairs"):
        silent = Comparing(open_=lambda operation, inputs: Unscored(cause))
        assert scored(case_of(), silent, arrangement=arrangement, edition="code").cause == cause
    some = Comparing(open_=unread("wrong a", cause))
    assert scored(case_of(), some, arrangement="pairs", edition="code").cause == cause


def test_nothing_readable_is_a_quarter_as_released():
    judge = Comparing(open_=lambda operation, inputs: UNREAD)
    for arrangement in ("together", "pairs"):
        assert scored(case_of(), judge, arrangement=arrangement) == UNREAD
        found = scored(case_of(), judge, arrangement=arrangement, edition="code")
        assert (found.value, found.details["ratings"]) == (0.25, [-1] * 4)


def test_in_ties_a_wrong_one_that_is_unreadable_helps_as_released():
    judge = Comparing({"right a": 2, "right b": 2, "wrong a": 9}, unread("wrong a"))
    case = case_of(TIED, "Ties", "tied:1")
    assert scored(case, judge).cause == Cause.ANSWER_UNREADABLE
    assert scored(case, judge, edition="code").value == 1


def test_a_panel_is_the_mean_of_its_judges_and_of_their_ratings():
    one, other = (
        scored(case_of(TIED, "Ties", "tied:1"), Comparing({"right": marks, "wrong a": 5}))
        for marks in (9, 4)
    )
    found = RaceReward().combine({"one": one, "other": other, "third": UNREAD})
    assert found.value == 0.5
    assert found.details["ratings"] == pytest.approx([6.5, 6.5, 5])
    assert found.details["spread"]["scored"] == 2


def test_it_says_what_is_missing():
    bare = Task(id="1", prompt="p")
    assert "no completions" in RaceReward().lacks(Case(bare, Report("")))
    without = case_of().task.model_copy(update={"criteria": None})
    assert "tasks criteria" in RaceReward().lacks(Case(without, Report("")))
    against = RaceReward(arrangement="against")
    assert "--reference" in against.lacks(case_of())
    assert not against.lacks(case_of(TIED, "Ties", "ref:1"))
    assert scored(case_of(), arrangement="against").cause == Cause.MISSING_INPUT
    with pytest.raises(BadSetting, match="no such arrangement"):
        RaceReward(arrangement="beside")


def test_other_completions_are_another_recipe():
    other = Completions(chosen=("right",), rejected=("wrong a", "wrong b", "wrong d"))
    assert RaceReward().basis(case_of()) != RaceReward().basis(case_of(other))


def test_the_offline_rule_marks_all_four():
    case = case_of()
    inputs = Comparing()
    scored(case, inputs)
    [(operation, asked, _)] = inputs.asked
    answer = operation.offline(asked)
    operation.check(asked, answer)
    assert isinstance(scored(case, Comparing()), Score)
