import json
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.ask import OfflineAsker
from deepassay.models.reading import Unreadable, read_reply
from deepassay.models.usage import cuts_by_tokens
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from deepassay.wings.build.arena.inspira import (
    FILTER,
    INSPIRE,
    OVERLAP,
    WINDOW,
    InspirationAndQuote,
    PassageOfTalk,
    inspirations_of,
)
from deepassay.wings.build.arena.inspiration import KINDS, REQUIRED, Quality
from tests.growth import assert_linear, repeated
from tests.wings.build.seminars import MUSSELS, WEIRS, Scripted, seminar

TALK = PassageOfTalk(language="en", passage=MUSSELS)
CHINESE = PassageOfTalk(language="zh", passage=WEIRS)
QUALITIES = get_args(Quality)


def lead(**changes):
    return {
        "type": "Limitation",
        "qualities": ["challenge", "explorability"],
        "text": "What heat sets the threshold is not known.",
        "quote": "we still do not know what heat sets the threshold",
    } | changes


def answered(*leads, inputs=TALK):
    return read_reply(INSPIRE, inputs, json.dumps({"inspirations": leads})).value.inspirations


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


@settings(deadline=None, max_examples=60)
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
    assert read_reply(INSPIRE, inputs, found.model_dump_json()).value == found


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

    assert_linear(voiced, repeated(unit), 100_000)


# ------------------------------------------------------------------ filter


def decided(text, language="en"):
    inputs = InspirationAndQuote(language=language, quote=text, inspiration=text)
    return FILTER.offline(inputs)


def test_the_prompt_files_fit_the_question_of_the_filter():
    FILTER.verify()


def test_a_verdict_is_on_the_menu_and_has_a_reason():
    inputs = InspirationAndQuote(language="en", quote="q", inspiration="i")
    for wrong in ({"verdict": "good", "reason": "r"}, {"verdict": "usable", "reason": ""}):
        with pytest.raises(Unreadable):
            read_reply(FILTER, inputs, json.dumps(wrong))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "We still do not know which temperature inside the mussel sets the threshold."),
        ("en", "I would expect shores with whelks to recover slowly, since whelks eat settlers."),
        ("zh", "我猜测这可能是因为上游森林的砍伐使泥沙增加，泥沙反而保护了坝基。"),
    ],
)
def test_an_idea_about_a_subject_is_usable(language, text):
    assert decided(text, language).verdict == "usable"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The problem is the microphone, can you hear me in the back now?"),
        ("en", "What if we could, you know, do the thing that they did there?"),
        ("zh", "如果我们可以那样，会不会？"),
    ],
)
def test_what_names_no_subject_has_no_academic_content(language, text):
    sifted = decided(text, language)
    assert sifted.verdict == "no_academic_content"
    assert "key words" in sifted.reason


def test_what_stammers_is_incoherent():
    text = "the glacier the glacier " * 20 + "moves when spring water lifts bedrock boulders"
    assert decided(text).verdict == "incoherent"


# ------------------------------------------------------------------ extraction


USABLE = '{"reason": "it names its subject", "verdict": "usable"}'
FILLING = "\n".join(f"We counted the shells of shore number {n} in the rain." for n in range(900))


def voiced(quote, text):
    return {
        "type": "Limitation",
        "qualities": ["challenge", "explorability", "challenge"],
        "text": text,
        "quote": quote,
    }


def leads(*found):
    return json.dumps({"inspirations": found})


@pytest.mark.asyncio
async def test_an_inspiration_keeps_its_words_and_their_time():
    heat = voiced("we still  do not know what heat", "What heat\nsets it is unknown.")
    maker = Scripted(inspire=lambda inputs: leads(heat), filter=lambda inputs: USABLE)
    transcript = seminar()
    (one,) = await inspirations_of(transcript, maker)
    assert one.id == "mussels-1"
    assert one.quote == transcript.text[one.start : one.end] == "we still do not know what heat"
    assert (one.time, one.transcript, one.language, one.dropped) == (20, "mussels", "en", None)
    assert one.qualities == ("challenge", "explorability")
    assert one.text == "What heat sets it is unknown."


