"""Agents by family, and scores that others published, as rankings take them."""

import json
from pathlib import Path

import pytest

import deepassay
from deepassay.errors import BadInput, BadRunFile, BadSetting
from deepassay.results.families import Profile
from deepassay.results.ranking import rank
from deepassay.run.showing.boards import read_scores, scores_of
from deepassay.run.showing.paper_layouts import PrintedFrom, as_printed
from deepassay.run.showing.profiles import read_profiles
from deepassay.runfile import RunFile
from deepassay.score import Unscored

CSV = "agent,family,collected\nheron,multi-agent,2026-05-04\nwren,single agent,\n"
YAML = """\
- {agent: heron, family: multi-agent, collected: 2026-05-04}
- {agent: wren, family: single agent}
"""
LINES = (
    '{"agent": "heron", "family": "multi-agent", "collected": "2026-05-04"}\n'
    '{"agent": "wren", "family": "single agent"}\n'
)


@pytest.mark.parametrize(("name", "text"), [("a.csv", CSV), ("a.yaml", YAML), ("a.jsonl", LINES)])
def test_three_kinds_of_file_say_the_same(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert list(read_profiles(tmp_path / name).values()) == [
        Profile("heron", "multi-agent", "2026-05-04"),
        Profile("wren", "single agent"),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "agent,family\nheron,x\nheron,y\n",
            "line 3: the agent 'heron' stands there for the second",
        ),
        ("agent,familie\nheron,x\n", "line 2: there is no field 'familie'"),
        ("agent,family\nheron,\n", "line 2: the field 'family' is missing or empty"),
        ("family\nx\n", "line 2: the field 'agent' is missing or empty"),
        ("agent,family\n", "names no agent"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, says):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(BadInput, match=says):
        read_profiles(tmp_path / "a.csv")


def test_a_file_that_is_not_there_is_told(tmp_path):
    for name in ("a.csv", "a.yaml"):
        with pytest.raises(BadInput, match="cannot be read"):
            read_profiles(tmp_path / name)


ROW = {
    "id": 1, "prompt": "Why?", "comprehensiveness": 0.5, "insight": 0.4,
    "instruction_following": 0.6, "readability": 0.5, "overall_score": 0.51,
}  # fmt: skip


def write(path, *rows):
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_files_named_after_a_stage_are_of_the_agents_of_their_folders(tmp_path):
    files = [tmp_path / agent / "raw_results.jsonl" for agent in ("heron", "wren")]
    for file in files:
        file.parent.mkdir()
        write(file, ROW)
    assert [each.agent for each in scores_of(files)] == ["heron", "wren"]


def test_files_of_one_agent_are_its_passes(tmp_path):
    first = write(tmp_path / "onyx.run01.jsonl", ROW, ROW | {"id": 2})
    second = write(tmp_path / "onyx.run02.jsonl", ROW | {"overall_score": 0.6})
    alone = write(tmp_path / "claude-3.7.jsonl", ROW)
    found = scores_of([second, alone, first])
    assert [(each.agent, each.task, each.repeat) for each in found] == [
        ("claude-3.7", "1", 0),
        ("claude-3.7", "2", 0),
        ("onyx", "1", 1),
        ("onyx", "2", 1),
        ("onyx", "1", 2),
        ("onyx", "2", 2),
    ]
    assert found[4].outcome.value == 0.6
    assert found[4].outcome.parts["insight"] == 0.4
    assert isinstance(found[5].outcome, Unscored)
    assert "onyx.run02.jsonl has no row" in found[5].outcome.detail
    assert len({each.signature.digest for each in found}) == 1


def test_a_name_is_the_judge_of_all_files_but_those_with_one_of_their_own(tmp_path):
    files = [write(tmp_path / f"{agent}.jsonl", ROW) for agent in ("onyx", "heron", "wren")]

    def judges(*judged_by):
        found = scores_of(files, judged_by)
        return {each.agent: each.signature.identity["judges"][0]["model"] for each in found}

    assert set(judges().values()) == {"not stated"}
    assert set(judges("gemini").values()) == {"gemini"}
    assert judges("gemini", f"{files[1]}=gpt") == {
        "heron": "gpt",
        "onyx": "gemini",
        "wren": "gemini",
    }
    with pytest.raises(BadInput, match="not made by one recipe") as error:
        rank(scores_of(files, [f"{files[1]}=gpt"]))
    assert "--judged-by" in error.value.remedy
    (board,) = rank(scores_of(files, [f"{files[1]}=gpt", "gemini"]), allow_mixed=True)
    assert len(board.recipes) == 2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["other.jsonl=gpt"], "names no judge of a published file"),
        (["onyx.jsonl="], "names no judge of a published file"),
        (["gpt", "gemini"], "names two judges of all files"),
        (["onyx.jsonl=gpt", "onyx.jsonl=gemini"], "names two judges of onyx.jsonl"),
    ],
)
def test_what_names_no_judge_of_a_file_is_refused(tmp_path, monkeypatch, given, says):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadSetting, match=says):
        scores_of([write(Path("onyx.jsonl"), ROW)], given)


