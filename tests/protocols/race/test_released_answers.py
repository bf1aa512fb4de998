import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.race.released_answers import (
    Extracted,
    Quirk,
    extracted_json,
    released_json,
)
from deepassay.tasks.criteria import DIMENSIONS
from tests.growth import assert_linear, repeated

EMPTY = json.dumps({name: [] for name in DIMENSIONS})
ITEM = '{"criterion": "depth", "article_1_score": 7.5, "article_2_score": 6,}'


def test_an_object_with_the_four_dimensions_is_taken_with_prose_around_it():
    assert released_json(f"Here you are: {EMPTY} Done.") == json.loads(EMPTY)


@pytest.mark.parametrize("raw", ["", "I cannot judge this.", "null", "7", "[]", '{"insight": []}'])
def test_what_lacks_a_dimension_is_asked_again(raw):
    with pytest.raises(ValueError, match="answer"):
        released_json(raw)


def test_a_text_that_names_the_dimensions_passes_as_in_the_program():
    assert released_json(json.dumps(" ".join(DIMENSIONS))) == " ".join(DIMENSIONS)


def test_of_two_objects_the_first_counts_and_that_is_said():
    found = released_json(f"```json\n{EMPTY}\n```\nBetter:\n```json\n{EMPTY}\n```")
    assert isinstance(found, Extracted)
    assert found.quirks == (Quirk.FIRST_OF_TWO,)


def test_broken_json_is_salvaged_by_position():
    found = extracted_json(f'{{"comprehensiveness": [{ITEM}], "insight": [{ITEM}]}}')
    item = {"criterion": "depth", "article_1_score": 7.5, "article_2_score": 6.0}
    assert found == {"comprehensiveness": [item], "insight": [item]}
    assert found.quirks == (Quirk.SALVAGED,)


def test_salvage_shifts_scores_where_a_criterion_holds_a_quotation_mark():
    broken = (
        '{"comprehensiveness": [{"criterion": ""Depth" of it", "article_1_score": 1, '
        '"article_2_score": 2}, {"criterion": "breadth", "article_1_score": 3, '
        '"article_2_score": 4}]}'
    )
    (item,) = extracted_json(broken)["comprehensiveness"]
    assert item == {"criterion": "breadth", "article_1_score": 1.0, "article_2_score": 2.0}


@settings(deadline=None, max_examples=60)
@given(st.text(st.sampled_from('{}[]":,`json \n1comprehensiveness'), max_size=80))
def test_any_text_is_either_read_or_refused(raw):
    try:
        found = extracted_json(raw)
    except ValueError:
        return
    json.dumps(found)


HEAD = "comprehensiveness article_1_score article_2_score "
HOSTILE = {
    "brackets": repeated("{"),
    "objects": repeated("{}"),
    "fences": repeated("```json"),
    "keys in keys": repeated('{"a":'),
    "lists in lists": repeated("["),
    "criteria": lambda size: HEAD + repeated('"criterion":')(size),
    "blanks": lambda size: HEAD + '"criterion"' + " " * size,
    "a long number": lambda size: (
        'comprehensiveness "article_1_score": ' + "9" * size + ' "article_2_score": 1'
    ),
    "an open text": lambda size: (
        'comprehensiveness "article_1_score" "article_2_score" "criterion": "' + "a" * size
    ),
}


@pytest.mark.parametrize("made", HOSTILE.values(), ids=HOSTILE)
def test_hostile_answers_are_refused_in_linear_time(made):
    def refused(text):
        with pytest.raises(ValueError, match="answer"):
            released_json(text)

    assert_linear(refused, made)
