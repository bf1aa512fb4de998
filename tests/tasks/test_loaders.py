import csv
import json
import sys
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadTasks, MissingExtra, Notice
from deepassay.intake.columns import NamedColumns
from deepassay.tasks.loaders import load_tasks

LIVE = [
    {"qid": "marketA1", "question": "Market {{current_year}}?", "checklist": "Gives a size"},
    {"qid": "topicB2", "question": "What is it?", "checklist": "Defines it"},
    {"qid": "marketA1", "question": "Market {{current_year}}?", "checklist": ""},
    {"qid": "marketA1", "question": "Market {{current_year}}?", "checklist": "Names rivals"},
]


def written(folder, rows, name="tasks.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def as_csv(folder, rows):
    path = folder / "tasks.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_own_lines_need_only_an_identifier_and_a_prompt(tmp_path):
    rows = [{"id": "a", "prompt": "Why?"}, {"id": 7, "prompt": "为什么？", "checklist": ["一"]}]
    first, second = load_tasks(written(tmp_path, rows))
    assert (first.id, first.language, first.checklist) == ("a", "en", ())
    assert (second.id, second.language, second.checklist) == ("7", "zh", ("一",))


def test_byte_order_mark_blank_lines_and_windows_line_ends_are_no_error(tmp_path):
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a", "prompt": "p"}\r\n\r\n{"id": "b", "prompt": "p"}')
    assert [task.id for task in load_tasks(path)] == ["a", "b"]


def test_a_line_separator_inside_a_prompt_does_not_end_the_line(tmp_path):
    rows = [{"id": "a", "prompt": "one\u2028two"}]
    assert load_tasks(written(tmp_path, rows))[0].prompt == "one\u2028two"


def test_a_key_that_stands_twice_in_an_object_is_refused_with_its_line(tmp_path):
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"id": "a", "prompt": "p"}\n{"id": "b", "prompt": "p", "prompt": "q"}\n')
    with pytest.raises(BadTasks, match=r"tasks.jsonl, line 2: the key 'prompt' stands there twice"):
        load_tasks(path)


def test_bench_queries_bring_topic_and_language(tmp_path):
    rows = [{"id": 51, "topic": "Health", "language": "en", "prompt": "Why?"}]
    (task,) = load_tasks(written(tmp_path, rows))
    assert task.id == "51"
    assert task.labels == {"set": "DeepResearch Bench", "topic": "Health", "language": "en"}


@pytest.mark.parametrize("at", [0, 1])
def test_a_topic_beside_a_checklist_is_a_label_and_the_checklist_is_never_lost(tmp_path, at):
    rows = [{"id": name, "topic": "Health", "prompt": "Why?"} for name in "ab"]
    rows[at]["checklist"] = ["Names a cause"]
    found = load_tasks(written(tmp_path, rows))
    assert [each.labels["topic"] for each in found] == ["Health", "Health"]
    assert found[at].checklist == ("Names a cause",)


def test_cells_hold_any_line_end_and_any_length(tmp_path):
    prompt = "one\u2028two\u0085three\r\nfour\n" + "x" * 200_000
    (task,) = load_tasks(as_csv(tmp_path, [{"id": "a", "prompt": prompt}]))
    assert task.prompt == prompt


def test_the_published_bench_queries_load(shared):
    tasks = load_tasks(shared / "data/bench/query.jsonl")
    assert len(tasks) == 50
    assert {task.language for task in tasks} == {"en", "zh"}


def test_rubrics_bring_levels_and_weighted_criteria(tmp_path):
    row = {
        "prompt": "Plan a launch.",
        "sample_id": "68f0a1",
        "domain": "Business",
        "conceptual_breadth": "Simple",
        "logical_nesting": "Deep",
        "exploration": "High",
        "rubrics": [{"criterion": "Names a date", "weight": 4, "axis": "Explicit Criteria"}],
    }
    (task,) = load_tasks(written(tmp_path, [row]))
    assert task.rubric[0].weight == 4.0
    assert task.rubric[0].axis == "Explicit Criteria"
    wanted = {"domain": "Business", "breadth": "Simple", "nesting": "Deep", "exploration": "High"}
    assert wanted.items() <= task.labels.items()


def assert_live(tasks):
    market, topic = tasks
    assert market.id == "marketA1"
    assert market.prompt == "Market {{current_year}}?"
    assert market.checklist == ("Gives a size", "Names rivals")
    assert market.labels["category"] == "market analysis"
    assert topic.labels == {
        "set": "LiveResearchBench",
        "category": "topic exploration",
        "language": "en",
    }


def test_live_rows_of_one_question_become_one_task(tmp_path):
    assert_live(load_tasks(written(tmp_path, LIVE)))
    assert_live(load_tasks(as_csv(tmp_path, LIVE)))


