"""Sets of others in edition `paper`: what the judge is told, what it may say, what comes of it."""

import json

import pytest

from deepassay.errors import BadSetting
from deepassay.models.ask import Answer
from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.registry import parse
from deepassay.protocols.rubrics.criteria import keys_of
from deepassay.protocols.rubrics.menus import in_words
from deepassay.protocols.rubrics.protocol import Rubrics
from deepassay.protocols.rubrics.setting import setting_of
from deepassay.protocols.rubrics.trees import gated, storeys
from deepassay.reports.report import Report
from deepassay.score import Cause, Unscored
from deepassay.tasks.set_tables import published_sets
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import Criterion
from tests.protocols.judges import NO_SOURCES

REPORT = Report("# Ferries\n\nThe ferry makes **61 decibels** at ten metres.\n")


class ByText:
    """Says of each criterion what it is told to, by the first line of its text."""

    def __init__(self, said):
        self.said, self.asked = said, []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append((operation, inputs))
        verdicts = {}
        for key, text in keys_of(inputs.criteria).items():
            verdict = self.said[text.partition("\n")[0]]
            if isinstance(verdict, Unscored):
                return verdict
            verdicts[key] = {"verdict": verdict}
            if operation.gives.__name__ != "BareChoices":
                verdicts[key]["reason"] = "as it seems"
            if operation.gives.__name__ == "QuotedChoices":
                verdicts[key]["quotes"] = []
        raw = json.dumps({"verdicts": verdicts})
        return Answer(read_reply(operation, inputs, raw).value, "key", "scripted")


class Narrow(ByText):
    """Cannot take a whole report; of its parts it gathers by rule."""

    def __init__(self, said):
        super().__init__(said)
        self.identity = {"context_window": 2_000}

    async def __call__(self, operation, inputs, *, repeat=0):
        if operation.name == "rubrics/judge_by_menu":
            return Unscored(Cause.CONTEXT_OVERFLOW, "too long")
        if operation.name == "rubrics/gather_evidence":
            self.asked.append((operation, inputs))
            return Answer(operation.offline(inputs), "key", "by rule")
        return await super().__call__(operation, inputs, repeat=repeat)


def task_of(*criteria, **fields):
    return Task(id="a", prompt="How loud is it?", rubric=criteria, **fields)


async def scored(name, task, said, **options):
    judge = ByText(said)
    protocol = Rubrics(set=name, **options)
    outcome = await protocol.score(Case(task, REPORT), RoleAskers.alone(judge), NO_SOURCES)
    return outcome, judge


def plain(*texts, **fields):
    return tuple(Criterion(criterion=text, weight=1, **fields) for text in texts)


@pytest.mark.asyncio
async def test_bench_ii_asks_fifty_at_a_time_with_what_is_blocked_and_the_bare_request():
    texts = [f"item {n}" for n in range(60)]
    blocked = {"title": "The source", "authors": ["A. Body"], "urls": ["https://x.org/a"]}
    task = task_of(*plain(*texts), request="How loud?", blocked=blocked)
    said = dict.fromkeys(texts[:30], "1") | dict.fromkeys(texts[30:45], "0")
    outcome, judge = await scored("drb2", task, said | dict.fromkeys(texts[45:], "-1"))
    assert outcome.value == 0.5
    assert outcome.parts["blocked_rate"] == 0.25
    assert [len(inputs.criteria) for _, inputs in judge.asked] == [50, 10]
    _, first = judge.asked[0]
    assert first.query == "How loud?"
    assert first.blocked == "The source\nA. Body\nhttps://x.org/a"
    prompt = judge.asked[0][0].render(first, "salt").text
    assert "The source" in prompt and '- "-1": ' in prompt
    assert '"verdict": "1" or "0" or "-1"' in prompt


@pytest.mark.asyncio
async def test_what_a_set_does_not_show_is_not_in_the_prompt():
    outcome, judge = await scored("finder", task_of(*plain("p", "q")), {"p": "Yes", "q": "No"})
    operation, inputs = judge.asked[0]
    prompt = operation.render(inputs, "salt").text
    assert "How loud is it?" not in prompt and '"reason"' not in prompt.partition("Answer with")[2]
    assert (outcome.value, outcome.tally) == (50, (100, 2))
    assert Rubrics(set="finder").describe().pools


@pytest.mark.asyncio
async def test_a_weight_is_shown_where_the_set_shows_it_and_a_sign_alone_where_it_shows_that():
    fault = Criterion(criterion="Invents a law", weight=-4)
    assert "Weight: -4" in in_words(fault, setting_of("healthbench"), "en")
    assert "权重：-4" in in_words(fault, setting_of("healthbench"), "zh")
    told = in_words(fault, setting_of("mr-dre"), "en")
    assert "fault" in told and "4" not in told
    assert in_words(fault, setting_of("draco"), "en") == "Invents a law"


