"""Published sets as tables of field names, read from their own files."""

import csv
import json
import warnings

import pytest

from deepassay.errors import BadTasks, Notice
from deepassay.protocols.rubrics.setting import setting_of
from deepassay.results.weighing import Level
from deepassay.tasks.like_layouts import also_in_layout, tell_of_like_layouts
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rubric import RUBRIC_FILE, rubric_file
from deepassay.tasks.set_rows import field_in
from deepassay.tasks.set_tables import OURS, SeveralSets, entries_at, published_sets, set_named


def as_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(each, ensure_ascii=False) for each in rows), "utf-8")
    return path


def test_the_published_research_rubrics_load_whole(shared, tmp_path):
    """Put back into the layout of `processed_data.jsonl` from the rows that Mr Dre keeps."""
    given = (shared / "data/sets/researchrubrics/mr-dre.jsonl").read_text("utf-8").splitlines()
    kept = [json.loads(line) for line in given]
    rows = [
        {
            "prompt": each["question"],
            "sample_id": each["metadata"]["sample_id"],
            "domain": each["metadata"]["domain"],
            "rubrics": each["metadata"]["rubrics_original"],
        }
        for each in kept
    ]
    with pytest.warns(Notice, match="weight 0") as told:
        tasks = load_tasks(as_lines(tmp_path / "processed_data.jsonl", rows))
    assert "beyond a weight of 5, where the scale of the others ends: 1" in str(told[0].message)
    criteria = [each for task in tasks for each in task.rubric]
    assert (len(tasks), len(criteria)) == (101, 2593)
    assert sum(each.weight < 0 for each in criteria) == 318
    assert [each.weight for each in criteria if each.level is Level.WEIGHTLESS] == [0]


def test_mr_dre_s_layout_has_the_axes_of_the_rows_that_it_keeps(shared):
    with pytest.warns(Notice, match="weight 0"):
        tasks = load_tasks(shared / "data/sets/researchrubrics/mr-dre.jsonl")
    assert len({each.axis for task in tasks for each in task.rubric}) == 7
    assert tasks[0].labels["domain"] == "Current Events"


def test_bench_ii_has_its_dimensions_as_axes_and_what_is_blocked(shared):
    with pytest.warns(Notice, match=r"word for word, .*: 6, first in task idx-116"):
        tasks = load_tasks(shared / "data/sets/drb2/tasks_and_rubrics.jsonl")
    counted = [each.axis for task in tasks for each in task.rubric]
    assert [counted.count(axis) for axis in ("info_recall", "analysis", "presentation")] == [
        *(6983, 1686, 746)
    ]
    assert sum(task.blocked is None for task in tasks) == 1
    assert all(task.request and task.request in task.prompt for task in tasks)
    assert [task.language for task in tasks].count("zh") == 66


def test_a_folder_with_a_document_for_each_task_is_read(tmp_path):
    for name in ("7", "9"):
        as_lines(tmp_path / "sub" / f"{name}.json", [{"id": name, "question": f"Why {name}?"}])
    as_lines(tmp_path / ".hidden.json", [{"id": "x", "question": "Who?"}])
    assert [(each.id, each.prompt) for each in load_tasks(tmp_path)] == [
        ("7", "Why 7?"),
        ("9", "Why 9?"),
    ]


def test_rubrics_of_a_set_are_joined_to_tasks_that_have_none(shared):
    folder = shared / "data/sets/researcherbench"
    tasks = load_tasks(folder / "questions.json")
    joined = RUBRIC_FILE.join(tasks, folder / "rubric.json")
    assert sum(len(each.rubric) for each in joined) == 931
    assert joined[0].labels["category"] == "Open Consulting"


def test_trec_s_rubrics_are_entries_by_qid(shared):
    with pytest.warns(Notice, match="weight 0"):
        loaded = RUBRIC_FILE.load(shared / "data/sets/researchrubrics/trec-rag-dev.jsonl")
    assert len(loaded) == 30


def test_an_identifier_that_is_none_is_refused_with_its_place(tmp_path):
    row = {"id": [1], "question": "Why?", "rubric": [{"point": "p"}]}
    with pytest.raises(BadTasks, match=r"t.jsonl, line 1: field 'id': must be a text"):
        load_tasks(as_lines(tmp_path / "t.jsonl", [row]))


