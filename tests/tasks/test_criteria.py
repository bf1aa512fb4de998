import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deepassay.errors import BadTasks
from deepassay.files import add_yaml_entries
from deepassay.tasks.criteria import CRITERIA_FILE, HEADER, TaskCriteria
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import DIMENSIONS, Criteria

WEIGHTS = dict(zip(DIMENSIONS, (0.3, 0.35, 0.2, 0.15), strict=True))


def fields(name="depth", **changed):
    """The criteria of a task as a file holds them; `changed` replaces whole dimensions."""
    criterions = {
        dimension: [
            {"criterion": f"{name} one", "explanation": "why", "weight": 0.6},
            {"criterion": f"{name} two", "explanation": "", "weight": 0.4},
        ]
        for dimension in DIMENSIONS
    }
    return {"dimension_weight": dict(WEIGHTS), "criterions": criterions | changed}


def entry(name="depth", prompt="Why is the sky blue?"):
    return TaskCriteria(Criteria.model_validate(fields(name)), prompt)


def jsonl(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("name", ["criteria.jsonl", "criteria.yaml", "criteria.yml"])
def test_what_is_written_is_read_back(tmp_path, name):
    path = tmp_path / name
    made = {
        "1": entry("深度", "天空为什么是蓝色的？"),
        "b": entry("a: b # c"),
        "c": entry(prompt=None),
    }
    for task, each in made.items():
        CRITERIA_FILE.write_new(path, {task: each})
    assert CRITERIA_FILE.load(path) == made
    assert list(CRITERIA_FILE.load(path)) == ["1", "b", "c"]


@settings(deadline=None, max_examples=30)
@example("odd\x85line\u2028ends\r\n", "yaml")
@given(st.text(min_size=1, max_size=60).filter(str.strip), st.sampled_from(["jsonl", "yaml"]))
def test_any_text_survives_the_file(tmp_path_factory, text, ending):
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    path = tmp_path_factory.mktemp("any") / f"criteria.{ending}"
    criteria = fields(insight=[{"criterion": text, "explanation": text, "weight": 1.0}])
    made = {text: TaskCriteria(Criteria.model_validate(criteria), text)}
    CRITERIA_FILE.write_new(path, made)
    assert CRITERIA_FILE.load(path) == made


def test_a_task_that_has_criteria_keeps_them_and_so_do_remarks(tmp_path):
    path = tmp_path / "criteria.yaml"
    CRITERIA_FILE.write_new(path, {"a": entry("depth")})
    edited = path.read_text("utf-8").replace("depth one", "height one  # Anna's wording", 1)
    path.write_text(edited.rstrip("\n"), "utf-8")
    CRITERIA_FILE.write_new(path, {"a": entry("width"), "b": entry("width")})
    text = path.read_text("utf-8")
    assert text.startswith(edited.rstrip("\n"))
    assert "Anna's wording" in text
    loaded = CRITERIA_FILE.load(path)
    assert loaded["a"].criteria.criterions["comprehensiveness"][0].criterion == "height one"
    assert loaded["b"] == entry("width")


def test_yaml_says_what_it_is_and_reads_like_a_text(tmp_path):
    path = tmp_path / "criteria.yaml"
    CRITERIA_FILE.write_new(path, {"7": entry("覆盖")})
    text = path.read_text("utf-8")
    assert text.startswith(HEADER)
    assert "  - criterion: 覆盖 one\n" in text
    assert "\\u" not in text


@pytest.mark.parametrize("listed", [[{"id": "a", **fields()}], []])
def test_a_list_that_cannot_be_added_to_is_left_as_it_is(tmp_path, listed):
    path = tmp_path / "criteria.yaml"
    path.write_text(json.dumps(listed), "utf-8")  # YAML too, but in one line
    before = path.read_bytes()
    with pytest.raises(BadTasks, match="cannot be added"):
        CRITERIA_FILE.write_new(path, {"b": entry()})
    assert path.read_bytes() == before


def test_a_link_stays_a_link_and_the_mode_stays(tmp_path):
    path, link = tmp_path / "criteria.jsonl", tmp_path / "link.jsonl"
    CRITERIA_FILE.write_new(path, {"a": entry()})
    path.chmod(0o640)
    link.symlink_to(path)
    CRITERIA_FILE.write_new(link, {"b": entry()})
    assert link.is_symlink()
    assert set(CRITERIA_FILE.load(path)) == {"a", "b"}
    assert path.stat().st_mode & 0o777 == 0o640
    assert {each.name for each in tmp_path.iterdir()} == {"criteria.jsonl", "link.jsonl"}


def test_a_folder_that_is_not_there_is_made_and_one_that_cannot_be_is_told(tmp_path):
    path = tmp_path / "new" / "deep" / "criteria.jsonl"
    CRITERIA_FILE.write_new(path, {})
    assert path.exists()
    with pytest.raises(BadTasks, match="cannot be written"):
        CRITERIA_FILE.write_new(path / "criteria.jsonl", {})


def without(mapping, key):
    return {name: value for name, value in mapping.items() if name != key}


@pytest.mark.parametrize("field", ["criterion", "explanation"])
def test_half_a_character_is_told_and_not_met_when_the_judge_is_asked(tmp_path, field):
    path = tmp_path / "criteria.jsonl"
    jsonl(path, {"id": 1, **fields(insight=[{**ONE, field: "half \ud83d"}])})
    with pytest.raises(BadTasks, match=rf"insight\[1\].{field}: holds half a character"):
        CRITERIA_FILE.load(path)


ONE = {"criterion": "x", "explanation": "", "weight": 1.0}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (fields(), "field 'id' must be a text"),
        ({"id": True, **fields()}, "field 'id' must be a text"),
        ({"id": 3, **fields(), "topic": "x"}, "task 3.: topic: unknown field"),
        ({"id": 3, **fields(), "prompt": 7}, "prompt: is not a text"),
        ({"id": 3, **without(fields(), "criterions")}, "criterions: is missing"),
        (
            {"id": 3, **fields(), "dimension_weight": without(WEIGHTS, "insight")},
            "dimension_weight lacks insight",
        ),
        (
            {"id": 3, **fields(), "dimension_weight": {**WEIGHTS, "insight": 0.9}},
            "weights of dimension_weight sum to 1.55",
        ),
        ({"id": 3, **fields(insight=[])}, "insight sum to 0"),
        (
            {"id": 3, **fields(insight=[{**ONE, "weight": -1}])},
            r"insight\[1\].weight: must be at least 0",
        ),
        ({"id": 3, **fields(insight=[{**ONE, "weight": "1"}])}, r"insight\[1\].weight: .* number"),
        (
            {"id": 3, **fields(insight=[{**ONE, "wieght": 1}])},
            r"insight\[1\].wieght: unknown field",
        ),
        ({"id": 3, **fields(insight=[ONE, ONE])}, "same criterion twice"),
        ({"id": 3, **fields(insight={"a": 1})}, "criterions.insight: "),
        ({"id": 3, **fields(style=[ONE])}, "style: is unknown"),
    ],
)
@pytest.mark.parametrize("ending", ["jsonl", "yaml"])
def test_what_is_wrong_is_told_with_line_and_task(tmp_path, row, says, ending):
    path = tmp_path / f"criteria.{ending}"
    if ending == "jsonl":
        jsonl(path, {"id": 1, **fields()}, row)
        line = 2
    else:
        first = add_yaml_entries("", [{"id": 1, **fields()}])
        path.write_text(first + add_yaml_entries("", [row]), "utf-8")
        line = first.count("\n") + 1
    with pytest.raises(BadTasks, match=says) as told:
        CRITERIA_FILE.load(path)
    place = re.match(rf"criteria\.{ending}, line (\d+)", told.value.problem)
    assert place
    assert int(place[1]) == line if ending == "jsonl" else int(place[1]) >= line
    assert told.value.remedy


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- id: 1\n  prompt: [x\n", "line 3: not YAML"),
        ("id: 1\n", "line 1: is not a list"),
        ("- 1\n", "line 1: is not a mapping"),
        ("- id: 1\n  prompt: a\n  prompt: b\n", "line 3: the key 'prompt' stands there twice"),
        ("- id: 1\n---\n- id: 2\n", "not YAML"),
        ("- id: \x01\n", "not YAML"),
        ("- id: !!python/object:os.system x\n", "line 1: not YAML"),
        ("- " * 1_000_000, "nested too deep"),
        ("- " + "[" * 1_000_000, "nested too deep"),
    ],
    ids=lambda value: value[:20],
)
def test_yaml_that_is_none_is_told_with_its_line(tmp_path, text, says):
    path = tmp_path / "criteria.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(BadTasks, match=says):
        CRITERIA_FILE.load(path)