def test_live_rows_in_parquet_read_the_same(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "test-00000-of-00001.parquet"
    parquet.write_table(arrow.Table.from_pylist(LIVE), path)
    assert_live(load_tasks(path))


def test_live_columns_with_the_authors_dates_are_taken_on_request_or_when_alone(tmp_path):
    alone = {
        "qid": "qid_topicB2",
        "question_no_placeholder": "Market 2025?",
        "checklist_no_placeholder": "Size in 2025",
    }
    both = alone | {"question": "Market {{current_year}}?", "checklist": "Size"}
    assert load_tasks(written(tmp_path, [both]))[0].checklist == ("Size",)
    assert load_tasks(written(tmp_path, [both]), live=False)[0].checklist == ("Size in 2025",)
    (task,) = load_tasks(written(tmp_path, [alone]))
    assert (task.id, task.prompt) == ("topicB2", "Market 2025?")


def test_live_questions_without_a_checklist_are_tasks_without_one(tmp_path):
    rows = [{"qid": "zzz", "question": "Q?", "category": "Law"}]
    (task,) = load_tasks(written(tmp_path, rows))
    assert task.checklist == ()
    assert task.labels["category"] == "Law"


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b'{"id": "a", "prompt": "p"}\n{"id": "a", "prompt": "q"}', ("line 2", "'a'")),
        (b'{"id": "a", "prompt": "p"}\n{"id": "b", "prompt": " "}', ("line 2", "'prompt'")),
        (b'{"id": "a", "prompt": "p"}\n{"id": "b"}', ("line 2", "'prompt'")),
        (b'{"id": "a", "prompt": "p"}\n{"prompt": "b"}', ("line 2", "'id'")),
        (b'{"id": true, "prompt": "p"}', ("line 1", "'id'")),
        (b'{"id": "a", "prompt": 5}', ("line 1", "'prompt'")),
        (b'{"id": "a", "prompt": "p", "checklist": [1]}', ("line 1", "'checklist[1]'")),
        (b'{"id": "a", "prompt": "p", "chekclist": []}', ("line 1", "'chekclist'")),
        (b'{"id": "a", "prompt": "p",}', ("line 1", "not JSON")),
        (b"\n[" + b"[" * 100_000, ("line 2", "nested too deep")),
        (b'["id"]', ("line 1", "a JSON list")),
        (b'{"name": "a"}', ("no column is known as the prompt", '{"name": "a"}')),
        (b'{"id": 1, "prompt": "p", "article": "a"}', ("line 1", "reports")),
        (b'{"id": 1, "prompt": "p", "topic": ["x"]}', ("line 1", "'topic'")),
        (b'{"id": "\xff"}', ("not UTF-8", "byte 9")),
        (b"", ("holds no tasks",)),
        (b'{"qid": "a", "question": "p"}\n{"qid": "a", "question": "q"}', ("line 2", "line 1")),
        (b'{"qid": "a", "question": "p", "checklist": ["q"]}', ("line 1", "'checklist'")),
    ],
)
def test_a_bad_line_is_named_with_its_place_and_field(tmp_path, content, named):
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(content)
    with pytest.raises(BadTasks) as caught:
        load_tasks(path)
    assert caught.value.remedy
    for part in named:
        assert part in caught.value.problem


def test_a_ragged_csv_is_named_with_its_line(tmp_path):
    path = tmp_path / "tasks.csv"
    path.write_text("qid,question,checklist\ntopicA,What?\n")
    with pytest.raises(BadTasks, match="line 2"):
        load_tasks(path)


def test_missing_files_and_folders_are_said_in_words(tmp_path):
    with pytest.raises(BadTasks, match="cannot be read"):
        load_tasks(tmp_path / "none.jsonl")
    with pytest.raises(BadTasks, match="is a folder"):
        load_tasks(tmp_path)


def test_a_table_of_a_folder_that_cannot_be_read_is_not_passed_over(tmp_path):
    (tmp_path / "tasks.csv").write_text("id,prompt\nt1,Why is the sky blue?\n")
    (tmp_path / "heron").mkdir()
    assert [task.id for task in load_tasks(tmp_path)] == ["t1"]
    (tmp_path / "more.json").write_text('{"broken": ')
    with pytest.raises(BadTasks):
        load_tasks(tmp_path)


