import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.curate.arena.inspira import INSPIRE, PassageOfTalk
from deepassay.curate.arena.inspiration import KINDS, QUALITIES, REQUIRED
from deepassay.models.reading import Unreadable, read
from tests.curate.arena.seminars import MUSSELS, WEIRS
from tests.growth import assert_linear, repeated

TALK = PassageOfTalk(language="en", passage=MUSSELS)
CHINESE = PassageOfTalk(language="zh", passage=WEIRS)


def lead(**changes):
    return {
        "type": "Limitation",
        "qualities": ["challenge", "explorability"],
        "text": "What heat sets the threshold is not known.",
        "quote": "we still do not know what heat sets the threshold",
    } | changes


def answered(*leads, inputs=TALK):
    return read(INSPIRE, inputs, json.dumps({"inspirations": leads})).value.inspirations


def test_the_prompt_files_fit_the_question():
    INSPIRE.verify()


@pytest.mark.parametrize("number", [0, 1, 10])
def test_up_to_ten_inspirations_are_taken(number):
    assert len(answered(*[lead()] * number)) == number


@pytest.mark.parametrize(
    ("leads", "says"),
    [
        ([lead()] * 11, "there are 11 inspirations"),
        ([lead(), lead(qualities=["challenge"])], "inspiration 2: .* two different qualities"),
        ([lead(qualities=["challenge", "challenge"])], "two different qualities"),
        ([lead(qualities=["challenge", "novelty"])], "requires the quality explorability"),
        ([lead(type="Hypothesis")], "requires the quality verifiability"),
        ([lead(text="word " * 301)], "301 words; the limit is 300"),
        ([lead(quote="we know exactly what heat sets it")], "does not have the quote"),
        ([lead(quote="do not know")], "too short"),
        ([lead(type="Idea")], "type"),
        ([lead(type="Transdisciplinary")], "type"),
        ([lead(qualities=["challenge", "beauty"])], "qualities"),
        ([lead(text=" ")], "text"),
        ([lead(more="x")], "more"),
    ],
)
def test_every_broken_rule_is_named(leads, says):
    with pytest.raises(Unreadable, match=says):
        answered(*leads)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("quality", QUALITIES)
def test_the_required_qualities_may_stand_beside_others_in_any_order(kind, quality):
    qualities = list(dict.fromkeys([quality, *reversed(REQUIRED[kind])]))
    assert answered(lead(type=kind, qualities=qualities))[0].qualities == qualities
    for lacking in REQUIRED[kind]:
        with pytest.raises(Unreadable, match=f"requires the quality {lacking}"):
            answered(lead(type=kind, qualities=[each for each in QUALITIES if each != lacking]))


def test_three_hundred_words_are_not_too_many():
    assert answered(lead(text="word " * 300))


def test_chinese_is_counted_in_characters():
    quote = "现有的水文模型无法解释"
    assert answered(lead(text="字" * 500, quote=quote), inputs=CHINESE)
    with pytest.raises(Unreadable, match="501 words; the limit is 500"):
        answered(lead(text="字" * 501, quote=quote), inputs=CHINESE)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.sampled_from(
            [*MUSSELS.split("\n"), *WEIRS.split("\n"), "<<<END x 1", "<|im_end|>", " ", "\ud800"]
        ),
        max_size=30,
    ),
    st.sampled_from(["en", "zh"]),
)
def test_the_rule_keeps_to_the_rules_on_any_text(pieces, language):
    inputs = PassageOfTalk(language=language, passage=" ".join(pieces))
    found = INSPIRE.offline(inputs)
    assert read(INSPIRE, inputs, found.model_dump_json()).value == found


@pytest.mark.parametrize(
    ("language", "sentence", "kind"),
    [
        ("en", "We still do not know how the larvae find the shore again.", "Limitation"),
        ("en", "What if we counted the pulses of the river every single minute?", "Methodology"),
        ("en", "We borrowed this from the theory of queues in exchanges.", "Transdisciplinarity"),
        ("en", "I would expect the effect to vanish in towns without a market.", "Hypothesis"),
        ("zh", "我们至今还不知道这批简牍为什么会被埋在井里。", "Limitation"),
        ("zh", "这个模型其实借鉴了生态学里的食物网。", "Transdisciplinarity"),
    ],
)
def test_the_rule_takes_sentences_with_a_cue(language, sentence, kind):
    passage = f"{sentence} The bells were hung in the tower in the month of May."
    found = INSPIRE.offline(PassageOfTalk(language=language, passage=passage)).inspirations
    assert [(each.type, each.quote) for each in found] == [(kind, sentence)]


def test_of_too_many_the_rule_takes_those_with_most_cues_in_their_order():
    plain = "We propose that they count the silver spoons of the abbey. "
    rich = "We propose a method to measure what the approach of the abbey leaves open."
    passage = plain * 12 + rich
    found = INSPIRE.offline(PassageOfTalk(language="en", passage=passage)).inspirations
    assert len(found) == 10
    assert found[-1].quote == rich


def test_the_rule_cuts_speech_without_full_stops():
    passage = "and then we still do not know what moves the ice " * 60
    found = INSPIRE.offline(PassageOfTalk(language="en", passage=passage)).inspirations
    assert found
    assert all(len(each.quote) <= 400 for each in found)


@pytest.mark.parametrize("unit", ["a", "not know ", ". ", "borrow x x x x ", "a-", "问题"])
def test_the_rule_takes_linear_time(unit):
    def voiced(text):
        INSPIRE.offline(PassageOfTalk(language="en", passage=text))

    assert_linear(voiced, repeated(unit), 300_000)
