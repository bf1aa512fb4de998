"""Reports from files in every published layout, and errors that say what is wrong."""

import json
import os
from pathlib import Path

import pytest

from deepassay.errors import BadReports, Notice
from deepassay.reports.files import markdown_files, read_report_text, write_text
from deepassay.reports.loaders import load_reports
from deepassay.reports.looking import looked_at
from deepassay.reports.report import Report


def write(folder, files):
    """Write files given by path and content below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def names(reports):
    return [(each.agent, each.task, each.sample) for each in reports]


def test_a_folder_for_each_agent(tmp_path):
    write(tmp_path, {"a/t10.md": "x", "a/t2.md": "y", "b/t2.md": "z", "b/README.md": "no"})
    assert names(load_reports([tmp_path])) == [("a", "t2", 1), ("a", "t10", 1), ("b", "t2", 1)]


def test_files_named_qid_task_report(tmp_path):
    write(tmp_path / "model", {"qid_ab12_report.md": "x"})
    assert names(load_reports([tmp_path])) == [("model", "ab12", 1)]
    assert names(load_reports([tmp_path / "model"])) == [("model", "ab12", 1)]


def test_several_answers_to_a_task(tmp_path):
    write(tmp_path, {"a/t/answer_1.md": "x", "a/t/answer_2.md": "y"})
    assert names(load_reports([tmp_path])) == [("a", "t", 1), ("a", "t", 2)]
    assert names(load_reports([tmp_path / "a" / "t"])) == [("a", "t", 1), ("a", "t", 2)]


def test_a_single_file(tmp_path):
    write(tmp_path, {"a/t.md": "x"})
    (report,) = load_reports([tmp_path / "a" / "t.md"])
    assert (report.agent, report.task, report.text) == ("a", "t", "x")
    assert report.path == str(tmp_path / "a" / "t.md")


def test_json_lines_are_named_after_the_file_and_keep_the_prompt(tmp_path):
    lines = [{"id": 10, "prompt": "P", "article": "x"}, {"id": "2", "article": "y"}]
    content = "\ufeff" + "\n".join(map(json.dumps, lines)) + "\n\n"
    write(tmp_path, {"agent.v1.jsonl": content})
    reports = load_reports([tmp_path / "agent.v1.jsonl"])
    assert names(reports) == [("agent.v1", "2", 1), ("agent.v1", "10", 1)]
    assert [each.prompt for each in reports] == [None, "P"]


def test_files_named_after_a_stage_are_of_the_agent_of_their_folder(tmp_path):
    line = '{"id": 1, "article": "x"}'
    stages = ("x/validated.jsonl", "y/raw_results.jsonl", "z/raw_results.jsonl", "v.cleaned.jsonl")
    write(tmp_path, dict.fromkeys(stages, line))
    assert names(load_reports([tmp_path])) == [(a, "1", 1) for a in ("v", "x", "y", "z")]


def test_fields_may_be_called_as_other_sets_call_them(tmp_path):
    write(tmp_path, {"a.jsonl": '{"id": 3, "question": "Q?", "response": "x"}'})
    with pytest.warns(Notice, match="no column is known as the agent, which is called 'a' after"):
        (report,) = load_reports([tmp_path])
    assert (report.agent, report.task, report.prompt, report.text) == ("a", "3", "Q?", "x")


RESPONSE = {
    "object": "response",
    "output": [
        {
            "type": "message",
            "content": [
                {
                    "type": "output_text",
                    "text": "Tides rise.",
                    "annotations": [
                        {
                            "type": "url_citation",
                            "start_index": 0,
                            "end_index": 11,
                            "url": "https://a.example/1",
                            "title": "One",
                        }
                    ],
                }
            ],
        }
    ],
}
TEXT = "Tides rise [1].\n\n## References\n\n[1] One: https://a.example/1\n"


@pytest.mark.parametrize(
    ("name", "content", "task"),
    [
        ("a/t1.json", RESPONSE, "t1"),
        ("a/t1/answer_2.json", RESPONSE, "t1"),
        ("a/all.json", [{"id": "t1", "article": RESPONSE}], "t1"),
        ("a.jsonl", {"id": "t1", "article": RESPONSE}, "t1"),
        ("a.jsonl", {"id": "b_7", "custom_id": "t1", "response": {"body": RESPONSE}}, "t1"),
        ("a.jsonl", {"key": "t1", "response": RESPONSE}, "t1"),
    ],
)
def test_answers_of_providers_are_read_where_they_are_kept(tmp_path, name, content, task):
    write(tmp_path, {name: json.dumps(content)})
    (report,) = load_reports([tmp_path])
    assert (report.task, report.text) == (task, TEXT)
    assert report.converter == "answer-3 offsets:characters list"


def test_other_json_in_a_folder_is_passed_over_with_a_word_and_refused_when_named(tmp_path):
    write(tmp_path, {"a/t.md": "x", "a/usage.json": '{"tokens": 3}', "a/half.json": "{"})
    with (
        pytest.warns(match=r"half.json: not JSON .* It is left out"),
        pytest.warns(match=r"usage.json: it holds no answer .* It is left out"),
    ):
        assert names(load_reports([tmp_path])) == [("a", "t", 1)]
    with pytest.raises(BadReports, match="no column is known as the report"):
        load_reports([tmp_path / "a" / "usage.json"])
    with pytest.raises(BadReports, match="not JSON"):
        load_reports([tmp_path / "a" / "half.json"])


def test_text_and_html_are_reports(tmp_path):
    page = '<h1>T</h1><p>Tides rise (<a href="https://a.example/1">One</a>).</p>'
    write(tmp_path, {"a/t1.txt": "Plain.", "a/t2.html": page, "b/t1.htm": page})
    reports = load_reports([tmp_path])
    assert names(reports) == [("a", "t1", 1), ("a", "t2", 1), ("b", "t1", 1)]
    assert reports[1].text == "# T\n\nTides rise ([One](https://a.example/1)).\n"
    assert reports[1].converter.startswith("html-1 resiliparse")


def test_what_else_ends_a_line_may_stand_in_a_report(tmp_path):
    text = "one\u2028two\x85three\u2029"
    record = json.dumps({"id": 1, "article": text}, ensure_ascii=False)
    write(tmp_path, {"a.jsonl": f"\ufeff{record}\r\n\u3000\n"})
    assert [each.text for each in load_reports([tmp_path])] == [text]


def test_an_identifier_with_qid_before_it_is_that_of_the_task(tmp_path):
    write(tmp_path, {"agent.jsonl": '{"id": "qid_ab12", "article": "x"}\n'})
    (report,) = load_reports([tmp_path / "agent.jsonl"])
    assert (report.task, report.path) == ("ab12", f"{tmp_path / 'agent.jsonl'}#qid_ab12")


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
@pytest.mark.parametrize("ids", [(1, 2, 3), ("t1", "t2", "t3")])
def test_a_report_of_json_lines_has_its_file_once_in_its_place_and_the_line(tmp_path, ids):
    rows = [{"id": id, "question": f"Why {id}?", "response": f"So {id}."} for id in ids]
    lines = [*map(json.dumps, rows)]
    folder = tmp_path / "a, b"
    write(folder, {"owl.jsonl": "\n".join([lines[0], "", *lines[1:]])})
    expected = [f"{folder / 'owl.jsonl'}#line {n}" for n in (1, 3, 4)]
    assert [each.path for each in load_reports([folder])] == expected
    assert [each.path for each in looked_at(folder / "owl.jsonl")] == expected
    write(folder, {"owl.csv": "id,question,response\n1,Why?,So.\n2,How?,Thus.\n"})
    in_table = [each.path for each in load_reports([folder / "owl.csv"])]
    assert in_table == [f"{folder / 'owl.csv'}#line {n}" for n in (2, 3)]


def test_a_folder_of_reports_is_the_same_for_every_command(tmp_path):
    names = ["a/t.md", "a/u.markdown", "a/V.MD", "README.md", "a/.t.md", ".git/t.md"]
    names += ["a/w.txt", "requirements.txt"]
    write(tmp_path, dict.fromkeys(names, "x"))
    found = [str(path.relative_to(tmp_path)) for path in markdown_files([tmp_path])]
    assert found == ["a/V.MD", "a/t.md", "a/u.markdown", "a/w.txt"]
    assert {each.path for each in load_reports([tmp_path])} == {str(tmp_path / n) for n in found}


def test_the_text_is_kept_as_it_is_but_for_the_byte_order_mark(tmp_path):
    write(tmp_path, {"a/t.md": b"\xef\xbb\xbf# A\r\n\x00"})
    assert load_reports([tmp_path])[0].text == "# A\r\n\x00"


def test_reports_that_are_values_pass_through_and_paths_may_be_strings(tmp_path):
    write(tmp_path, {"b/t1.md": "x"})
    given = Report("y", agent="a", task="t1")
    found = load_reports([str(tmp_path), given])
    assert names(found) == [("a", "t1", 1), ("b", "t1", 1)]
    assert found[0] is given
    with pytest.raises(BadReports, match=r"t1\.md: a second report .* a report given as a value"):
        load_reports([Report("y", agent="b", task="t1"), tmp_path])


def test_a_report_that_comes_again_counts_once_and_is_told_of(tmp_path):
    write(tmp_path, {"one/a/t.md": "x", "two/a/t.md": "x", "two/a/u.md": "y"})
    with pytest.warns(Notice, match=r"count once: 1\. The first: .*two/a/t\.md, as .*one/a/t\.md"):
        found = load_reports([tmp_path / "one", tmp_path / "two"])
    assert names(found) == [("a", "t", 1), ("a", "u", 1)]
    given = Report("y", agent="a", task="t1")
    with pytest.warns(Notice, match="count once: 1"):
        assert load_reports([given, given]) == (given,)
    (tmp_path / "two" / "a" / "t.md").write_text("another")
    with pytest.raises(BadReports, match="a second report of agent 'a' for task 't'"):
        load_reports([tmp_path / "one", tmp_path / "two"])


BAD_FILES = [
    ({"a.jsonl": '{"id": 1, "article": "x"}\n{oops\n'}, "a.jsonl:2: not JSON"),
    ({"a.jsonl": "[1]\n"}, "a.jsonl:1: a JSON list, not an object"),
    (
        {"a.jsonl": '{"article": "x"}\n'},
        "a.jsonl: no column is known as the prompt nor as the identifier of the task (as prompt, ",
    ),
    ({"a.jsonl": '{"id": true, "article": "x"}\n'}, "a.jsonl:1: field 'id'"),
    ({"a.jsonl": '\n{"id": 1, "words": "x"}\n'}, "a.jsonl: no column is known as the report"),
    ({"a.jsonl": '{"id": 1, "article": "x", "prompt": 3}\n'}, "a.jsonl:1: field 'prompt'"),
    ({"a.jsonl": '{"id": 1, "article": "x"}\n{"id": "1", "article": "y"}\n'}, "a second report"),
    ({"a/t.md": b"caf\xe9"}, "t.md, line 1: not UTF-8 text (byte 4"),
    ({"a.jsonl": b"\xef\xbb\xbf{oops\ncaf\xe9\n"}, "a.jsonl, line 2: not UTF-8 text (byte 13"),
    ({"a/t.md": "x", "b/a/t.md": "y"}, "each may be the agent: a, b (folder 1) or a (folder 2)"),
    ({"a.jsonl": '{"id": 1, "article": {"output": []}}\n'}, "a.jsonl:1: the answer has no text"),
    ({"a/notes.odt": "x", ".hidden/t.md": "x"}, "no report in this folder"),
]


def test_the_remedy_for_another_encoding_names_one_that_does_no_harm(tmp_path):
    latin = "# Die Küste\n\nDie Gründung der Station.\n".encode("latin-1")
    write(tmp_path, {"a/t.md": "# 标题".encode("utf-16"), "b/t.md": latin})
    for agent, likely in (("a", "UTF-16"), ("b", "WINDOWS-1252")):
        with pytest.raises(BadReports) as caught:
            load_reports([tmp_path / agent])
        assert f"iconv -f {likely} " in caught.value.remedy


@pytest.mark.parametrize(("files", "message"), BAD_FILES, ids=lambda value: str(value)[:40])
def test_what_cannot_be_read_is_named_with_a_remedy(tmp_path, files, message):
    write(tmp_path, files)
    with pytest.raises(BadReports) as caught:
        load_reports([tmp_path])
    assert message in caught.value.problem
    assert caught.value.remedy


def test_all_that_cannot_be_read_is_named_at_once(tmp_path):
    write(tmp_path, {"a/ok.md": "x", "b/t.md": b"caf\xe9", "c.jsonl": "{oops\n", "d/t.json": "["})
    with pytest.raises(BadReports) as caught:
        load_reports([tmp_path, tmp_path / "nowhere", tmp_path / "d/t.json"])
    head, *named = caught.value.problem.splitlines()
    assert head == "The reports have 4 faults:"
    names = ("nowhere", "t.md, line 1", "c.jsonl:1", "t.json")
    assert [any(name in line for line in named) for name in names] == [True] * 4
    assert len(named) == 4
    assert caught.value.remedy.startswith("Correct them, or leave them out.")


@pytest.mark.parametrize("text", ["", "\n", " \n\n\u3000\n"])
def test_files_without_a_row_hold_no_report(tmp_path, text):
    write(tmp_path, {"a.jsonl": text, "b/raw.jsonl": text})
    for given in ("a.jsonl", "b"):
        with pytest.raises(BadReports, match=r"(a|raw)\.jsonl holds no report"):
            load_reports([tmp_path / given])
    with pytest.raises(BadReports, match=r"None of these holds a report: .*a\.jsonl, .*raw\.jsonl"):
        load_reports([tmp_path])
    with pytest.raises(BadReports, match="holds no report"):
        looked_at(tmp_path / "a.jsonl")
    write(tmp_path, {"c/t.md": "x", "c/u.md": "y"})
    assert names(load_reports([tmp_path])) == [("c", "t", 1), ("c", "u", 1)]


def test_of_many_faults_some_are_named_with_the_remedy_of_all(tmp_path):
    write(tmp_path, {f"a{number:02}.jsonl": "[1]\n" for number in range(12)})
    with pytest.raises(BadReports) as alone:
        load_reports([tmp_path / "a00.jsonl"])
    with pytest.raises(BadReports) as caught:
        load_reports([tmp_path])
    named = caught.value.problem.splitlines()[1:]
    assert "a00.jsonl:1" in named[0]
    assert named[10:] == ["  and 2 more"]
    assert caught.value.remedy == alone.value.remedy


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("a.jsonl", '{"id": 1, "article": "x"}\n\n{"id": "qid_1", "article": "y"}\n', (":3", ":1")),
        (
            "a.json",
            '[{"id": 1, "article": "x"}, {"id": 1, "article": "y"}]',
            (", object 2", ", object 1"),
        ),
    ],
)
def test_rows_of_one_task_are_named_by_their_places(tmp_path, name, text, places):
    write(tmp_path, {name: text})
    with pytest.raises(BadReports) as caught:
        load_reports([tmp_path])
    second, first = (f"{tmp_path / name}{place}" for place in places)
    assert caught.value.problem.startswith(f"{second}: a second report of agent 'a'")
    assert caught.value.problem.endswith(f"the first is {first}")


def test_a_path_that_is_not_there_and_a_file_of_another_kind(tmp_path):
    with pytest.raises(BadReports, match="there is no such file or folder"):
        load_reports([tmp_path / "nowhere"])
    write(tmp_path, {"a.odt": "x"})
    with pytest.raises(BadReports, match="not a kind of file that holds reports"):
        load_reports([tmp_path / "a.odt"])


def test_the_same_files_in_any_order_give_the_same_reports(tmp_path):
    write(tmp_path, {"a/t1.md": "x", "b/t1.md": "y"})
    folders = [tmp_path / "a", tmp_path / "b"]
    assert load_reports(folders) == load_reports(reversed(folders))


def test_a_link_to_a_folder_or_a_file_is_named_by_where_it_stands(tmp_path):
    write(tmp_path, {"store/x1.md": "x", "r/b/t1.md": "y"})
    (tmp_path / "r" / "a").symlink_to(tmp_path / "store")
    (tmp_path / "r" / "c").mkdir()
    (tmp_path / "r" / "c" / "t1.md").symlink_to(tmp_path / "store" / "x1.md")
    found = load_reports([tmp_path / "r"])
    assert names(found) == [("a", "x1", 1), ("b", "t1", 1), ("c", "t1", 1)]
    assert names(load_reports([tmp_path / "r" / "a"])) == [("a", "x1", 1)]


def test_folders_that_lead_back_to_themselves_end(tmp_path):
    write(tmp_path, {"a/t.md": "x", "b/t.md": "y"})
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a")
    found = [str(path.relative_to(tmp_path)) for path in markdown_files([tmp_path / "a"])]
    assert found == ["a/t.md", "a/up/b/t.md"]
    assert names(load_reports([tmp_path / "b"])) == [("b", "t", 1)]


def test_a_folder_that_may_not_be_read_says_so(tmp_path, monkeypatch):
    write(tmp_path, {"a/t.md": "x", "closed/t.md": "x"})

    def guarded(read):
        def guard(path):
            if Path(path).name == "closed":
                raise PermissionError(13, "Permission denied")
            return read(path)

        return guard

    for name in ("scandir", "listdir"):  # Path.iterdir takes the one or the other
        monkeypatch.setattr(os, name, guarded(getattr(os, name)))
    for folder in (tmp_path, tmp_path / "closed"):
        with pytest.raises(BadReports, match=r"closed: the folder cannot be read \(Permission"):
            load_reports([folder])


@pytest.mark.parametrize(
    "name", [b"a\xff/t.md", b"a/t\xff.md", b"a/t\xff/answer_1.md", b"a\xff.jsonl"]
)
def test_a_name_that_is_not_utf8_is_told(tmp_path, name):
    try:
        write(tmp_path, {os.fsdecode(name): '{"id": 1, "article": "x"}'})
    except OSError:
        pytest.skip("this file system takes only names in UTF-8")
    with pytest.raises(BadReports, match=r"\\udcff.*: the name is not UTF-8") as caught:
        load_reports([tmp_path])
    assert str(caught.value).encode()


def test_a_link_to_nowhere_and_a_pipe_are_no_reports(tmp_path):
    (tmp_path / "t.md").symlink_to(tmp_path / "gone.md")
    with pytest.raises(BadReports, match="the link leads to no file"):
        load_reports([tmp_path])
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(BadReports, match="not a regular file"):
        read_report_text(tmp_path / "pipe.md")


def test_what_is_written_through_a_link_changes_the_file_it_leads_to(tmp_path):
    write(tmp_path, {"store/t.md": "old"})
    (tmp_path / "t.md").symlink_to(Path("store") / "t.md")
    write_text(tmp_path / "t.md", "new")
    assert (tmp_path / "t.md").is_symlink()
    assert (tmp_path / "store" / "t.md").read_text() == "new"
    assert [path.name for path in (tmp_path / "store").iterdir()] == ["t.md"]


def test_a_read_only_file_is_left_as_it_is(tmp_path):
    write(tmp_path, {"t.md": "old"})
    (tmp_path / "t.md").chmod(0o444)
    with pytest.raises(BadReports, match="read-only"):
        write_text(tmp_path / "t.md", "new")
    assert (tmp_path / "t.md").read_text() == "old"
