import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.curate.arena.inspira import INSPIRE, PassageOfTalk
from deepassay.curate.arena.inspiration import KINDS, QUALITIES, REQUIRED
from deepassay.models.reading import Unreadable, read
from tests.curate.arena.seminars import MUSSELS, WEIRS

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