COUNTED = {
    "finder/checklist.odd.jsonl": (50, None),
    "drb2/tasks_and_rubrics.jsonl": (132, 9415),
    "researchrubrics/mr-dre.jsonl": (101, 2593),
    "rigorousbench/RigorousBench.odd.jsonl": (107, None),
    "researcherbench/rubric.json": (65, 931),
    "ruverbench/deepresearch_dataset.odd.json": (149, None),
    "deepscholar/gt_nuggets_outputs": (None, None),
    "deepscholar/papers_with_related_works.odd.csv": (32, 0),
    "deephallubench/DeepHalluBench.odd.jsonl": (50, 0),
    "deepresearcheval/test_tasks.odd.jsonl": (77, 0),
    "deepresearcheval/query.odd.jsonl": (50, 0),
    "reportbench/ReportBench_v1.1.odd.jsonl": (50, 0),
    "layouts/drgym_queries.jsonl": (3, 0),
    "layouts/draco.jsonl": (3, None),
    "layouts/healthbench.jsonl": (3, 9),
    "layouts/nuggets.jsonl": (3, 6),
    "layouts/researchqa.json": (3, 6),
    "layouts/asta_scholarqa.json": (3, None),
    "layouts/drgym_100001_aggregated.json": (1, 2),
}
"""Files as published, with the tasks and the criteria in them."""


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
@pytest.mark.parametrize("name", COUNTED)
def test_a_file_as_published_loads_with_all_that_is_in_it(shared, name):
    path = shared / "data/sets" / name
    tasks = load_tasks(path)
    number, criteria = COUNTED[name]
    if path.is_dir():
        number = len([*path.rglob("res.json")])
    found = [len(each.rubric) for each in tasks]
    assert len(tasks) == number
    assert criteria in (None, sum(found))
    assert min(found) > 0 or criteria == 0 or name.startswith("ruverbench")


def test_a_rubric_in_json_within_a_text_has_its_sections_as_axes(shared):
    tasks = load_tasks(shared / "data/sets/layouts/draco.jsonl")
    assert [each.axis for each in tasks[0].rubric] == [
        "factual-accuracy", "factual-accuracy", "breadth-and-depth-of-analysis",
        "presentation-quality", "citation-quality", "citation-quality",
    ]  # fmt: skip
    assert [each.weight for each in tasks[0].rubric] == [20, -25, 10, 5, 10, -10]


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_marks_of_a_criterion_of_its_own_are_read_from_its_text(shared):
    path = shared / "data/sets/rigorousbench/RigorousBench.odd.jsonl"
    criteria = [
        each for task in load_tasks(path, of_set=set_named("rigorous")) for each in task.rubric
    ]
    assert all(each.grades for each in criteria)
    assert not any("=" in each.criterion[-8:] for each in criteria)
    assert sum("Partial" in each.grades for each in criteria) > 200
    assert criteria[0].grades == {"Yes": 2, "No": 0} and criteria[0].weight == 2


def test_key_points_of_a_folder_have_their_identifiers_from_names_of_files(tmp_path):
    points = [{"point_number": 1, "point_content": "It says so.", "original_point_number": [1]}]
    for name, own in (("7_aggregated", points), ("8_aggregated", []), ("7", points)):
        as_lines(tmp_path / f"{name}.json", [{"question": f"Why {name}?", "key_points": own}])
    with pytest.warns(Notice, match="1 rows of files that are not called"):
        tasks = load_tasks(tmp_path)
    assert [(each.id, len(each.rubric)) for each in tasks] == [("7", 1), ("8", 0)]


def test_pages_that_answer_a_task_are_read_from_a_corpus_set(tmp_path):
    pages = [{"docid": str(n), "text": "…", "url": f"https://a.org/{n}"} for n in range(3)]
    rows = [
        {
            "query_id": str(number),
            "query": f"Which bridge of {number}?",
            "answer": "The old one",
            "gold_docs": pages[:1],
            "evidence_docs": pages[:number],
            "negative_docs": pages[2:],
        }
        for number in (1, 2)
    ]
    tasks = load_tasks(as_lines(tmp_path / "browsecomp_plus_decrypted.jsonl", rows))
    assert [(each.id, each.prompt) for each in tasks] == [
        ("1", "Which bridge of 1?"),
        ("2", "Which bridge of 2?"),
    ]
    assert [each.relevant for each in tasks] == [
        ("https://a.org/0",),
        ("https://a.org/0", "https://a.org/1"),
    ]
    assert {each.labels["set"] for each in tasks} == {"BrowseComp-Plus"}


def test_another_file_than_the_set_s_is_refused(tmp_path):
    path = as_lines(tmp_path / "t.jsonl", [{"id": "1", "prompt": "Why?"}])
    with pytest.raises(BadTasks, match="no file of DRACO"):
        load_tasks(path, of_set=set_named("draco"))


