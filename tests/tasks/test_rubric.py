"""What a weight means and what tells criteria apart; files of rubrics."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from deepassay.errors import BadTasks, Notice
from deepassay.results.weighing import Level
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rubric import RUBRIC_FILE, TaskRubric
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import Criterion, yardstick_digest
from tests.growth import assert_linear


def of_weight(weight: float) -> Criterion:
    return Criterion(criterion="Names the year", weight=weight)


def task(*rubric: dict) -> Task:
    return Task(id="a", prompt="Why?", rubric=rubric)


@pytest.mark.parametrize(
    ("weight", "level", "mandatory"),
    [
        (5, "Critically Important", True),
        (4, "Critically Important", True),
        (3.9, "Important", False),
        (2, "Important", False),
        (1.5, "Slightly Important", False),
        (0.5, "Slightly Important", False),
        (-1, "Slightly Detrimental", False),
        (-2, "Detrimental", False),
        (-3.5, "Detrimental", False),
        (-4, "Critically Detrimental", True),
        (-5, "Critically Detrimental", True),
    ],
)
def test_level_and_mandatory_follow_from_the_weight(weight, level, mandatory):
    criterion = of_weight(weight)
    assert (criterion.level, criterion.mandatory) == (level, mandatory)


@settings(deadline=None)
@given(st.floats(min_value=-5, max_value=5).filter(bool))
def test_mandatory_criteria_are_those_of_the_critical_levels(weight):
    criterion = of_weight(weight)
    critical = (Level.CRITICALLY_IMPORTANT, Level.CRITICALLY_DETRIMENTAL)
    assert criterion.mandatory == (criterion.level in critical)
    assert (weight > 0) == criterion.level.endswith("Important")


@pytest.mark.parametrize("weight", [0, -0.0, 5.01, -500, 1e100])
def test_any_finite_weight_is_taken(weight):
    assert of_weight(weight).weight == weight


def test_a_weight_beyond_the_scale_of_the_others_is_told(tmp_path):
    path = tmp_path / "r.jsonl"
    many = [{"criterion": f"p{n}", "weight": 5} for n in range(20)]
    path.write_text(json.dumps({"id": "a", "rubric": [*many, {"criterion": "q", "weight": 10}]}))
    with pytest.warns(Notice, match=r"beyond a weight of 5, .*: 1, first in task a\."):
        RUBRIC_FILE.load(path)


def test_no_weight_has_no_level_and_is_not_mandatory():
    criterion = of_weight(0)
    assert (criterion.level, criterion.mandatory) == ("Without Weight", False)


@pytest.mark.parametrize("weight", [2e100, float("nan"), float("inf"), "4", True, None])
def test_other_weights_are_refused(weight):
    with pytest.raises(ValidationError):
        of_weight(weight)


def test_criteria_without_an_identifier_are_named_by_their_order():
    rubric = task(
        {"criterion": "Names it", "weight": 1},
        {"id": "year", "criterion": "Dates it", "weight": 2},
        {"id": 7, "criterion": "Counts it", "weight": 3},
        {"criterion": "Cites it", "weight": 4},
    ).rubric
    assert [each.id for each in rubric] == ["c1", "year", "7", "c4"]


@pytest.mark.parametrize(
    ("rubric", "said"),
    [
        (
            (
                {"id": "x", "criterion": "p", "weight": 1},
                {"id": "x", "criterion": "q", "weight": 1},
            ),
            "criterion 2 has the identifier 'x' of criterion 1",
        ),
        (
            ({"criterion": "p", "weight": 1}, {"id": "c1", "criterion": "q", "weight": 1}),
            "criterion 2 has the identifier 'c1' of criterion 1",
        ),
        (({"id": "a b", "criterion": "p", "weight": 1},), "must be one word"),
        (({"id": True, "criterion": "p", "weight": 1},), "valid string"),
    ],
)
def test_duplicates_and_odd_identifiers_are_refused(rubric, said):
    with pytest.raises(ValidationError, match=said):
        task(*rubric)


def test_the_same_words_may_stand_twice_each_by_its_place():
    same = {"criterion": "p", "weight": 1}
    assert [each.id for each in task({"id": "x", **same}, same, same).rubric] == ["x", "c2", "c3"]


def test_what_only_some_sets_have_changes_no_digest_where_it_is_not_set():
    base = {"id": "x", "criterion": "p", "weight": 1, "axis": "Explicit"}
    plain = task(base).rubric
    assert plain[0].model_dump() == {**base, "weight": 1.0}
    unset = {"importance": "", "examples": [], "grades": {}, "within": [], "critical": False}
    assert yardstick_digest(task({**base, **unset}).rubric) == yardstick_digest(plain)
    told = {"importance": "vital", "examples": ["q"], "grades": {"Yes": 3.0}, "within": ["a"]}
    for name, value in {**told, "critical": True}.items():
        changed = task({**base, name: value}).rubric
        assert yardstick_digest(changed) != yardstick_digest(plain)
        assert changed[0].model_dump(mode="json")[name] == value


def test_the_digest_tells_what_decides_a_score_and_nothing_else():
    base = {"id": "x", "criterion": "p", "weight": 1, "axis": "Explicit"}
    first = yardstick_digest(task(base).rubric)
    assert yardstick_digest(task({**base, "weight": 1.0}).rubric) == first
    for change in ({"id": "y"}, {"criterion": "q"}, {"weight": 2}, {"axis": "Implicit"}):
        assert yardstick_digest(task({**base, **change}).rubric) != first


# ------------------------------------------------------------------ files

GOOD = """\
# by Anna
- id: a
  prompt: Why?
  rubric:
    - id: year
      criterion: Names the year
      weight: 4
      axis: Explicit
    - criterion: Blames the wrong town
      weight: -2.5
