import pytest

from deepassay.curate.arena.inspiration import REQUIRED
from deepassay.curate.arena.voiced import voiced_in
from tests.curate.arena.seminars import MUSSELS, WEIRS
from tests.growth import assert_linear, repeated


def kinds(text, language="en"):
    return [each.type for each in voiced_in(text, language, 10)]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("We still do not know how the larvae find the shore again.", "Limitation"),
        ("The problem with these cores is that nobody dated the lower half.", "Limitation"),
        ("Is there any evidence that the same happens in brackish water?", "Limitation"),
        ("What if we measured the pulse of the river every single minute?", "Methodology"),
        ("Have you considered pairing each village with one across the border?", "Methodology"),
        ("We propose a new framework for dating anonymous manuscripts.", "Methodology"),
        (
            "We borrowed this from the theory of queues in telephone exchanges.",
            "Transdisciplinarity",
        ),
        ("It is an idea that bridges between linguistics and genetics.", "Transdisciplinarity"),
        ("I would expect the effect to vanish in towns without a market.", "Hypothesis"),
        ("That might explain the gap between the two censuses of wool.", "Hypothesis"),
        ("Higher rents should lead to fewer apprentices in the guild.", "Hypothesis"),
    ],
)
def test_a_cue_tells_the_type(sentence, kind):
    assert kinds(sentence) == [kind]
    assert kinds(sentence.replace("'", "’")) == [kind]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("我们至今还不知道这批简牍为什么会被埋在井里。", "Limitation"),
        ("有没有考虑过用卫星雷达来测量这些堰坝的沉降？", "Methodology"),
        ("这个模型其实借鉴了生态学里的食物网。", "Transdisciplinarity"),
        ("我猜测这可能是因为上游的森林被砍光了。", "Hypothesis"),
    ],
)
def test_a_chinese_cue_tells_the_type(sentence, kind):
    assert kinds(sentence, "zh") == [kind]


@pytest.mark.parametrize(
    "sentence",
    [
        "We surveyed the mussel beds of forty shores over nine summers.",
        "I do not know.",
        "The tower was finished in the spring, and the bells were hung in May.",
    ],
)
def test_ordinary_talk_voices_nothing(sentence):
    assert kinds(sentence) == []


def test_a_seminar_gives_all_types_in_its_order():
    assert kinds(MUSSELS)[:4] == ["Limitation", "Hypothesis", "Methodology", "Transdisciplinarity"]
    assert kinds(WEIRS, "zh") == ["Limitation", "Hypothesis", "Methodology", "Transdisciplinarity"]


def test_passages_are_verbatim_have_what_their_type_requires_and_never_overlap():
    at = 0
    for each in voiced_in(MUSSELS, "en", 10):
        at = MUSSELS.index(each.words, at) + len(each.words)
        assert set(REQUIRED[each.type]) <= set(each.qualities)


def test_neighbours_come_along_but_not_talk_about_the_event():
    limitation, _, methodology, *_ = voiced_in(MUSSELS, "en", 10)
    assert limitation.words.startswith("We surveyed the mussel beds")
    assert methodology.words.endswith("in summer.")


def test_of_too_many_the_ones_with_most_cues_stay():
    plain = "We propose that they count the silver spoons of the abbey. Then it rained all day. "
    rich = "What if we measured it, a new method, and have you considered a cheaper instrument?"
    found = voiced_in(plain * 5 + rich, "en", 2)
    assert len(found) == 2
    assert rich in found[-1].words


def test_speech_without_full_stops_is_cut():
    found = voiced_in("and then we still do not know what moves the ice " * 60, "en", 10)
    assert found
    assert all(len(each.words.split()) <= 110 for each in found)


@pytest.mark.parametrize("unit", ["a", "we could not ", ". ", "borrowed x x x x ", "a-", "搭从用"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_hostile_text_takes_linear_time(unit, language):
    assert_linear(lambda text: voiced_in(text, language, 10), repeated(unit), 300_000)