def test_of_tables_of_tasks_further_down_a_notice_tells_and_reports_there_are_none(tmp_path):
    def rows(name, *identifiers, **more):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        told = ({"id": each, "prompt": f"What is {each}?", **more} for each in identifiers)
        file.write_text("".join(f"{json.dumps(each)}\n" for each in told))

    rows("set/first.jsonl", "a", "b")
    rows("set/agent/answers.jsonl", "a", "b", article="It is a long story. " * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [each.id for each in load_tasks(tmp_path / "set")] == ["a", "b"]
    rows("set/more/second.jsonl", "c", "d")
    with pytest.warns(Notice, match="first.jsonl alone is read; more/second.jsonl may be") as told:
        assert [each.id for each in load_tasks(tmp_path / "set")] == ["a", "b"]
    said = "sheet=first.jsonl,sheet=more/second.jsonl"
    assert str(told[0].message).endswith(f"To read both, or more: --columns {said}")
    both = load_tasks(tmp_path / "set", columns=NamedColumns.of(said))
    assert [each.id for each in both] == ["a", "b", "c", "d"]
    rows("set/more/deeper/third.jsonl", "e")
    with pytest.warns(Notice, match="2 files below it, first more/"):
        load_tasks(tmp_path / "set")


def test_parquet_without_its_extra_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "tasks.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(MissingExtra, match=r"deepassay\[parquet\]"):
        load_tasks(path)


def test_a_torn_parquet_file_is_an_error_for_people(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "tasks.parquet"
    path.write_bytes(b"PAR1 torn")
    with pytest.raises(BadTasks, match="not a Parquet file"):
        load_tasks(path)


@settings(deadline=None, max_examples=40)
@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_an_error_for_people(tmp_path_factory, content):
    for name in ("tasks.jsonl", "tasks.csv"):
        path = tmp_path_factory.getbasetemp() / name
        path.write_bytes(content)
        with pytest.raises(BadTasks):
            load_tasks(path)


REWARD = {
    "id": "5",
    "subset": "precise if",
    "prompt": "Say it.",
    "chosen": ["it"],
    "rejected": ["no", "never", ""],
    "num_correct": 1,
    "total_completions": 4,
    "models": ["m"] * 4,
}
TIE = {**REWARD, "id": "tied:3", "subset": "Ties", "chosen": ["2", "3"], "rejected": ["4"]}
TIE |= {"num_correct": 2, "total_completions": 3}


def test_completions_of_tasks_of_our_own_are_no_reports(tmp_path):
    told = {"id": "a", "prompt": "Why?", "completions": {"chosen": ["it"], "rejected": ["no"]}}
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(told) + "\n" + json.dumps(told | {"id": "b"}) + "\n", "utf-8")
    assert [each.completions.every for each in load_tasks(path)] == [("it", "no")] * 2


def test_a_row_of_reward_bench_is_a_task_with_completions(tmp_path):
    one, tie = load_tasks(written(tmp_path, [REWARD, TIE]))
    assert one.labels == {"set": "RewardBench 2", "subset": "Precise IF", "language": "en"}
    assert one.completions.every == ("it", "no", "never", "")
    assert (tie.id, tie.completions.chosen) == ("tied:3", ("2", "3"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subset": "Poetry"}, "field 'subset': is none of Factuality, Precise IF"),
        ({"chosen": "it"}, "field 'completions.chosen': is not a list"),
        ({"chosen": []}, "field 'completions.chosen': is empty"),
        ({"rejected": ["no", 3, "x"]}, "field 'completions.rejected[2]': is not a text"),
        ({"rejected": None}, "field 'rejected': is missing"),
        ({"chosen": ["a", "b"], "num_correct": 2}, "field 'total_completions': says 4"),
        ({"num_correct": 2}, "field 'num_correct': says 2, and there are 1"),
        ({"rejected": ["no"], "total_completions": 2}, "field 'chosen': 1 right and 1 wrong ones"),
        ({"subset": "Ties"}, "field 'id': must be ref:NUMBER or tied:NUMBER"),
        (
            {**TIE, "id": "ref:3"},
            "field 'chosen': holds 2 completions where ref says one",
        ),
    ],
)
def test_a_row_of_reward_bench_that_is_wrong_is_refused_with_line_and_field(
    tmp_path, change, message
):
    path = written(tmp_path, [{**REWARD, "id": "4"}, {**REWARD, **change}])
    with pytest.raises(BadTasks) as caught:
        load_tasks(path)
    assert f"tasks.jsonl, line 2: {message}" in caught.value.problem


@pytest.mark.parametrize(
    ("head", "cell", "field", "items"),
    [
        (
            "Checklist",
            "- Gives a size\n- Names rivals",
            "checklist",
            ("Gives a size", "Names rivals"),
        ),
        ("CHECKLIST ", '["Gives a size"]', "checklist", ("Gives a size",)),
        (
            "Relevant",
            "https://a.org/\nhttps://b.org/",
            "relevant",
            ("https://a.org/", "https://b.org/"),
        ),
    ],
)
def test_a_column_of_lists_may_be_called_in_any_case_of_letters(tmp_path, head, cell, field, items):
    rows = [
        {"ID": "a", "Question": "How large is the market?", head: cell},
        {"ID": "b", "Question": "Who are the rivals?", head: ""},
    ]
    first, second = load_tasks(as_csv(tmp_path, rows))
    assert (getattr(first, field), getattr(second, field)) == (items, ())


def test_a_rubric_in_a_column_with_a_capital_is_taken_from_its_json(tmp_path):
    criterion = {"criterion": "Names two rivals.", "weight": 3}
    rows = [{"Question": "Who are the rivals?", "Rubric": json.dumps([criterion])}]
    [task] = load_tasks(as_csv(tmp_path, rows))
    assert [(each.criterion, each.weight) for each in task.rubric] == [("Names two rivals.", 3)]


@pytest.mark.parametrize(
    "more", [{"Checklist": "as we agreed in May"}, {"checklist": "x\ny", "Checklist": "z\nw"}]
)
def test_a_column_that_only_looks_like_a_field_is_still_refused(tmp_path, more):
    rows = [{"Question": "Who are the rivals?", **more}]
    with pytest.raises(BadTasks, match="unknown field 'Checklist'"):
        load_tasks(as_csv(tmp_path, rows))
