"""Which column is what: by its name, as people say, or asked for with the option that says it."""

import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.errors import BadSetting
from deepassay.files import BadFile
from deepassay.intake.columns import NamedColumns, columns_text, option
from deepassay.intake.heads import HEADS, PARTS
from deepassay.intake.rows import InputRow
from deepassay.intake.searching import find_table

LONG = "It depends; see below. " * 20


def rows(*fields):
    return [InputRow(f"t.csv, line {n}", each, flat=True) for n, each in enumerate(fields, start=2)]


def found(fields, said=None, needed=(("prompt",),)):
    return find_table(rows(fields), NamedColumns.of(said), needed, "t.csv")[1]


@pytest.mark.parametrize("head", [h for both in HEADS["prompt"] for h in both.split()])
def test_a_prompt_is_known_by_each_of_its_names(head):
    for written in (head, head.upper(), f" {head.replace('_', ' ').title()} "):
        assert found({"x": "1", written: "Why is it so?"}).prompt == written


@pytest.mark.parametrize("head", [h for both in HEADS["report"] for h in both.split()])
def test_a_report_is_known_by_each_of_its_names(head):
    fields = {"prompt": "Why?", head: LONG}
    assert found(fields, needed=(("report",),)).report == (head,)


def option_in(error):
    """The first option that a remedy names."""
    words = shlex.split(error.remedy[error.remedy.index("--columns") :])
    return words[1]


@pytest.mark.parametrize(
    ("fields", "first"),
    [
        ({"prompt": "Be brief. Why?", "question": "Why?"}, "prompt=prompt"),
        ({"instruction": "Sum up.", "input": "Why is it so?"}, "prompt=input"),
        ({"Thema": "Heat", "Was wir fragten": "Why is it so at all?"}, "prompt=Was wir fragten"),
        ({"title": "Heat", "description": "Why is it so at all?"}, "prompt=description"),
        ({"input": {"ask": "Why is it so at all?"}}, "prompt=input.ask"),
        ({"bot_id": "B07", "filter": "none", "said": "Why?"}, "prompt=said"),
        (
            {"target": "Why is it so at all?", "expected_output": "As it is.", "x": "Why?"},
            "prompt=x",
        ),
    ],
)
def test_what_is_not_certain_is_asked_for_with_an_option_that_works(fields, first):
    with pytest.raises(BadFile) as caught:
        found(fields)
    assert "The first row as it was read: {" in caught.value.problem
    assert option_in(caught.value) == first
    _, table = find_table([InputRow("t", fields)], NamedColumns.of(first), [["prompt"]], "t")
    assert table.prompt == first.partition("=")[2]


@pytest.mark.parametrize(
    "fields",
    [{"current_node": "m1", "default_model_slug": "gpt-4o"}, {"doc": {"answer": LONG}, "n": 1}],
)
def test_names_states_and_right_answers_are_not_offered(fields):
    with pytest.raises(BadFile) as caught:
        found({"prompt": "Why?", **fields}, needed=(("report",),))
    assert caught.value.remedy.startswith("No other column holds texts that may be the report")


def test_columns_that_agree_are_not_asked_for_and_empty_ones_are_none():
    assert found({"prompt": "Why?", "question": "Why?"}).prompt == "prompt"
    assert found({"instruction": "Why?", "input": ""}).prompt == "instruction"


def test_a_column_of_what_a_system_was_told_names_no_agent():
    assert found({"prompt": "Why?", "system": "You are a helpful assistant."}).agent is None
    assert found({"prompt": "Why?", "system": "Kranich"}).agent == "system"


def test_several_long_columns_may_be_an_agent_each():
    fields = {"Question": "Why?", "Gemini": LONG, "Sonar": f"{LONG}So."}
    with pytest.raises(BadFile, match="no column is known as the report") as caught:
        found(fields, needed=(("report",),))
    said = option_in(caught.value)
    assert said == "report=Gemini,report=Sonar"
    assert found(fields, said, (("report",),)).report == ("Gemini", "Sonar")


def test_a_table_without_a_head_is_told_as_one():
    with pytest.raises(BadFile) as caught:
        found({"t1": "t2", "What are the effects of wind turbines?": "How is it?"})
    assert option_in(caught.value) == "head=0,prompt=column 2"


@given(st.lists(st.tuples(st.sampled_from(PARTS), st.text(min_size=1).map(str.strip))))
def test_the_option_says_what_it_was_made_of(pairs):
    pairs = [(part, name) for part, name in pairs if not re.search(r"[\r\n\0]", name)]
    _, written = shlex.split(option(pairs)) if pairs else ("", "")
    assert list(NamedColumns.of(written).named) == pairs
    assert NamedColumns.of(columns_text(written) if written else None).named == tuple(pairs)


@pytest.mark.parametrize("written", ["prompt", "words=Frage", "=x", 3])
def test_what_is_no_part_and_column_is_refused(written):
    with pytest.raises(ValueError):
        columns_text(written)


def test_a_mapping_says_the_same_as_the_option():
    assert columns_text({"prompt": "Frage, kurz", "report": ["A", "B"]}) == (
        '"prompt=Frage, kurz",report=A,report=B'
    )


def test_a_column_that_no_table_has_is_an_error():
    columns = NamedColumns.of("prompt=Frgae")
    find_table(rows({"prompt": "Why?"}), columns, [["prompt"]], "t.csv")
    with pytest.raises(BadSetting, match="no file has a column of this name") as caught:
        columns.refuse_unmet()
    assert "'prompt'" in caught.value.remedy
