import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.race.released_answers import (
    OddObject,
    extracted_json,
    released_json,
)
from deepassay.protocols.race.released_answers import (
    RaceQuirk as Quirk,
)
from deepassay.tasks.yardsticks import DIMENSIONS
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


SAID = json.dumps(
    {"insight": [], "comprehensiveness": "7", "instruction_following": [], "readability": 1}
)


@pytest.mark.parametrize(
    "raw",
    [
        SAID,
        f"```json\n{SAID}\n```",
        f"So {{it}} is: ```json\n{SAID}\n``` as I {{said}}",
        f"Here: {SAID} as of {{today}}.",  # from the first brace to its fellow
        f"Here: {SAID.replace('7', '}')}. Done.",  # which is inside a text: to the last one
        f"Here: {SAID.replace('7', '{')}. Done.",
        SAID.replace("7", "```json {} ```"),  # the whole before a fence inside of it
    ],
)
def test_the_first_of_six_ways_that_yields_json_is_taken(raw):
    found = released_json(raw)
    assert list(found) == ["insight", "comprehensiveness", "instruction_following", "readability"]
    assert found["readability"] == 1 and not isinstance(found, OddObject)


def test_a_part_may_begin_with_the_text_itself():
    entries = '"criterion": "c", "article_1_score": 7, "article_2_score": 6'
    for text in (f'"comprehensiveness" {entries}', f"comprehensiveness {entries}"):
        assert extracted_json(text)["comprehensiveness"][0]["article_1_score"] == 7


@pytest.mark.parametrize("lacking", ["comprehensiveness", "article_1_score", "article_2_score"])
def test_nothing_is_salvaged_where_one_of_three_words_is_missing(lacking):
    text = f'{{"comprehensiveness": [], "insight": [{ITEM}],}}'.replace(lacking, "x")
    with pytest.raises(ValueError, match="no JSON"):
        extracted_json(text)


def test_of_two_objects_the_first_counts_and_that_is_said():
    found = released_json(f"```json\n{EMPTY}\n```\nBetter:\n```json\n{EMPTY}\n```")
    assert isinstance(found, OddObject)
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


def item(number, analysis=""):
    """One entry with a comma too many, so that the answer has to be salvaged."""
    return (
        f'{{"criterion": "c{number}", "analysis": "{analysis}", "article_1_score": {number}, '
        f'"article_2_score": 5,}}'
    )


def sheet(comprehensiveness="", insight="", readability="", quote='"'):
    """Two entries in each of three dimensions; what is given is the first one's analysis."""
    said = {
        "comprehensiveness": item(1, comprehensiveness) + item(2),
        "insight": item(3, insight) + item(4),
        "readability": item(5, readability) + item(6),
    }
    return "{" + ", ".join(f"{quote}{name}{quote}: [{each}]" for name, each in said.items()) + "}"


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        (sheet(), ("1:1 2:2", "3:3 4:4", "5:5 6:6")),
        # A bare word ends nothing while the quoted key follows, nor does one in single quotes.
        (sheet(comprehensiveness="deeper insight is wanted"), ("1:1 2:2", "3:3 4:4", "5:5 6:6")),
        (sheet(comprehensiveness="more 'insight' is wanted"), ("1:1 2:2", "3:3 4:4", "5:5 6:6")),
        (
            sheet(comprehensiveness="洞察（insight）不足，可读性（readability）好"),
            ("1:1 2:2", "3:3 4:4", "5:5 6:6"),
        ),
        # In double quotes it does: the entry it stands in loses its marks, and the dimension that
        # is named begins there, so that its criteria take the marks of those before them.
        (sheet(comprehensiveness='its "insight" is thin'), ("", "2:1 3:2 4:3", "5:5 6:6")),
        (sheet(insight='its "readability" is fine'), ("1:1 2:2", "", "4:3 5:4 6:5")),
        # What no quoted key follows is looked for in single quotes, then bare.
        (sheet(insight="as with comprehensiveness"), ("1:1 2:2", "", "5:5 6:6")),
        (sheet(readability="as with 'insight' above"), ("1:1 2:2", "3:3 4:4", "")),
        (sheet(readability="less insight, 'comprehensiveness' aside"), ("1:1 2:2", "3:3 4:4", "")),
        # Keys in single quotes are found where there are none in double quotes.
        (
            sheet(comprehensiveness="deeper insight is wanted", quote="'"),
            ("1:1 2:2", "3:3 4:4", "5:5 6:6"),
        ),
        # Keys without quotes: the first word is the key, wherever it stands.
        (sheet(quote=""), ("1:1 2:2", "3:3 4:4", "5:5 6:6")),
        (
            sheet(comprehensiveness="deeper insight is wanted", quote=""),
            ("", "2:1 3:2 4:3", "5:5 6:6"),
        ),
    ],
)
def test_a_part_that_is_salvaged_goes_from_its_name_to_the_next(raw, kept):
    """kept: by dimension, criterion and mark of each entry."""
    found = extracted_json(raw)
    for name, wanted in zip(("comprehensiveness", "insight", "readability"), kept, strict=True):
        pairs = [each.split(":") for each in wanted.split()]
        assert [(each["criterion"], each["article_1_score"]) for each in found[name]] == [
            (f"c{criterion}", float(mark)) for criterion, mark in pairs
        ]


@settings(deadline=None, max_examples=30)
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