@pytest.mark.asyncio
async def test_a_word_off_the_menu_goes_back_to_the_judge():
    with pytest.raises(Unreadable, match="'Maybe' for r1: give one of Yes, No"):
        await scored("researcherbench", task_of(*plain("p")), {"p": "Maybe"})


@pytest.mark.asyncio
async def test_numbers_and_booleans_are_the_words_of_the_menu_that_they_spell():
    outcome, _ = await scored("mr-dre", task_of(*plain("p", "q")), {"p": 1.0, "q": 0.5})
    assert outcome.value == 0.75
    outcome, _ = await scored("healthbench", task_of(*plain("p")), {"p": True})
    assert outcome.value == 1


@pytest.mark.asyncio
async def test_a_verdict_that_does_not_come_leaves_bounds_and_no_zero():
    criteria = (*plain("p", "q"), Criterion(criterion="r", weight=2))
    lost = Unscored(Cause.TIMEOUT, "too late")
    outcome, _ = await scored(
        "researcherbench", task_of(*criteria), {"p": "Yes", "q": "No", "r": lost}
    )
    assert outcome.value == 0.5
    assert (outcome.details["low"], outcome.details["high"]) == (0.25, 0.75)
    nothing, _ = await scored("researcherbench", task_of(*criteria), dict.fromkeys("pqr", lost))
    assert (nothing.cause, nothing.detail) == (Cause.TIMEOUT, "3 of 3 criteria are open: too late")


@pytest.mark.asyncio
async def test_a_report_that_is_too_long_is_judged_in_windows_by_the_same_menu():
    task = task_of(*plain("The ferry makes 61 decibels", "q"), request="How loud?")
    judge = Narrow({"The ferry makes 61 decibels": "1", "q": "-1"})
    report = Report(f"{REPORT.text}\n\n" + "Nothing of note was written down there. " * 2_000)
    case = Case(task, report)
    outcome = await Rubrics(set="drb2").score(case, RoleAskers.alone(judge), NO_SOURCES)
    assert (outcome.value, outcome.parts["blocked_rate"]) == (0.5, 0.5)
    assert outcome.details["windows"] > 1
    decision, inputs = judge.asked[-1]
    assert decision.name == "rubrics/judge_by_menu_on_evidence"
    assert inputs.query == "How loud?" and '- "-1": ' in inputs.menu
    assert any("61 decibels" in each.quote for each in inputs.evidence)


@pytest.mark.asyncio
async def test_what_does_not_apply_leaves_both_sums():
    said = {"p": "1", "q": "-1", "r": "0"}
    outcome, _ = await scored("mr-dre-presentation", task_of(*plain(*said)), said)
    assert outcome.value == 0.5
    assert [each["score"] for each in outcome.details["items"]] == [1, None, 0]
    none, _ = await scored("mr-dre-presentation", task_of(*plain("q")), {"q": "-1"})
    assert isinstance(none, Unscored)


@pytest.mark.asyncio
async def test_a_criterion_with_marks_of_its_own_counts_by_them():
    graded = Criterion(criterion="p", weight=4, grades={"Yes": 4.0, "Partial": 1.0, "No": 0.0})
    inverted = Criterion(criterion="q", weight=3, grades={"No": 3.0, "Yes": 0.0})
    said = {"p": "Partial", "q": "No"}
    outcome, judge = await scored("rigorous", task_of(graded, inverted), said)
    assert outcome.value == pytest.approx(4 / 7)
    assert "Verdicts for this one: No, Yes" in judge.asked[1][1].criteria[0]
    with pytest.raises(Unreadable, match="'Partial' for r1: give one of No, Yes"):
        await scored("rigorous", task_of(inverted), {"q": "Partial"})


@pytest.mark.asyncio
async def test_a_clipped_score_has_the_unclipped_one_beside_it():
    criteria = (*plain("p"), Criterion(criterion="q", weight=-500, axis="facts"))
    outcome, _ = await scored("draco", task_of(*criteria), {"p": "MET", "q": "MET"})
    assert (outcome.value, outcome.bounds) == (0, (0, 100))
    assert outcome.parts["unclipped"] == -49_900


