"""Answers of a study as a building step reads them."""

import asyncio

import pytest

from deepassay.runfile import Duty, Rating, RunFile
from deepassay.runfile.people_said import answered
from deepassay.runfile.questions import (
    TEXT,
    Choice,
    Item,
    Question,
    read_asked_items,
    to_json,
    write_items,
)

RATE = Question(
    protocol="check",
    item="c1",
    text="Is it clear?",
    menu=("yes", Choice(value="no", en="no", zh="否", version="must")),
    boxes=(TEXT,),
    given=({"text": "Is vapour named?"},),
)
ITEM = Item(task="rain", prompt="Why does it rain?", questions=(RATE,), barred=("eve",))


@pytest.fixture
def study(tmp_path):
    with RunFile.create(tmp_path / "study") as run:
        duties = [Duty("ana", 0, 0), Duty("bo", 0, 0)]
        run.annotating.begin({"raters": ["ana", "bo"]}, [to_json(ITEM)], duties)
        said = [
            Rating("1", "ana", 0, {"check/c1": "yes"}, at="t1"),
            Rating("2", "ana", 0, None, at="t2"),
            Rating("3", "ana", 0, {"check/c1": "no"}, lines={"check/c1": [{"text": "Is it?"}]}),
        ]
        for each in said:
            asyncio.run(run.annotating.keep(each))
    with RunFile.read(tmp_path / "study") as run:
        yield run


def test_what_counts_and_what_was_before(study):
    (now,) = answered(study)
    assert (now.rater, now.task, now.value, now.text) == ("ana", "rain", "no", "Is it?")
    before, after = answered(study, history=True)
    assert (before.value, before.counts, before.taken_back_at) == ("yes", False, "t2")
    assert after == now and now.counts


def test_items_are_the_same_after_a_file(tmp_path):
    write_items(tmp_path / "items.jsonl", [ITEM])
    assert read_asked_items(tmp_path / "items.jsonl") == [ITEM]
    (tmp_path / "items.yaml").write_text(
        "- task: rain\n  questions:\n    - {protocol: p, text: Is it?, menu: ['yes', 'no']}\n"
    )
    (item,) = read_asked_items(tmp_path / "items.yaml")
    assert item.questions[0].menu[1].en == "no"