def test_every_set_of_ours_says_what_people_ask(subtests):
    for name, each in published_sets().items():
        with subtests.test(name):
            assert each.title and each.measures and each.licence and each.source and each.ours
            assert setting_of(name).menu
            lines = (OURS / f"{name}.toml").read_text("utf-8").count("\n")
            assert lines <= 60


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rubric": None}, "the criteria are missing (field 'rubric')"),
        ({"rubric": "all"}, "field 'rubric[1].point': is missing"),
        ({"rubric": [{"point": "p"}, 7]}, "field 'rubric[2].point': is missing"),
        ({"rubric": [{"point": " "}]}, "field 'rubric[1].point': is empty"),
        ({"rubric": [{"point": "p", "weight": "2"}]}, "field 'rubric[1].weight': is not a number"),
        ({"rubric": [{"point": "p", "weight": True}]}, "field 'rubric[1].weight': is not a number"),
        ({"question": None}, "field 'question': is missing"),
        ({"question": ["why"]}, "field 'question': is not a text"),
        ({"id": 1}, "the identifier '1' stands there for the second time, first in rubric.json, "),
    ],
)
def test_a_row_that_is_wrong_is_refused_with_its_place(tmp_path, change, said):
    row = {"id": 1, "question": "Why?", "rubric": [{"point": "p", "weight": 2}]}
    changed = {**row, "id": 2, **change}
    path = tmp_path / "rubric.json"
    path.write_text(json.dumps([row, {k: v for k, v in changed.items() if v is not None}]))
    with pytest.raises(BadTasks) as caught:
        load_tasks(path)
    assert said in caught.value.problem
    assert "object 2" in caught.value.problem
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("name", "criteria", "told"),
    [
        ("finder", {"checklist": [{"title": "t", "description": "d"}, {"title": "t"}]},
         "checklist[2].description': is missing"),
        ("finder", {"checklist": [{"description": "d"}, "text"]},
         "checklist[2].description': is missing"),
        ("finder", {"checklist": [{"title": "t", "description": 7}]},
         "checklist[1].description': is not a text; quote it"),
        ("drb2", {"content": {"task": "Why?", "rubric": {"recall": ["is told", "", "is named"]}}},
         "content.rubric.*[2]': is empty"),
    ],
)  # fmt: skip
def test_a_criterion_that_is_wrong_is_called_as_the_file_calls_it(tmp_path, name, criteria, told):
    layout = set_named(name).layout
    row = {"id": 1, "idx": 1, "prompt": "Why?", "article": "", **criteria}
    with pytest.raises(BadTasks) as caught:
        load_tasks(as_lines(tmp_path / "t.jsonl", [row]), of_set=set_named(name))
    assert caught.value.problem == f"t.jsonl, line 1: field '{told}."
    with pytest.raises(BadTasks) as beside:
        rubric_file(set_named(name)).load(tmp_path / "t.jsonl")
    assert beside.value.problem == caught.value.problem
    assert layout.criteria in told


def test_labels_of_people_are_no_tasks_and_their_place_is_said(tmp_path, shared):
    labels = [
        {"id": n, "result": {"coverage_results": [{"point": "p", "covered": n > 1}]}}
        for n in (1, 2, 3)
    ]
    published = shared / "data/sets/ruverbench/deepresearch_labels.odd.json"
    for path in (as_lines(tmp_path / "labels.jsonl", labels), published):
        with pytest.raises(BadTasks, match="people's verdicts on criteria of RuVerBench") as caught:
            load_tasks(path)
        assert "deepassay agree rubrics" in caught.value.remedy


@pytest.mark.filterwarnings("ignore:own.jsonl. not used")
def test_labels_of_people_beside_prompts_are_tasks(tmp_path):
    asked = {"1": "Why do tides turn?", "2": "How do herons fish?", "3": "Who built the quay?"}
    result = {"coverage_results": [{"point": "p", "covered": True}]}
    for head in ("question", "prompt", "User query", "问题", "topic"):
        rows = [{"id": id, head: text, "result": result} for id, text in asked.items()]
        tasks = load_tasks(as_lines(tmp_path / "own.jsonl", rows))
        assert {task.id: task.prompt for task in tasks} == asked


def test_labels_are_called_as_the_files_of_a_set_call_them():
    called = field_in(set_named("mr-dre"))
    ways = [("labels", "breadth"), ("labels", "set"), ("labels",), ("rubric", 1, "weight")]
    assert [called(way) for way in ways] == [
        "metadata.conceptual_breadth", "labels.set", "labels", "checklist[2].weight",
    ]  # fmt: skip
    assert field_in(set_named("finder"))(("labels", "topic")) == "topic"


