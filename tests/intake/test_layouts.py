"""How tables lie on a sheet or in a file, and what reports become of them."""

import csv
import io
import json
import re
import shlex
import warnings

import pytest

from deepassay.errors import BadInput, BadReports, BadTasks, Notice
from deepassay.files import BadFile
from deepassay.intake.choices import choices_in
from deepassay.intake.columns import NamedColumns
from deepassay.intake.tables import tables_of
from deepassay.reports.loaders import load_reports, reports_of
from deepassay.run.asking.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.tasks.loaders import load_tasks, tasks_of

LONG = "# Report\n\nIt depends on the pump [1]. "

pytestmark = pytest.mark.filterwarnings("ignore:.*no column is known as the agent")


def as_csv(*lines):
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue()


def saved(folder, *lines, name="table.csv"):
    path = folder / name
    path.write_text(as_csv(*lines), encoding="utf-8")
    return path


def read(path, said=None):
    columns = NamedColumns.of(said)
    found = load_reports([path], columns=columns)
    columns.refuse_unmet()
    return [(each.agent, each.sample, each.text) for each in found]


def option_in(error):
    return shlex.split(error.remedy[error.remedy.index("--columns") :])[1]


def fields(*lines, said=None):
    raw = as_csv(*lines).encode()
    return [dict(row.fields) for row in tables_of(raw, ".csv", "t.csv", NamedColumns.of(said))[""]]


ROW = {"Question": "Why?", "Answer": "So."}


@pytest.mark.parametrize(
    "above",
    [
        [["Pilot", ""]],
        [["Owner", "Dana"]],
        [["Pilot", ""], ["", ""]],
    ],
)
def test_what_stands_above_the_head_is_none_of_it(above):
    wide = [[*line, ""] for line in above]
    found = fields(*wide, ["Question", "Answer", "Model"], ["Why?", "So.", "m"])
    assert found == [ROW | {"Model": "m"}]


def test_the_line_of_the_head_can_be_said():
    lines = [["a", "b"], ["Question", "Answer"], ["Why?", "So."]]
    assert fields(*lines, said="head=2") == [ROW]
    assert fields(*lines[2:], said="head=0") == [{"column 1": "Why?", "column 2": "So."}]
    with pytest.raises(BadFile, match="on that line stands nothing"):
        fields(*lines, said="head=9")


def test_a_text_is_no_head():
    assert fields(["Why so?", LONG], ["How so?", LONG])[0] == {
        "column 1": "Why so?",
        "column 2": LONG,
    }


def test_heads_in_two_lines_are_read_together(tmp_path):
    lines = [
        ["", "Heron", "", "Wren", ""],
        ["Question", "Answer", "Score", "Answer", "Score"],
        ["Why so?", f"{LONG}A.", "4", f"{LONG}B.", "5"],
    ]
    path = saved(tmp_path, *lines)
    with pytest.raises(BadReports) as caught:
        read(path)
    with pytest.warns(Notice, match="'Heron Score', 'Wren Score'"):
        found = read(path, option_in(caught.value))
    assert found == [("Heron", 1, f"{LONG}A."), ("Wren", 1, f"{LONG}B.")]
    with pytest.raises(BadFile, match="'Answer' stands there twice"):
        fields(*lines[1:])


def test_a_line_of_marks_below_the_head_is_none_of_the_rows():
    mark = '{"ImportId":"QID1"}'
    found = fields(
        ["Q1", "Q2"], ["Which question?", "Which answer?"], [mark, mark], ["Why?", "So."]
    )
    assert found == [{"Which question?": "Why?", "Which answer?": "So."}]


def test_prompts_may_be_the_head(tmp_path):
    asked = ["Why does a heat pump need so much power?", "How warm is a house that has one in May?"]
    path = saved(tmp_path, ["Model", *asked], ["m", f"{LONG * 5}A.", f"{LONG * 5}B."])
    with pytest.raises(BadTasks) as caught:
        load_tasks(path)
    said = option_in(caught.value)
    assert said == "prompt=(head)"
    assert [task.prompt for task in load_tasks(path, columns=NamedColumns.of(said))] == asked
    assert {text[-2:] for _, _, text in read(path, said)} == {"A.", "B."}


def test_several_answers_are_numbered_if_people_say_so(tmp_path):
    rows = [["Why?", "m", f"{LONG}{n}"] for n in (1, 2)]
    path = saved(tmp_path, ["question", "model", "answer"], *rows)
    with pytest.raises(BadReports, match="a second report of agent 'm'") as caught:
        read(path)
    assert option_in(caught.value) == "sample=(order)"
    assert read(path, "sample=(order)") == [("m", 1, f"{LONG}1"), ("m", 2, f"{LONG}2")]