@pytest.mark.asyncio
async def test_importance_and_strictness_are_parts_and_one_is_the_score():
    criteria = (*plain("p", "q", importance="vital"), *plain("r", importance="okay"))
    said = {"p": "support", "q": "partial_support", "r": "not_support"}
    outcome, _ = await scored("nuggets", task_of(*criteria), said)
    assert outcome.value == outcome.parts["strict vital"] == 0.5
    assert outcome.parts["vital"] == 0.75 and outcome.parts["all"] == 0.5
    assert outcome.parts["strict all"] == pytest.approx(1 / 3)
    no_vital, _ = await scored("nuggets", task_of(criteria[2]), said)
    assert isinstance(no_vital, Unscored)


def test_a_critical_node_that_fails_takes_what_it_stands_in_with_it():
    def leaf(*within, critical=False):
        return Criterion(id="x", criterion="x", weight=1, within=within, critical=critical)

    entries = [leaf("root", "a", critical=True), leaf("root", "a"), leaf("root", "b")]
    assert gated(entries, [1, 0, 1]) == 0.5
    assert gated(entries, [0, 1, 1]) == 0.5
    assert gated([leaf("root!", "a!"), leaf("root!", "b")], [0, 1]) == 0
    in_order = [leaf("root>"), leaf("root>"), leaf("root>")]
    assert gated(in_order, [1, 0, 1]) == pytest.approx(1 / 3)
    assert gated([leaf(critical=True), leaf(critical=True)], [1, 1]) == 1


def test_a_mean_of_means_weighs_nodes_alike_and_drops_the_empty():
    def item(*within):
        return Criterion(criterion="x", weight=1, within=within)

    entries = [item("d", "k"), item("d", "k"), item("d", "m"), item("e", "n")]
    assert storeys(entries, [1, 2, 5, None], [1] * 4) == pytest.approx(3.25)
    assert storeys(entries, [1, 2, 5, 8], [1] * 4) == pytest.approx((3.25 + 8) / 2)
    assert storeys(entries, [None] * 4, [1] * 4) is None


def test_a_set_is_an_option_and_research_rubrics_is_the_set_where_none_is_named():
    assert str(Rubrics(set="researchrubrics", together=1)) == "rubrics"
    assert str(Rubrics(set="drb2", together=50)) == "rubrics(set='drb2')"
    (parsed,) = parse("rubrics(set='drb2', together=5)")
    assert (parsed.setting.together, str(parsed)) == (5, "rubrics(set='drb2', together=5)")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"set": "nosuch"}, "There is no set 'nosuch'"),
        ({"set": "drb3"}, "Did you mean drb2?"),
        ({"set": "drb2", "scale": "binary"}, "no such scale"),
        ({"set": "draco", "edition": "code"}, "no edition 'code'"),
        ({"set": "drb2", "together": 51}, "cannot be asked at once"),
    ],
)
def test_a_set_that_is_none_is_refused(options, said):
    with pytest.raises(BadSetting) as caught:
        Rubrics(**options)
    assert said in str(caught.value)


OWN = """
title = "Ours"
measures = "what we want"
licence = "ours"
source = "here"
ours = "all of it"

[layout]
columns = ["task", "wants.what"]
prompt = "task"
criteria = "wants"
text = "what"

[setting]
weights = "equal"

[setting.menu]
"there" = {merit = 1, en = "it is there"}
"absent" = {merit = 0, en = "it is not"}
"""


@pytest.mark.asyncio
async def test_a_file_is_a_set_too(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(OWN)
    outcome, _ = await scored(str(path), task_of(*plain("p", "q")), {"p": "there", "q": "absent"})
    assert outcome.value == 0.5


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "Ours"', "", "title: is missing"),
        ('text = "what"', 'txt = "what"', "layout.txt: unknown field"),
        (
            'weights = "equal"',
            'weights = "some"',
            "setting.weights: is unknown; there are: 'file' or 'equal'",
        ),
        ('weights = "equal"', 'headline = "nix"', "setting.headline: 'nix' is no part"),
        (
            'weights = "equal"',
            'strict = true\nimportance = true\nrates = {r = "absent"}\nheadline = "nix"',
            "There are: all, vital, okay, strict all, strict vital, strict okay, r; or leave it",
        ),
        ("merit = 1", 'merit = "1"', "setting.menu.there.merit: is not a number"),
        ('weights = "equal"', 'rates = {r = "gone"}', "'gone' is not on the menu"),
        ("[setting]", "[setting", "cannot be read"),
    ],
)
def test_what_is_wrong_with_a_file_of_a_set_is_said(tmp_path, old, new, said):
    path = tmp_path / "own.toml"
    path.write_text(OWN.replace(old, new, 1))
    with pytest.raises(BadSetting) as caught:
        Rubrics(set=str(path))
    assert said in str(caught.value)