def test_two_sets_of_one_layout_are_told_of_and_others_are_not():
    assert also_in_layout(set_named("researcherbench")) == (
        "Files of RuVerBench have the same fields: --set ruverbench says that it is that."
    )
    for name in ("finder", "drb2", "draco", "mr-dre"):
        assert also_in_layout(set_named(name)) == ""
    with pytest.warns(Notice, match="Read as tasks of ResearcherBench. Files of RuVerBench"):
        tell_of_like_layouts({"ResearcherBench", "FINDER", None})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tell_of_like_layouts({"FINDER", "RuVerBench", None})


def test_a_task_with_no_criteria_is_a_task_without_them(tmp_path):
    rows = [
        {"id": 1, "question": "Why?", "rubric": [{"point": "p"}]},
        {"id": 2, "question": "How?", "rubric": []},
    ]
    assert [len(each.rubric) for each in load_tasks(as_lines(tmp_path / "t.jsonl", rows))] == [1, 0]


@pytest.mark.parametrize(
    ("text", "marks", "asked"),
    [
        ("Is it so? Yes=2, No=0", {"Yes": 2, "No": 0}, "Is it so?"),
        (
            "Is it so? Yes=3, Partial (half of it)=1, No=0.",
            {"Yes": 3, "Partial": 1, "No": 0},
            "Is it so?\nPartial (half of it)",
        ),
        (
            "Is n=7 so? Yes=4, Partial=2（only (some) of it）, No=-1",
            {"Yes": 4, "Partial": 2, "No": -1},
            "Is n=7 so?\nPartial（only (some) of it）",
        ),
    ],
)
def test_marks_at_the_end_of_a_criterion(tmp_path, text, marks, asked):
    path = as_lines(
        tmp_path / "t.jsonl", [{"id": 1, "question": "W?", "metadata": {"qsr": [text]}}]
    )
    (criterion,) = load_tasks(path, of_set=set_named("rigorous"))[0].rubric
    assert (criterion.grades, criterion.criterion) == (marks, asked)


def test_ways_through_a_row():
    row = {"a": {"b": [{"c": 1}, {"c": 2}]}, "d": '{"e": [{"f": "x"}]}', "g": {"k": [1], "m": [2]}}
    assert [each.value for each in entries_at(row, "a.b")] == [{"c": 1}, {"c": 2}]
    assert [each.value for each in entries_at(row, "a.b.1.c")] == [2]
    assert [each.value for each in entries_at(row, "d.e.f")] == ["x"]
    assert [(each.key, each.value) for each in entries_at(row, "g.*")] == [("k", 1), ("m", 2)]
    (first, second) = entries_at(row, "a.b")
    assert (first.field("c", row), second.field("^b.c", row)) == (1, 2)
    assert second.field("/a.b.#.c", row) == 2
    assert [*entries_at(row, "a.z")] == [] and first.field("z.y", row) is None


def test_lists_that_python_wrote_into_cells_are_read(tmp_path):
    said = {"Tides 'rise'": "vital", "So": "okay"}
    nuggets = [{"text": text, "importance": each} for text, each in said.items()]
    path = tmp_path / "res.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["qid", "query", "supported_nuggets", "nuggets_metrics"])
        table.writerow(["2506.1v1", "How high?", nuggets, {"vital_score": 1.0}])
    (task,) = load_tasks(path)
    assert [each.criterion for each in task.rubric] == ["Tides 'rise'", "So"]


def test_a_folder_of_several_sets_is_told_of(tmp_path):
    nuggets = [{"text": "a", "importance": "vital"}]
    as_lines(tmp_path / "a.jsonl", [{"qid": "1", "query": "Why?", "nuggets": nuggets}])
    criteria = [{"criterion": "b", "weight": 1}]
    as_lines(tmp_path / "b.jsonl", [{"sample_id": "1", "prompt": "Why?", "rubrics": criteria}])
    with pytest.raises(SeveralSets, match=r"several sets: a.jsonl .*, b.jsonl \(ResearchRubrics"):
        load_tasks(tmp_path)


def test_a_damaged_file_of_a_folder_is_not_passed_over(tmp_path):
    for name, field in (("1", "point_content"), ("2", "other")):
        row = {"question": f"Why {name}?", "key_points": [{field: "It is loud"}]}
        (tmp_path / f"{name}_aggregated.json").write_text(json.dumps(row))
    with pytest.raises(BadTasks, match=r"2_aggregated.json: field 'key_points\[1\].point_content'"):
        load_tasks(tmp_path)