@pytest.mark.parametrize(
    ("head", "values", "samples"),
    [("seed", ["0", "7"], [1, 2]), ("epoch", ["1", "2"], [1, 2]), ("run", ["b", "a"], [2, 1])],
)
def test_a_column_numbers_answers_where_that_tells_them_apart(tmp_path, head, values, samples):
    rows = [["Why?", "m", each, f"{LONG}{each}"] for each in values]
    path = saved(tmp_path, ["question", "model", head, "answer"], *rows)
    assert {(n, text) for _, n, text in read(path)} == {
        (n, f"{LONG}{each}") for n, each in zip(samples, values, strict=True)
    }
    once = [["Why?", "m", "5", LONG], ["How?", "m", "5", LONG]]
    with pytest.warns(Notice, match=f"not used: '{head}'"):
        found = read(saved(tmp_path, ["question", "model", head, "answer"], *once))
    assert {n for _, n, _ in found} == {1}


@pytest.mark.parametrize(
    ("columns", "agents"),
    [
        (["Respuesta Heron", "Respuesta Wren"], {"Heron", "Wren"}),
        (["heron_answer", "wren_answer"], {"heron", "wren"}),
        (["heron-3", "wren-2"], {"heron-3", "wren-2"}),
        (["answer 1", "answer 2"], {"1", "2"}),
    ],
)
def test_agents_of_a_wide_table_are_called_without_what_all_columns_share(
    tmp_path, columns, agents
):
    path = saved(tmp_path, ["question", *columns], ["Why?", f"{LONG}A.", f"{LONG}B."])
    found = read(path, ",".join(f"report={each}" for each in columns))
    assert {agent for agent, _, _ in found} == agents
    assert {n for _, n, _ in found} == {1}
    once = read(path, ",".join(f"report={each}" for each in columns) + ",sample=(order)")
    assert [(agent, n) for agent, n, _ in once] == [("table", 1), ("table", 2)]


def test_a_column_of_files_is_read_from_the_folder_of_the_table(tmp_path):
    (tmp_path / "out").mkdir()
    for n in (1, 2):
        (tmp_path / "out" / f"{n}.md").write_text(f"{LONG}{n}")
    rows = [["Why?", "m", "out/1.md"], ["How?", "m", "out/2.md"]]
    path = saved(tmp_path, ["question", "model", "file"], *rows)
    with pytest.raises(BadReports) as caught:
        read(path)
    assert option_in(caught.value) == "report=file"
    assert {text for _, _, text in read(path, "report=file")} == {f"{LONG}1", f"{LONG}2"}
    (tmp_path / "in").mkdir()
    out = saved(tmp_path / "in", ["question", "report"], ["Why?", "../out/1.md"])
    with pytest.raises(BadReports, match=r"'../out/1.md' is no report in the folder of the table"):
        read(out)


def test_a_text_with_tabs_is_a_table_of_reports(tmp_path):
    path = tmp_path / "all.txt"
    path.write_bytes("Question\tModel\tAnswer\r\nWhy?\tm\tBecause [1].\r\n".encode("utf-16"))
    assert read(path) == [("m", 1, "Because [1].")]
    path.write_text("A report.\tWith a tab.\n")
    assert [text for _, _, text in read(path)] == ["A report.\tWith a tab.\n"]


def test_sheets_are_put_together_or_agents_if_people_say_so(tmp_path):
    both = {name: [{"question": "Why?", "answer": f"{LONG}{name}"}] for name in ("heron", "wren")}
    path = tmp_path / "all.json"
    path.write_text(json.dumps(both))
    with pytest.raises(BadReports, match="2 sheets may be meant: 'heron', 'wren'") as caught:
        read(path)
    assert option_in(caught.value) == "agent=(sheet)"
    assert {agent for agent, _, _ in read(path, "agent=(sheet)")} == {"heron", "wren"}
    assert len(read(path, "sheet=heron,sheet=wren,sample=(order)")) == 2
    assert read(path, "sheet=wren") == [("all", 1, f"{LONG}wren")]


class Frame:
    """A table of another package, as far as it is looked at."""

    def __init__(self, rows):
        self._rows = rows

    def to_dicts(self):
        return self._rows


@pytest.mark.parametrize("given", [list, Frame], ids=["a list", "a frame"])
def test_python_takes_tables_by_the_same_door(given):
    talk = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": LONG}]
    rows = given([{"messages": talk, "model": "m"}])
    assert [task.prompt for task in tasks_of(rows)] == ["Why?"]
    assert [(each.agent, each.text, each.prompt) for each in reports_of(rows)] == [
        ("m", LONG, "Why?")
    ]
    spread = given([{"question": "Why?", "runs": [{"model": "m", "answer": LONG}]}])
    assert [(each.agent, each.text) for each in reports_of(spread)] == [("m", LONG)]
    (task,) = tasks_of({"set": {"items": [{"question": "Why?"}, {"question": "How?"}]}})[:1]
    assert re.fullmatch(r"p-\w{10}", task.id)