def test_every_menu_is_told_in_both_languages(subtests):
    for name in published_sets():
        with subtests.test(name):
            menu = setting_of(name).menu.values()
            english = [each for each in menu if each.en]
            assert english == [each for each in menu if each.zh]


SHAPED = """
title = "Ours"
measures = "what we want"
licence = "ours"
source = "here"
ours = "all of it"

[setting]
shape = "storeys"
together = 0
evidence = "reason"

[setting.menu]
"yes" = {merit = 1}
"partly" = {merit = 0.5}
"no" = {merit = 0}
"""


def weighed(**within):
    return tuple(
        Criterion(id=f"{name}{n}", criterion=f"{name}{n}", weight=weight, within=(name,))
        for name, weights in within.items()
        for n, weight in enumerate(weights)
    )


async def by_shape(tmp_path, criteria, said, **changes):
    text = SHAPED
    for name, value in changes.items():
        text = text.replace("[setting]", f'[setting]\n{name} = "{value}"', 1)
    if "shape" in changes:
        text = text.replace('\nshape = "storeys"', "")
    path = tmp_path / "own.toml"
    path.write_text(text)
    outcome, _ = await scored(str(path), task_of(*criteria), said)
    return outcome


@pytest.mark.asyncio
async def test_each_storey_is_divided_as_a_flat_set_is(tmp_path):
    criteria = weighed(a=(3, 1, -2), b=(2,))
    said = {"a0": "yes", "a1": "no", "a2": "yes", "b0": "partly"}
    outcome = await by_shape(tmp_path, criteria, said)
    assert outcome.value == pytest.approx(((3 - 2) / 4 + 0.5) / 2)
    assert outcome.parts["a"] == pytest.approx(1 / 4)
    outcome = await by_shape(tmp_path, criteria, said, over="all")
    assert outcome.value == pytest.approx(((3 - 2) / 2 + 0.5) / 2)


@pytest.mark.asyncio
async def test_a_storey_below_zero_is_a_score_within_bounds_that_follow_the_set(tmp_path):
    criteria = weighed(a=(2, -3), b=(1,))
    said = {"a0": "no", "a1": "yes", "b0": "no"}
    outcome = await by_shape(tmp_path, criteria, said)
    assert (outcome.value, outcome.bounds) == (-0.75, (-0.75, 1))
    clipped = await by_shape(tmp_path, criteria, said, clip="report")
    assert (clipped.value, clipped.bounds, clipped.parts["unclipped"]) == (0, (0, 1), -0.75)
    lost = Unscored(Cause.TIMEOUT, "too late")
    opened = await by_shape(tmp_path, criteria, dict.fromkeys(said, lost) | {"a1": "yes"})
    assert isinstance(opened, Unscored)


@pytest.mark.parametrize(("worst", "value"), [("yes", (1 - 0.6) / 1), ("no", 1.0)])
@pytest.mark.asyncio
async def test_a_storey_of_faults_alone_is_a_fault(tmp_path, worst, value):
    criteria = weighed(a=(2,), faults=(-3, -2))
    outcome = await by_shape(tmp_path, criteria, {"a0": "yes", "faults0": worst, "faults1": "no"})
    assert outcome.value == pytest.approx(value)
    assert outcome.bounds == (-1, 1)


def test_a_tree_of_faults_alone_has_no_score():
    faults = weighed(a=(-1,), b=(-2,))
    assert storeys(faults, [1, 1], [-1, -2]) is None


@pytest.mark.asyncio
async def test_what_a_shape_cannot_count_is_said(tmp_path):
    outcome = await by_shape(tmp_path, weighed(a=(2, -2), b=(3,)), {}, over="all")
    assert "the weights in a sum to no more than 0" in outcome.detail
    for weights in ((1, 2), (1, -1)):
        outcome = await by_shape(tmp_path, weighed(a=weights), {}, shape="gate")
        assert 'shape = "gate" counts all criteria alike' in outcome.detail
    alike = await by_shape(tmp_path, weighed(a=(2, 2)), {"a0": "yes", "a1": "no"}, shape="gate")
    assert alike.value == 0.5


@pytest.mark.asyncio
async def test_a_flat_set_whose_menu_leaves_0_and_1_has_bounds_of_its_own(tmp_path):
    path = tmp_path / "own.toml"
    text = SHAPED.replace('shape = "storeys"', "").replace(
        '"no" = {merit = 0}', '"no" = {merit = -4}'
    )
    path.write_text(text)
    outcome, _ = await scored(str(path), task_of(*plain("p", "q")), {"p": "no", "q": "no"})
    assert (outcome.value, outcome.bounds) == (-4, (-4, 1))