def test_a_run_file_says_itself_who_judged(tmp_path):
    with RunFile.create(tmp_path / "a.assay"):
        pass
    with pytest.raises(BadSetting, match="run files say themselves who judged"):
        scores_of([tmp_path / "a.assay"], ["gpt"])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("folder", "Is a directory"),
        ("nowhere.assay", "there is no such run file"),
        ("a.txt", "not a run"),
    ],
)
def test_what_is_no_run_file_is_told_of_before_who_judged(tmp_path, name, says):
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.txt").write_text("scores")
    for said in ([], ["gpt"], [f"{tmp_path / name}=gpt"]):
        with pytest.raises(BadRunFile, match=says):
            read_scores([tmp_path / name], said)


def test_tables_of_papers_do_not_mix_judges_either(tmp_path):
    files = [write(tmp_path / f"{agent}.jsonl", ROW) for agent in ("onyx", "heron")]
    with pytest.raises(BadInput, match="do not say who judged heron, onyx"):
        as_printed("bench:table1", PrintedFrom(files))
    with pytest.raises(BadInput, match="not made by one recipe"):
        as_printed("bench:table1", PrintedFrom(files, judged_by=["gemini", f"{files[0]}=gpt"]))
    text = as_printed("bench:table1", PrintedFrom(files, judged_by=["gemini"])).written("text")
    assert "heron" in text and "onyx" in text
    view = deepassay.paper_table("bench:table1", list(map(str, files)), judged_by="gemini")
    assert f"{view}\n" == text
    assert [row[view.tables[0].head[0]] for row in view] == ["heron", "onyx"]
    with pytest.raises(BadSetting, match="is no path"):
        deepassay.paper_table("bench:table1", [3])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([ROW, ROW], "line 2: id is missing, or there a second time"),
        ([{**ROW, "overall_score": "high"}], "line 1: overall_score is not a number"),
        ([{**ROW, "insight": True}], "line 1: insight is not a number"),
        ([{**ROW, "overall_score": 42.3}], "line 1: overall_score is 42.3, and RACE's .* 0 to 1"),
        ([{**ROW, "overall_score": -0.01}], "line 1: overall_score is -0.01, and"),
        ([ROW, {**ROW, "id": 2, "readability": 1.2}], "line 2: readability is 1.2, and"),
        ([{"prompt": "Why?"}], "line 1: id is missing"),
    ],
)
def test_other_rows_are_refused_with_their_line(tmp_path, rows, says):
    with pytest.raises(BadInput, match=says):
        scores_of([write(tmp_path / "onyx.jsonl", *rows)])


def test_one_pass_may_not_count_twice(tmp_path):
    (tmp_path / "other").mkdir()
    files = [write(folder / "onyx.run1.jsonl", ROW) for folder in (tmp_path, tmp_path / "other")]
    with pytest.raises(BadInput, match="are both judgement 1 of onyx"):
        scores_of(files)


def report(task, *results):
    facts = [f"Fact {number}." for number, _ in enumerate(results)]
    verdicts = [{"idx": number, "result": result} for number, result in enumerate(results)]
    page = {"facts": facts, "validate_res": verdicts, "validate_error": None}
    deduped = {"https://a.example/": page} if results else {}
    return {"id": task, "prompt": "Why?", "citations": facts, "citations_deduped": deduped}