@pytest.mark.asyncio
async def test_a_long_talk_is_read_in_windows_and_what_two_of_them_show_is_one_lead():
    transcript = seminar(FILLING)
    cuts = list(cuts_by_tokens(transcript.text, WINDOW, OVERLAP))
    shared = [transcript.text[start : start + OVERLAP].splitlines()[3] for start, _ in cuts[1:]]
    seen = []

    def inspire(inputs):
        seen.append(inputs.passage)
        number = len(seen)
        first, *_, last = inputs.passage.splitlines()[1:-1]
        own = f"How rain moves the shells near the start of part {number}."
        both = [
            voiced(line, f"Whether the sea sorts pebbles by weight is not known of {at} shores.")
            for at, line in enumerate(shared, 1)
            if line in inputs.passage
        ]
        return leads(voiced(first, own), voiced(last, f"{own} It is the last."), *both)

    maker = Scripted(inspire=inspire, filter=lambda inputs: USABLE)
    found = await inspirations_of(transcript, maker)
    assert len(seen) == len(cuts) >= 2
    assert seen[1][:OVERLAP] == seen[0][-OVERLAP:]
    assert transcript.text == seen[0] + "".join(each[OVERLAP:] for each in seen[1:])
    assert [each.start for each in found] == sorted(each.start for each in found)
    assert [each.id for each in found] == [f"mussels-{n}" for n in range(1, len(found) + 1)]
    assert len(found) == 2 * len(seen) + len(shared)
    pebbles = [each for each in found if "pebbles" in each.text]
    assert [(each.merged, each.also) for each in pebbles] == [
        ((each.text,), ()) for each in pebbles
    ]


@pytest.mark.asyncio
async def test_what_the_filter_drops_stays_with_the_reason():
    maker = Scripted(
        inspire=lambda inputs: leads(
            voiced("sorry, it fails to work when I walk", "A microphone.")
        ),
        filter=lambda inputs: '{"reason": "about  the room", "verdict": "no_academic_content"}',
    )
    (one,) = await inspirations_of(seminar(), maker)
    assert one.dropped == "no academic content: about the room"


@pytest.mark.asyncio
async def test_a_window_without_an_answer_leaves_the_transcript_without_inspirations():
    def inspire(inputs):
        return leads() if "number 0 " in inputs.passage else leads(*[voiced("x", "y")] * 11)

    maker = Scripted(inspire=inspire, filter=lambda inputs: USABLE)
    found = await inspirations_of(seminar(FILLING), maker)
    assert isinstance(found, Unscored)
    assert found.cause is Cause.ANSWER_UNREADABLE
    assert found.detail.startswith("window 2 of ")
    assert "11 inspirations" in found.detail


@pytest.mark.asyncio
async def test_a_filter_without_an_answer_is_a_failure_and_not_a_verdict():
    heat = voiced("we still do not know what heat", "What heat sets it is unknown.")
    maker = Scripted(inspire=lambda inputs: leads(heat), filter=lambda inputs: "maybe")
    found = await inspirations_of(seminar(), maker)
    assert isinstance(found, Unscored)
    assert found.detail.startswith("filter of mussels-1: ")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "transcript", [seminar(), seminar(WEIRS, "weirs", language="zh")], ids=["en", "zh"]
)
async def test_offline_every_type_is_found_the_same_at_every_time(tmp_path, transcript):
    found = []
    for name in ("a", "b"):
        with RunFile.create(tmp_path / name) as run:
            found.append(await inspirations_of(transcript, OfflineAsker(run)))
    assert found[0] == found[1]
    usable = [each for each in found[0] if each.dropped is None]
    assert {each.type for each in usable} == set(KINDS)
    for each in found[0]:
        assert transcript.text[each.start : each.end] == each.quote


@pytest.mark.asyncio
async def test_offline_what_names_no_subject_is_dropped(tmp_path):
    empty = "We do not know what it was that they had here."
    with RunFile.create(tmp_path / "r") as run:
        found = await inspirations_of(seminar(f"{MUSSELS}\n{empty}"), OfflineAsker(run))
    assert [each.text for each in found if each.dropped] == [empty]
    assert len(found) > 1
