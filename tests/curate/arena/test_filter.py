import json

import pytest

from deepassay.curate.arena.filter import FILTER, InspirationAndQuote
from deepassay.models.reading import Unreadable, read


def decided(text, language="en"):
    inputs = InspirationAndQuote(language=language, quote=text, inspiration=text)
    return FILTER.offline(inputs)


def test_the_prompt_files_fit_the_question():
    FILTER.verify()


def test_a_verdict_is_on_the_menu_and_has_a_reason():
    inputs = InspirationAndQuote(language="en", quote="q", inspiration="i")
    for wrong in ({"verdict": "good", "reason": "r"}, {"verdict": "usable", "reason": ""}):
        with pytest.raises(Unreadable):
            read(FILTER, inputs, json.dumps(wrong))


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
