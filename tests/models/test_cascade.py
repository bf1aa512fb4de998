"""A cascade asks the cheap judge first, and the judge about what is left."""

import asyncio
import json
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deepassay.errors import BadSetting
from deepassay.models.ask import Answer, ReplayAsker
from deepassay.models.cascade import Cascade, CascadeRule, CascadeStage
from deepassay.protocols.coverage import JUDGE_ITEMS
from deepassay.protocols.support import JUDGE_SUPPORT, PageAndStatements, Support, Supports
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored

ASKED = PageAndStatements(language="en", page="A page.", statements=("one", "two", "three"))


class Says:
    """An asker with a verdict for each statement, which keeps what it was asked."""

    def __init__(self, name, verdicts):
        self.identity = {"model": name}
        self.verdicts = verdicts
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0, most=None):
        self.asked.append(inputs.statements)
        if isinstance(self.verdicts, Unscored):
            return self.verdicts
        entries = [
            Support(statement=number, verdict=self.verdicts[each], quote=f"{each} by {self.name}")
            for number, each in enumerate(inputs.statements, start=1)
        ]
        return Answer(Supports(verdicts=entries[::-1]), "key", self.name)

    @property
    def name(self):
        return self.identity["model"]


def stage(asker, low=0.0, high=1.0, risk=0.05):
    return CascadeStage(
        model=asker.name, identity=asker.identity, low=low, high=high, risk=risk, saves=0.5, pairs=9
    )


@asynccontextmanager
async def cascading(tmp_path, judge, *stages, learnt=None):
    with RunFile.create(tmp_path / "run.assay") as run:
        rule = CascadeRule(
            learnt="judge" if learnt else "labels",
            judge=learnt,
            stages=tuple(stage for _, stage in stages),
        )
        yield Cascade(rule, [asker for asker, _ in stages], run).before(judge), run


def ask(tmp_path, judge, *stages):
    async def asking():
        async with cascading(tmp_path, judge, *stages) as (asker, run):
            first = await asker(JUDGE_SUPPORT, ASKED)
            again = await asker(JUDGE_SUPPORT, ASKED)
            replayed = None
            if not isinstance(first, Unscored):
                replayed = await ReplayAsker(run, asker.identity)(JUDGE_SUPPORT, ASKED)
            return first, again, replayed, asker.identity

    return asyncio.run(asking())


def test_what_is_sure_stands_and_the_judge_is_asked_about_the_rest(tmp_path):
    cheap = Says("cheap", {"one": "supported", "two": "unknown", "three": "unsupported"})
    judge = Says("judge", {"two": "supported"})
    first, again, replayed, identity = ask(tmp_path, judge, (cheap, stage(cheap)))
    assert [(e.statement, e.verdict, e.quote) for e in first.value.verdicts] == [
        (1, "supported", "one by cheap"),
        (2, "supported", "two by judge"),
        (3, "unsupported", "three by cheap"),
    ]
    assert (cheap.asked, judge.asked) == ([ASKED.statements], [("two",)])
    assert again.value == replayed.value == first.value
    assert identity["model"] == "cheap > judge"
    assert identity["risk"] == 0.05
    assert identity["stages"][0]["saves"] == 0.5


def test_each_stage_is_asked_what_those_before_leave(tmp_path):
    cheap = Says("cheap", {"one": "supported", "two": "unknown", "three": "unsupported"})
    small = Says("small", {"two": "unknown", "three": "unsupported"})
    judge = Says("judge", {"two": "unsupported"})
    first, *_, identity = ask(
        tmp_path, judge, (cheap, stage(cheap, low=None)), (small, stage(small, high=None))
    )
    assert small.asked == [("two", "three")]
    assert judge.asked == [("two",)]
    assert [each.verdict for each in first.value.verdicts] == [
        "supported",
        "unsupported",
        "unsupported",
    ]
    assert identity["risk"] == 0.1


def test_nobody_asks_the_judge_where_all_is_sure(tmp_path):
    cheap = Says("cheap", dict.fromkeys(ASKED.statements, "supported"))
    judge = Says("judge", {})
    ask(tmp_path, judge, (cheap, stage(cheap)))
    assert judge.asked == []


def test_where_the_cheap_judge_fails_all_goes_on_and_the_judges_failure_is_one(tmp_path):
    failed = Unscored(Cause.TIMEOUT, "late")
    cheap, judge = Says("cheap", failed), Says("judge", dict.fromkeys(ASKED.statements, "unknown"))
    first, *_ = ask(tmp_path, judge, (cheap, stage(cheap)))
    assert judge.asked == [ASKED.statements]
    assert {each.verdict for each in first.value.verdicts} == {"unknown"}
    second, again, *_ = ask(tmp_path / "other", Says("judge", failed), (cheap, stage(cheap)))
    assert second == again == failed


def test_one_that_was_learnt_with_others_is_refused(tmp_path):
    cheap = Says("cheap", {})
    moved = stage(cheap).model_copy(update={"identity": {"model": "cheap", "files": "abc"}})

    async def refused(judge, learnt, own):
        async with cascading(tmp_path, judge, (cheap, own), learnt=learnt):
            pass

    with pytest.raises(BadSetting, match="learnt with another cheap"):
        asyncio.run(refused(Says("judge", {}), None, moved))
    with pytest.raises(BadSetting, match="learnt on answers of other"):
        asyncio.run(refused(Says("judge", {}), {"model": "other"}, stage(cheap)))


def test_it_answers_nothing_but_what_pages_support(tmp_path):
    cheap = Says("cheap", {})

    async def asking():
        async with cascading(tmp_path, Says("judge", {}), (cheap, stage(cheap))) as (asker, _):
            await asker(JUDGE_ITEMS, ASKED)

    with pytest.raises(BadSetting, match="cannot answer coverage/"):
        asyncio.run(asking())


@pytest.mark.parametrize("text", ["", "{}", json.dumps({"cascade": 2}), "[]"])
def test_what_is_no_cascade_is_refused(tmp_path, text):
    path = Path(tmp_path, "c.json")
    path.write_text(text)
    with pytest.raises(BadSetting, match="is no cascade"):
        CascadeRule.of_file(path)