def test_aliases_that_would_grow_without_end_are_refused_at_once(tmp_path):
    lines = ["- &a0 {id: 1}"] + [f"- &a{n} {{x: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 60)]
    path = tmp_path / "criteria.yaml"
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(BadTasks):
        CRITERIA_FILE.load(path)


def test_criteria_for_a_task_may_stand_there_once_only(tmp_path):
    path = jsonl(tmp_path / "c.jsonl", {"id": 1, **fields()}, {"id": "1", **fields()})
    with pytest.raises(BadTasks, match=r"line 2: task '1' has criteria for the second time"):
        CRITERIA_FILE.load(path)


def test_the_remarks_of_the_published_file_are_passed_over(tmp_path):
    remarks = {"comment": "x", "aspect": "y", "rationale_for_weight": "z"}
    path = jsonl(tmp_path / "c.jsonl", {"id": 1, **fields(insight=[ONE | remarks])})
    assert CRITERIA_FILE.load(path)["1"].criteria.criterions["insight"][0].criterion == "x"


def test_criteria_are_joined_by_identifier_and_checked_by_prompt(tmp_path):
    tasks = (Task(id="a", prompt="Why is the\nsky blue?"), Task(id="b", prompt="Why?"))

    def joined(identifier):
        return CRITERIA_FILE.join(tasks, jsonl(tmp_path / "c.jsonl", {"id": identifier, **asked}))

    asked = {"prompt": "Why is the sky blue?", **fields()}
    one, other = joined("a")
    assert one.criteria == entry().criteria
    assert other is tasks[1]
    with pytest.raises(BadTasks, match="for another prompt than task b") as told:
        joined("b")
    assert "Why is the sky blue?" in str(told.value)
    assert "'Why?'" in str(told.value)
    with pytest.raises(BadTasks, match="none of the tasks: they are for x …, the tasks are a, b …"):
        joined("x")


def test_our_own_task_files_may_hold_criteria_and_a_reference(tmp_path):
    row = {"id": "a", "prompt": "Why?", "criteria": fields(), "reference": "# Because\n"}
    (task,) = load_tasks(jsonl(tmp_path / "tasks.jsonl", row))
    assert task.criteria == entry().criteria
    assert task.reference == "# Because\n"
    row["criteria"]["dimension_weight"]["insight"] = 0.9
    with pytest.raises(
        BadTasks, match=r"line 1: field 'criteria': the weights of dimension_weight"
    ):
        load_tasks(jsonl(tmp_path / "tasks.jsonl", row))


def test_the_published_criteria_fit_the_published_tasks(shared):
    folder = shared / "data/bench"
    loaded = CRITERIA_FILE.load(folder / "criteria.jsonl")
    tasks = load_tasks(folder / "query.jsonl")
    with pytest.warns(match="51 came in, 50 found their tasks, 50 used. left out: 86"):
        joined = CRITERIA_FILE.join(tasks, folder / "criteria.jsonl")
    assert all(task.criteria is not None for task in joined)
    assert loaded["1"].criteria.dimension_weight["insight"] == 0.36
