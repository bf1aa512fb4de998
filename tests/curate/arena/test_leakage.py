"""The leakage test itself: what a model is shown, what it said, and the averages."""

import asyncio
import json
import math

import pytest

from deepassay.curate.arena.leakage import (
    CONTINUE,
    Continuation,
    Prefix,
    Trial,
    as_json,
    continued,
    with_similarities,
)
from deepassay.curate.arena.leakage_tables import averages, write_leakage
from deepassay.curate.arena.similarity import similarities
from deepassay.models.ask import Answer, OfflineAsker
from deepassay.models.operation import Prose
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import Task

TASK = Task(id="hedges", prompt="Compare hedges and fences. Name the cost of both.")
PREFIX, SUFFIX = "Compare hedges and fences", ". Name the cost of both."
OPEN = Unscored(Cause.TIMEOUT, "too slow")


class Saying:
    """A model that says one thing."""

    def __init__(self, text):
        self.identity = {"model": "openai:parrot", "temperature": 0.1}
        self.text = text
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append((operation, inputs))
        return Answer(Prose(text=self.text), "key", "parrot-1")


def said(text, task=TASK):
    return asyncio.run(continued(task, Saying(text)))


def trial(text, model="m", task=TASK):
    return Trial(model, task, said(text, task))


def other(name, **labels):
    return TASK.model_copy(update={"id": name, "labels": {"language": "en", **labels}})


def test_a_model_is_shown_the_first_half_and_nothing_of_the_second():
    model = Saying("And so on.")
    found = asyncio.run(continued(TASK, model))
    assert model.asked == [(CONTINUE, Prefix(language="en", prefix=PREFIX))]
    shown = CONTINUE.render(model.asked[0][1], "salt")
    assert PREFIX in shown.material and "Name the cost" not in shown.text
    assert "JSON object" not in shown.system
    assert found == Continuation(PREFIX, SUFFIX, "And so on.", model.identity, "parrot-1")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f" {PREFIX}{SUFFIX}\n", SUFFIX),
        (f"{PREFIX} or walls", " or walls"),
        (PREFIX, PREFIX),
        ("Name it.", "Name it."),
    ],
)
def test_a_first_half_said_once_more_is_taken_off(text, kept):
    assert said(text).text == kept


def test_a_model_that_knows_the_task_is_found_out():
    knowing, guessing = with_similarities([trial(PREFIX + SUFFIX), trial("I cannot say.")])
    assert knowing.similarity.leaked and knowing.similarity.composite == 1
    assert not guessing.similarity.leaked


def test_a_prompt_that_cannot_be_cut_is_not_asked_about():
    model = Saying("x")
    found = asyncio.run(continued(Task(id="a", prompt="Why is the sky blue?"), model))
    assert found.cause is Cause.MISSING_INPUT and not model.asked


def test_offline_says_the_first_half_again_and_is_kept(tmp_path):
    with RunFile.create(tmp_path / "r") as run:
        first, again = (asyncio.run(continued(TASK, OfflineAsker(run))) for _ in range(2))
    assert first == again
    assert (first.text, first.served) == (PREFIX, "offline")


def test_tfidf_is_fitted_on_everything_of_the_run():
    texts = ["Name the price.", "Name the cost."]
    found = with_similarities([trial(text, model) for text, model in zip(texts, "mn", strict=True)])
    assert [each.similarity for each in found] == similarities([(SUFFIX, each) for each in texts])
    assert found[0].similarity != with_similarities([trial(texts[0])])[0].similarity


def test_averages_count_what_is_missing_and_say_how_far_off_they_may_be():
    trials = [trial(SUFFIX), trial("x", task=other("b")), Trial("m", other("c"), OPEN)]
    (whole, *_) = averages(with_similarities(trials))
    assert (whole.tested, whole.trials, whole.leaked, whole.share) == (2, 3, 1, 0.5)
    assert whole.composite == whole.string == whole.tfidf == whole.overlap == 0.5
    assert whole.low == pytest.approx(1 / 3) and whole.high == pytest.approx(2 / 3)


def test_averages_of_nothing_are_no_numbers():
    (whole, *_) = averages([Trial("m", TASK, OPEN)])
    assert (whole.tested, whole.share, whole.composite, whole.low, whole.high) == (
        0,
        None,
        None,
        0,
        1,
    )


def test_averages_by_label_and_over_all_models():
    law, art = other("l", discipline="law"), other("a", discipline="art")
    trials = with_similarities(
        [
            trial(text, model, task)
            for task in (law, art, TASK)
            for model, text in (("m", SUFFIX), ("n", "x"))
        ]
    )
    found = {(each.model, each.label, each.value): each for each in averages(trials)}
    assert found["m", "discipline", "law"].tested == 1
    assert found["m", "language", "en"].tested == 3
    assert found[None, "", ""].leaked == 3 and math.isclose(found[None, "", ""].composite, 0.5)
    assert next(key for key in found if key[1] == "discipline") == ("m", "discipline", "art")


@pytest.mark.parametrize("format", ["text", "markdown", "csv", "json"])
def test_tables_in_every_format(format):
    trials = with_similarities(
        [trial(SUFFIX, "openai:m"), Trial("openai:m", other("b\x1b[2J"), OPEN)]
    )
    written = write_leakage(trials, format)
    assert "openai:m" in written and "\x1b" not in written
    if format == "json":
        assert json.loads(written)["averages"][0]["composite"] == 1
    if format == "text":
        assert "openai:m: leaked hedges" in written
        assert "0.5000 to 1.0000" in written and "not tested 1 timeout" in written
        assert "temperature:0.1" in written


def test_leaked_tasks_are_listed_up_to_twenty():
    trials = with_similarities([trial(SUFFIX, task=other(f"t{n}")) for n in range(25)])
    assert "t19 and 5 others" in write_leakage(trials, "text")


def test_a_line_holds_the_texts_or_why_there_are_none():
    (done,) = with_similarities([trial(SUFFIX)])
    line = as_json(done)
    assert (line["prefix"], line["suffix"], line["continuation"]) == (PREFIX, SUFFIX, SUFFIX)
    assert line["composite"] == 1 and line["leaked"] is True and line["served"] == "parrot-1"
    failed = as_json(Trial("m", TASK, OPEN))
    assert (failed["cause"], failed["detail"]) == ("timeout", "too slow")
    assert "composite" not in failed