def test_published_verdicts_are_scores_of_fact_and_a_report_that_cites_nothing_is_0(tmp_path):
    rows = report(1, "supported", "unsupported"), report(2)
    failed = report(3) | {"citations": "extraction failed"}
    path = write(tmp_path / "dls.run2.validated.jsonl", *rows, failed)
    found = scores_of([path, write(tmp_path / "dls.run2.jsonl", ROW)])
    race, *fact = sorted(found, key=lambda each: each.protocol != "race")
    assert (race.protocol, race.agent, race.repeat) == ("race", "dls", 2)
    assert [(each.protocol, each.agent, each.task, each.repeat) for each in fact] == [
        ("fact", "dls", "1", 2),
        ("fact", "dls", "2", 2),
        ("fact", "dls", "3", 2),
    ]
    assert [each.outcome.value for each in fact[:2]] == [0.5, 0.0]
    assert isinstance(fact[2].outcome, Unscored)
    assert fact[0].outcome.details["counts"]["supported"] == 1


def table_of_citations(path):
    (board,) = rank(scores_of([path]))
    table = board.tables[0]
    return dict(zip(table.head, table.rows[0], strict=True)), table.notes


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_each_column_of_published_verdicts_is_counted_by_its_own_edition(tmp_path):
    """Labels off the menu: no verdict to the paper, `not supported` to the released program."""
    rows = report(1, "supported", "", "unknown"), report(2, "supported")
    row, notes = table_of_citations(write(tmp_path / "dls.validated.jsonl", *rows))
    assert (row["rate (code)"], row["judged (code)"], row["E.Cit (code)"]) == (
        *("0.6667", "1.50", "1.00"),
    )
    assert (row["tasks"], row["C.Acc (paper)"], row["E.Cit (paper)"]) == ("1/2", "1.0000", "1.00")
    assert any("the columns of each edition are counted as that edition does" in n for n in notes)


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_a_recall_that_nobody_can_know_is_a_dash(tmp_path):
    """Of a page without usable verdicts it came out as -4.5."""
    rows = report(1, "supported"), report(2, *["", "supported"] * 5)
    row, notes = table_of_citations(write(tmp_path / "dls.validated.jsonl", *rows))
    assert (row["recall (pooled)"], row["uncited (pooled)"]) == ("–", "–")
    assert any("recall, uncited –: the reports are not in such a file" in note for note in notes)


def test_where_the_released_program_stops_its_columns_are_dashes(tmp_path):
    whole, lacking = report(1, "supported"), report(2, "supported")
    del lacking["citations"]
    row, notes = table_of_citations(write(tmp_path / "dls.validated.jsonl", whole, lacking))
    assert (row["rate (code)"], row["C.Acc (paper)"]) == ("–", "1.0000")
    assert "(code) –: the released program stops at these verdicts." in notes


@pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")
def test_the_released_figures_stand_in_the_columns_named_after_them(shared, tmp_path):
    golden = shared / "golden/bench/fact_stat"
    for case in json.loads((golden / "expected.json").read_text()):
        lines = (case["fact_result_txt"] or "").splitlines()
        told = {name: float(value) for name, value in (line.split(": ") for line in lines)}
        if len(told) < 3 or case["case"] == "duplicate_ids_counted_twice":
            continue
        row, _ = table_of_citations(golden / f"{case['case']}.validated.jsonl")
        assert row["rate (code)"] == f"{told['valid_rate']:.4f}"
        assert row["judged (code)"] == f"{told['total_citations']:.2f}"
        assert row["E.Cit (code)"] == f"{told['total_valid_citations']:.2f}"


def test_a_file_without_verdicts_is_refused(tmp_path):
    with pytest.raises(BadInput, match="holds no reports"):
        scores_of([write(tmp_path / "dls.validated.jsonl")])


def test_a_run_file_may_be_called_as_its_user_likes(tmp_path):
    with RunFile.create(tmp_path / "run.jsonl"):
        pass
    assert scores_of([tmp_path / "run.jsonl"]) == []