def answers(*agents):
    return [[q, a, f"{LONG}{q}{a}"] for q in ("Why so?", "How so?") for a in agents]


@pytest.mark.parametrize("head", [["Query", "Bot", "Reply"], ["query", "x", "y"]])
@pytest.mark.parametrize("name", ["", "values", "rows"])
def test_lines_of_cells_have_a_head_where_the_first_reads_like_one(tmp_path, head, name):
    lines = [head, *answers("tern", "auk"), ["Which?"]]
    value = {"range": "A1:C6", name: lines} if name else lines
    raw = json.dumps(value).encode()
    (found,) = tables_of(raw, ".json", "s.json").values()
    assert [[*row.fields.values()] for row in found] == [*lines[1:-1], ["Which?", None, None]]
    assert [*found[0].fields] == head


def test_lines_of_cells_without_a_head_are_all_rows_unless_said(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps([["Yes", "auk", "No."], *answers("tern", "auk")]))
    (found,) = tables_of(path.read_bytes(), ".json", "s.json").values()
    assert [[*row.fields] for row in found] == [["column 1", "column 2", "column 3"]] * 5
    assert len(read(path, "head=1,prompt=Yes,agent=auk,report=No.")) == 4


def test_a_pivot_has_the_levels_of_its_head_in_one(tmp_path):
    texts = [f"{LONG}{n}" for n in range(4)]
    path = saved(
        tmp_path,
        ["", "answer", "answer", "seconds", "seconds"],
        ["model", "auk", "tern", "auk", "tern"],
        ["question", "", "", "", ""],
        ["Why?", *texts[:2], 1, 2],
        ["How?", *texts[2:], 3, 4],
    )
    with pytest.raises(BadReports) as caught:
        read(path)
    said = option_in(caught.value)
    assert said == "report=answer auk,report=answer tern"
    with pytest.warns(Notice, match="not used: 'seconds auk', 'seconds tern'"):
        found = {(agent, text) for agent, _, text in read(path, said)}
    assert found == {(("auk", "tern")[n % 2], text) for n, text in enumerate(texts)}


def test_the_same_answer_again_is_one_and_told_of(tmp_path):
    row = ["Why?", "auk", LONG]
    path = saved(tmp_path, ["question", "model", "response"], row, ["Why?", "tern", LONG], row)
    with pytest.warns(Notice, match=r"count once: 1\. The first: .*line 10, as .*line 4"):
        assert {agent for agent, _, _ in read(path)} == {"auk", "tern"}
    path = saved(tmp_path, ["question", "model", "response"], row, [*row[:2], f"{LONG}2"])
    with pytest.raises(BadReports, match="a second report of agent 'auk'"):
        read(path)


def test_a_remark_and_sums_below_a_table_are_no_rows():
    head = ["#", "Asked", "GPT's answer", "Score"]
    rows = [["1", "Why?", "So.", "4"], ["2", "How?", "Thus.", "2"]]
    remark = ["Scored from 1 to 5 by two people", "", "", ""]
    sums = ["", "Average", "", "3"]
    with pytest.warns(Notice, match="as it stands below the table"):
        assert len(fields(head, *rows, sums, ["", "", "", ""], remark)) == 2
    with pytest.warns(Notice, match="as it stands below the table"):
        assert len(fields(head, *rows, sums, remark)) == 2
    assert len(fields(head, *rows, remark)) == 3  # right below a row it may be one
    asked = ["", "What else?", "", ""]
    assert len(fields(head, *rows, ["", "", "", ""], asked)) == 3  # where others are asked


def test_a_column_of_remarks_beside_prompts_in_the_head_can_be_left_out(tmp_path):
    asked = ["Why do swifts sleep in the air?", "Where do the gulls of Hull nest?"]
    said = ["Long but careful, I would use this one", "Great tables, weak on the second"]
    texts = ["# A\n\n" + LONG * 2, "# B\n\n" + LONG * 3]
    rows = [[tool, *(f"{text}{tool}" for text in texts)] for tool in ("tern", "auk")]
    lines = [[*row, take] for row, take in zip(rows, said, strict=True)]
    path = saved(tmp_path, ["Tool", *asked, "My take"], *lines)
    with pytest.raises(BadInput) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plan_of(path, [path], Settings())
    first = choices_in(caught.value)[0]
    assert first.said == (("prompt", "(head)"), ("drop", "My take"))
    with pytest.warns(Notice, match="not used: 'My take'"):
        plan = plan_of(path, [path], Settings(columns=option_in(caught.value)))
    assert {each.prompt for each in plan.tasks.values()} == {*asked}
    assert len(plan.reports) == 4
