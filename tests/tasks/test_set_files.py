"""Files and folders of a set of one's own, as its layout wants them."""

import json

import pytest

from deepassay.errors import BadTasks, Notice
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rubric import rubric_file
from deepassay.tasks.set_tables import set_in
from deepassay.tasks.task import Task

HEAD = """
title = "Ours"
measures = "what we want"
licence = "ours"
source = "here"
ours = "all of it"
[layout]
"""
WHOLE = (
    HEAD
    + """
columns = ["task.slug", "checks"]
id = "task.slug"
prompt = "task.brief"
criteria = "checks"
text = "ask"
"""
)
RUBRICS = (
    HEAD
    + """
columns = ["groups.items"]
id = "number"
criteria = "groups.items"
text = "text"
axis = "^groups.kind"
"""
)


def one(slug):
    return {
        "task": {"slug": slug, "brief": f"Why {slug}?"},
        "checks": [{"ask": "says why"}, {"ask": "says how"}],
    }


def groups(*texts):
    return {"groups": [{"kind": "facts", "items": [{"text": each} for each in texts]}]}


def ours(text):
    return set_in(text, "own.toml")


@pytest.mark.parametrize("name", ["one.json", "one.yaml"])
def test_a_file_that_is_one_object_is_a_row_where_the_layout_fits_it(tmp_path, name):
    path = tmp_path / name
    path.write_text(json.dumps(one("cable")))
    (task,) = load_tasks(path, of_set=ours(WHOLE))
    assert (task.id, task.prompt, len(task.rubric)) == ("cable", "Why cable?", 2)
    (nameless,) = load_tasks(path, of_set=ours(WHOLE.replace('id = "task.slug"', "")))
    assert nameless.id == "one"


def test_a_folder_of_json_and_yaml_is_read_whole_and_says_what_is_not_of_it(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(one("a")))
    (tmp_path / "b.yaml").write_text("- " + json.dumps(one("b")))
    (tmp_path / "c.yml").write_text(json.dumps(one("c"), indent=1))
    (tmp_path / "d.jsonl").write_text(json.dumps(one("d")) + "\n" + json.dumps(one("e")))
    assert [each.id for each in load_tasks(tmp_path, of_set=ours(WHOLE))] == [*"abcde"]
    (tmp_path / "e.json").write_text('{"other": [{"a": 1}]}')
    with pytest.warns(Notice, match="1 of 5 files are not of the set's layout .* first e.json"):
        assert len(load_tasks(tmp_path, of_set=ours(WHOLE))) == 5


TASKS = [Task(id=each, prompt="Why?") for each in ("1", "2")]


def written(folder, kind):
    rows = {"1": groups("p", "q"), "2": groups("r")}
    if kind == "folder":
        for name, each in rows.items():
            (folder / f"{name}_points.json").write_text(json.dumps(each))
        return folder, 'files = "{id}_points.json"'
    path = folder / f"r.{kind}"
    if kind == "jsonl":
        path.write_text("\n".join(json.dumps({"n": int(id), **each}) for id, each in rows.items()))
        return path, 'id = "n"'
    path.write_text(json.dumps(rows))
    return path, 'id = "*"'


@pytest.mark.parametrize("kind", ["folder", "jsonl", "json", "yaml"])
def test_rubrics_are_read_by_the_layout_of_the_set_that_is_named(tmp_path, kind):
    path, line = written(tmp_path, kind)
    found = set_in(RUBRICS.replace('id = "number"', line), "own.toml")
    joined = rubric_file(found).join(TASKS, path)
    assert [[each.criterion for each in task.rubric] for task in joined] == [["p", "q"], ["r"]]
    assert {each.axis for task in joined for each in task.rubric} == {"facts"}


def test_rubrics_of_our_own_are_read_beside_a_set_and_others_are_refused(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text('{"id": "1", "rubric": [{"criterion": "p", "weight": 1}]}')
    assert list(rubric_file(ours(RUBRICS)).load(path)) == ["1"]
    path.write_text('{"id": "1", "points": ["p"]}')
    with pytest.raises(BadTasks, match=r"no file of Ours: it has to have groups.items"):
        rubric_file(ours(RUBRICS)).load(path)


def a_file(tmp_path, *criteria):
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([{**one("a"), "checks": [*criteria]}]))
    return path


@pytest.mark.parametrize("name", ["weight", "critical", "within"])
def test_a_way_by_which_criteria_are_counted_has_to_lead_somewhere(tmp_path, name):
    path = a_file(tmp_path, {"ask": "says why"}, {"ask": "says how"})
    with pytest.raises(BadTasks, match=rf"layout.{name}: 'mst' leads to nothing in any criterion"):
        load_tasks(path, of_set=ours(WHOLE + f'{name} = "mst"'))


def test_of_other_ways_that_lead_nowhere_a_line_tells(tmp_path):
    path = a_file(tmp_path, {"ask": "says why", "kind": "facts"})
    named = ours(WHOLE + 'axis = "knd"\ntags = "kind"\nlabels = {port = "task.prt"}')
    with pytest.warns(Notice, match=r"any row: axis \('knd'\), labels.port \('task.prt'\)."):
        load_tasks(path, of_set=named)


def test_a_way_that_leads_somewhere_in_one_row_is_right(tmp_path):
    path = a_file(tmp_path, {"ask": "says why", "must": True}, {"ask": "says how", "in": "top"})
    named = ours(WHOLE + 'critical = "must"\nwithin = "in"')
    (task,) = load_tasks(path, of_set=named)
    assert [(each.critical, each.within) for each in task.rubric] == [(True, ()), (False, ("top",))]