"""


def refusal(path: Path, content: str | bytes) -> str:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BadTasks) as caught:
        RUBRIC_FILE.load(path)
    assert caught.value.remedy
    return caught.value.problem


def test_a_yaml_file_is_read(tmp_path):
    path = tmp_path / "r.yaml"
    path.write_text(GOOD)
    (entry,) = RUBRIC_FILE.load(path).values()
    assert entry.prompt == "Why?"
    assert [(c.id, c.weight, c.axis) for c in entry.rubric] == [
        ("year", 4.0, "Explicit"),
        ("c2", -2.5, ""),
    ]


def test_the_published_layout_is_read(tmp_path):
    """The fields of `processed_data.jsonl`; two criteria may have the same words there."""
    path = tmp_path / "processed_data.jsonl"
    same = {"criterion": "Names it", "weight": 4.0, "axis": "Explicit Criteria"}
    row = {"prompt": "Why?", "sample_id": "68b1", "domain": "STEM", "rubrics": [same, same]}
    path.write_text(json.dumps(row))
    with pytest.warns(Notice, match=r"repeat another one .*: 1, first in task 68b1\."):
        loaded = RUBRIC_FILE.load(path)["68b1"]
    assert [each.id for each in loaded.rubric] == ["c1", "c2"]
    with pytest.warns(Notice, match="repeat another one"):
        assert load_tasks(path)[0].rubric == loaded.rubric


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("weight: 4", "weight: 1e101", "line 7 (task a): rubric[1].weight: must be at most 1e+100"),
        ("weight: 4", "weight: four", "line 7 (task a): rubric[1].weight: is not a number"),
        ("weight: 4", "weight: .nan", "line 7 (task a): rubric[1].weight: is not a finite"),
        ("      weight: 4\n", "", "line 5 (task a): rubric[1].weight: is missing"),
        ("Names the year", "''", "line 6 (task a): rubric[1].criterion: is empty"),
        ("axis: Explicit", "level: 4", "line 8 (task a): rubric[1].level: unknown field"),
        (
            "    - criterion: Blames",
            "    - id: year\n      criterion: Blames",
            "line 9 (task a): rubric[2]: criterion 2 has the identifier 'year' of criterion 1",
        ),
        ("prompt:", "promt:", "line 3 (task a): promt: unknown field"),
        ("id: a", "id: [a]", "line 2: field 'id' must be"),
        ("      weight: 4", "      weight: 4\n      weight: 5", "line 8: the key 'weight' stands"),
        ("    - id", "   - id", "line 6: not YAML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, old, new, said):
    assert old in GOOD
    assert said in refusal(tmp_path / "r.yaml", GOOD.replace(old, new, 1))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("rubric:", "line 2 (task a): rubric: is empty."),
        ("rubric: all of it", "line 2 (task a): rubric: is not a list."),
        ("rubric: {year: 4}", "line 2 (task a): rubric: is not a list."),
        ("rubric: [year]", "line 2 (task a): rubric[1]: is not a mapping with fields."),
        ("rubric: [{criterion: , weight: 1}]", "line 2 (task a): rubric[1].criterion: is empty."),
        ("rubric: [{criterion: 1, weight: 1}]", "rubric[1].criterion: is not a text"),
        ("rubric: [{criterion: p, weight: 1}]\n  prompt: 4", "prompt: is not a text"),
    ],
)
def test_a_wrong_shape_is_said_in_words(tmp_path, entry, said):
    assert said in refusal(tmp_path / "r.yaml", f"- id: a\n  {entry}\n")


def test_what_is_wrong_in_json_lines_is_named_with_its_line(tmp_path):
    good = json.dumps({"id": "a", "rubric": [{"criterion": "p", "weight": 1}]})
    twice = json.dumps({"id": "b", "rubric": [{"id": "x", "criterion": "p", "weight": 1}] * 2})
    path = tmp_path / "r.jsonl"
    assert "line 2 (task b): rubric[2]: criterion 2 has" in refusal(path, f"{good}\n{twice}")
    assert "line 2: task 'a' has a rubric for the second time" in refusal(path, f"{good}\n{good}")
    assert "line 1 (task a): rubric: is missing" in refusal(path, '{"id": "a"}')
    assert "line 1 (task a): rubric: is empty" in refusal(path, '{"id": "a", "rubric": []}')
    said = "line 2: the key 'weight' stands there twice"
    weighed_twice = twice.replace("}", ', "weight": 2}', 1)
    assert said in refusal(path, f"{good}\n{weighed_twice}")
    published = json.dumps({"sample_id": "s", "prompt": "p", "rubrics": [{"criterion": "p"}]})
    assert "line 1: field 'rubrics[1].weight': is missing" in refusal(path, published)


@pytest.mark.parametrize("name", ["r.yaml", "r.jsonl"])
@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-16", "line 1: UTF-16"),
        ("utf-16-le", "line 1: UTF-16"),
        ("latin-1", "line 6: not UTF-8 text"),
    ],
)
def test_another_encoding_is_named_with_its_line(tmp_path, name, encoding, said):
    text = GOOD.replace("Names the year", "Nennt das Jahr der Gründung")
    assert said in refusal(tmp_path / name, text.encode(encoding))


def many_criteria(size):
    many = [{"criterion": f"Names part {n}", "weight": 1} for n in range(size)]
    return many, json.dumps({"id": "a", "rubric": many})


def test_criteria_are_read_in_linear_time(tmp_path):
    def load(rubric):
        many, text = rubric
        path.write_text(f"[{text}]")
        assert RUBRIC_FILE.load(path)["a"].rubric[-1].id == f"c{len(many)}"

    path = tmp_path / "r.yaml"
    assert_linear(load, many_criteria, 2_000)


def test_ten_thousand_criteria_are_no_limit(tmp_path):
    path = tmp_path / "r.jsonl"
    many, text = many_criteria(10_000)
    path.write_text(text)
    assert RUBRIC_FILE.load(path)["a"].rubric[-1].id == "c10000"
    many[-1]["weight"] = "6"
    said = refusal(path, json.dumps({"id": "a", "rubric": many}))
    assert "rubric[10000].weight" in said


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
criteria = st.fixed_dictionaries(
    {"criterion": words, "weight": st.floats(-5, 5).filter(bool), "axis": st.text("abé要 :#")}
)


@pytest.mark.parametrize("name", ["r.yaml", "r.jsonl"])
@settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(criteria, min_size=1, max_size=5, unique_by=lambda c: "".join(c["criterion"].split()))
)
def test_what_is_written_is_read_again(tmp_path, name, rubric):
    path = tmp_path / name
    path.unlink(missing_ok=True)
    entry = TaskRubric(rubric=rubric, prompt="Why?")
    RUBRIC_FILE.write_new(path, {"a": entry})
    RUBRIC_FILE.write_new(path, {"b": entry})
    assert RUBRIC_FILE.load(path) == {"a": entry, "b": entry}


def test_a_file_replaces_the_rubric_of_the_tasks_that_it_has(tmp_path):
    path = tmp_path / "r.yaml"
    path.write_text(GOOD)
    own = [{"criterion": "own", "weight": 1}]
    tasks = [Task(id="a", prompt="Why?", rubric=own), Task(id="b", prompt="How?", rubric=own)]
    joined = RUBRIC_FILE.join(tasks, path)
    assert [each.rubric[0].criterion for each in joined] == ["Names the year", "own"]
    with pytest.raises(BadTasks, match="for another prompt than task a"):
        RUBRIC_FILE.join([Task(id="a", prompt="Who?")], path)
    with pytest.raises(BadTasks, match="rubrics for none of the tasks"):
        RUBRIC_FILE.join([Task(id="z", prompt="Why?")], path)


@pytest.mark.parametrize("value", ["2026-02-30", "0x_", "9" * 5000, "!!bool maybe", "!!int x"])
def test_a_value_that_yaml_cannot_convert_is_refused_with_its_line(tmp_path, value):
    problem = refusal(tmp_path / "r.yaml", GOOD.replace("Names the year", value))
    assert "line 6: not YAML: no such value" in problem


def test_merged_lists_of_mappings_do_not_grow_without_measure(tmp_path):
    lines = ["- id: a", "  rubric:", "    - &m0 {a0: 1, b0: 1}"]
    for level in range(1, 12):
        aliases = ", ".join([f"*m{level - 1}"] * 10)
        lines.append(f"    - &m{level} {{<<: [{aliases}], z{level}: 1}}")
    assert "too large" in refusal(tmp_path / "r.yaml", "\n".join(lines))


def test_a_criterion_may_take_over_fields_of_another_one(tmp_path):
    path = tmp_path / "r.yaml"
    text = GOOD.replace("    - id: year\n", "    - &y\n      id: year\n")
    path.write_text(text + "    - {<<: *y, id: place, criterion: Names the place}\n", "utf-8")
    assert RUBRIC_FILE.load(path)["a"].rubric[2].axis == "Explicit"
