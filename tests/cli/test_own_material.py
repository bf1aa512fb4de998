"""Tasks and reports as people have them, given to the commands as a user types them."""

import json
import shlex

import pytest

from tests.intake.test_tables import workbook, written

ASKED = {"wind": "What do wind turbines do to birds?", "rail": "Why do trains, at night, return?"}
DE = {"1": "Was kostet Öl für große Häuser?", "2": "Wie wirken Wärmepumpen auf Stromnetze?"}


def report(prompt, agent):
    return f"# {prompt}\n\nIn short: {agent} says, and shows; so [1].\n\n[1] https://a.example/x\n"


def rows(asked=ASKED, agents=("heron", "wren")):
    return [[k, q, a, report(q, a)] for a in agents for k, q in asked.items()]


@pytest.fixture
def estimated(deepassay, tmp_path):
    """What `estimate` says first of files that are written."""

    def run(tasks, *more, reports=None, columns=None):
        said = ("--columns", columns) if columns else ()
        given = [tmp_path / each for each in ([reports] if reports else [tasks])]
        terms = ("--protocol", "presentation", "--run", tmp_path / "none.assay", *said, *more)
        done = deepassay("estimate", tmp_path / tasks, *given, *terms)
        return done, (done.stdout.splitlines() or [""])[0]

    return run


WHOLE = "2 tasks, 2 agents, 4 of 4 reports."


@pytest.mark.parametrize(
    ("separator", "encoding"),
    [(",", "utf-8"), (";", "cp1252"), ("\t", "utf-16"), ("|", "utf-8-sig")],
)
def test_one_sheet_of_prompts_agents_and_answers_is_enough(
    estimated, tmp_path, separator, encoding
):
    table = [["Nr.", "Frage", "System", "Antwort"], *rows(DE)]
    (tmp_path / "sheet.csv").write_bytes(written(table, separator).encode(encoding))
    done, first = estimated("sheet.csv")
    assert (done.returncode, first) == (0, WHOLE), done.stderr


def test_a_table_of_both_is_told_to_be_given_twice(deepassay, tmp_path):
    path = tmp_path / "my sheet.csv"
    path.write_text(written([["id", "Question", "Agent", "Answer"], *rows()]))
    done = deepassay("evaluate", path)
    assert (done.returncode, "No reports are named." in done.stderr) == (2, True)
    _, words = done.stderr.strip().rsplit("twice: deepassay ", 1)
    terms = ("--protocol", "presentation", "--run", tmp_path / "a.assay")
    done = deepassay(*shlex.split(words), *terms)
    assert (done.returncode, done.stderr.splitlines()[0]) == (0, WHOLE)


def test_row_numbers_are_no_identifiers_of_tasks(estimated, tmp_path):
    table = [[n, *row[1:]] for n, row in enumerate(rows(), start=1)]
    (tmp_path / "sheet.csv").write_text(written([["id", "query", "model", "output"], *table]))
    assert estimated("sheet.csv")[1] == WHOLE
    (tmp_path / "t.json").write_text(json.dumps(ASKED))
    bare = [[row[0], row[2], row[3]] for row in table]
    (tmp_path / "bare.csv").write_text(written([["id", "model", "output"], *bare]))
    done, _ = estimated("t.json", reports="bare.csv")
    assert done.returncode == 2
    assert "'id' seems to number the rows and not the tasks" in done.stderr


def test_a_workbook_has_a_sheet_for_each(estimated, tmp_path):
    pytest.importorskip("python_calamine")
    workbook(
        tmp_path / "pilot.xlsx",
        {
            "Questions": [["Pilot"], ["#", "Question"], [1, ASKED["wind"]], [2, ASKED["rail"]]],
            "Answers": [["#", "System", "Answer"]]
            + [[n, a, report(q, a)] for a in ("x", "y") for n, q in enumerate(ASKED.values(), 1)],
        },
    )
    assert estimated("pilot.xlsx")[1] == WHOLE


def test_prompts_a_line_and_answers_without_identifiers_meet_by_the_prompt(estimated, tmp_path):
    (tmp_path / "prompts.txt").write_text("\n".join(ASKED.values()))
    lines = [
        {"prompt": f" {q}\n", "response": report(q, "a"), "agent": "a"} for q in ASKED.values()
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines[:1])))
    _, first = estimated("prompts.txt", reports="a.jsonl")
    assert first == f"2 tasks, 1 agent, 1 of 2 reports; task {ASKED['rail']!r} has none of a."


def test_identifiers_that_are_made_stay_when_rows_are_added(tmp_path):
    from deepassay.tasks.loaders import load_tasks

    path = tmp_path / "prompts.txt"
    path.write_text("\n".join(ASKED.values()))
    before = [task.id for task in load_tasks(path)]
    path.write_text("\n".join(["Something new?", *ASKED.values()]))
    assert [task.id for task in load_tasks(path)][1:] == before


def followed(estimated, done, *given, **more):
    """The command again with the first option that the refusal names."""
    words = shlex.split(done.stderr[done.stderr.rindex("Say which") :])
    return estimated(*given, columns=words[words.index("--columns") + 1], **more)


def test_what_a_refusal_says_is_what_helps(estimated, tmp_path):
    table = [["Topic area", "What we asked", "Which bot", "What it said"], *rows()]
    (tmp_path / "export.csv").write_text(written(table))
    done, _ = estimated("export.csv")
    assert done.returncode == 2
    assert '"What we asked": "What do wind turbines do to birds?"' in done.stderr
    assert (
        "\n    --columns 'prompt=What we asked,report=What it said,agent=Which bot'" in done.stderr
    )
    assert followed(estimated, done, "export.csv")[1] == WHOLE


def test_a_wide_table_has_a_column_for_each_agent(estimated, tmp_path):
    pairs = [[q, report(q, "a") * 5, report(q, "b") * 5] for q in ASKED.values()]
    pairs[1][2] = ""
    (tmp_path / "wide.csv").write_text(written([["Question", "Deep A", "Deep B"], *pairs]))
    done, _ = estimated("wide.csv")
    assert done.returncode == 2
    done, first = followed(estimated, done, "wide.csv")
    asked = pairs[1][0]
    assert first == f"2 tasks, 2 agents, 3 of 4 reports; task {asked!r} has none of Deep B."


def test_answers_by_agent_in_a_field_are_a_wide_table(estimated, tmp_path):
    given = {
        key: {"prompt": q, "answers": {a: report(q, a) * 5 for a in ("gpt-4.1", "wren")}}
        for key, q in ASKED.items()
    }
    (tmp_path / "all.json").write_text(json.dumps(given))
    done, _ = estimated("all.json")
    line = "report=answers.gpt-4.1,report=answers.wren  (an agent each; 2 tasks, 4 reports of "
    assert line + "gpt-4.1, wren)" in done.stderr
    given["rail"]["answers"]["gpt-4.1"] = None
    (tmp_path / "all.json").write_text(json.dumps(given))
    done, first = followed(estimated, done, "all.json")
    assert first == "2 tasks, 2 agents, 3 of 4 reports; task rail has none of gpt-4.1."


@pytest.mark.parametrize("cell", ["out/{}.md", "https://docs.example.org/{}/edit", "my {}.pdf"])
def test_where_reports_are_is_not_taken_for_them(estimated, tmp_path, cell):
    table = [[q, cell.format(n)] for n, q in enumerate(ASKED.values())]
    (tmp_path / "index.csv").write_text(written([["question", "report"], *table, ["Why?", ""]]))
    done, _ = estimated("index.csv")
    assert done.returncode == 2
    assert "the column 'report' holds names of files or addresses" in done.stderr
    (tmp_path / "index.csv").write_text(written([["question", "report"], *table, ["Why?", "So."]]))
    assert estimated("index.csv")[1] == "3 tasks, 1 agent, 3 of 3 reports."


@pytest.mark.parametrize("cell", ["N/A", "nan", "#NAME?", " None ", ""])
def test_what_programs_write_for_nothing_is_no_report(estimated, tmp_path, cell):
    table = [[q, a, cell if a == "b" else report(q, a)] for q in ASKED.values() for a in "ab"]
    (tmp_path / "t.csv").write_text(written([["prompt", "agent", "report"], *table]))
    done, first = estimated("t.csv")
    assert "t.csv: b has 0 of 2 reports: nothing stands in its cells." in done.stderr
    assert first == "2 tasks, 1 agent, 2 of 2 reports."
    table[1][2] = "N/A, as said"
    (tmp_path / "t.csv").write_text(written([["prompt", "agent", "report"], *table]))
    done, first = estimated("t.csv")
    assert first.startswith("2 tasks, 2 agents, 3 of 4 reports;")
    assert "has 0 of" not in done.stderr


def test_an_agent_without_any_report_in_a_wide_table_is_named(estimated, tmp_path):
    table = [[q, report(q, "a"), report(q, "b"), ""] for q in ASKED.values()]
    (tmp_path / "w.csv").write_text(written([["question", "A", "B", "C"], *table]))
    done, first = estimated("w.csv", columns="report=A,report=B")
    assert (first, "nothing stands in the columns 'C'" in done.stderr) == (WHOLE, True)
    done, _ = estimated("w.csv", columns="report=A,report=B,report=C")
    assert "C has 0 of 2 reports" in done.stderr


@pytest.mark.parametrize(
    "last", [["TOTAL", "", "4"], ["Mean score", "all", ""], ["平均", "", "4,5"]]
)
def test_a_last_row_that_sums_up_is_no_task(estimated, tmp_path, last):
    table = [row[1:] for row in rows()]
    (tmp_path / "s.csv").write_text(written([["question", "agent", "answer"], *table, last]))
    done, first = estimated("s.csv")
    assert (first, "left out, as a row that sums up" in done.stderr) == (WHOLE, True)
    last = [last[0], "heron", "It is all that there is."]
    (tmp_path / "s.csv").write_text(written([["question", "agent", "answer"], *table, last]))
    assert estimated("s.csv")[1].startswith("3 tasks, 2 agents, 5 of 6 reports;")


def test_two_prompts_are_asked_for_and_a_misspelt_column_is_refused(estimated, tmp_path):
    table = [[k, f"Be brief. {q}", q, r] for k, q, _, r in rows(agents=["a"])]
    (tmp_path / "b.csv").write_text(written([["id", "prompt", "question", "response"], *table]))
    done, _ = estimated("b.csv")
    assert "'prompt' and 'question' may each be the prompt, and they differ." in done.stderr
    done, first = estimated("b.csv", columns="prompt=question")
    assert first == "2 tasks, 1 agent, 2 of 2 reports."
    done, _ = estimated("b.csv", columns="prompt=question,agent=Bto")
    assert (done.returncode, "agent=Bto: no file has a column" in done.stderr) == (2, True)


def test_fields_within_fields_are_named_with_a_point(estimated, tmp_path):
    traces = [
        {"id": n, "input": {"query": q}, "output": {"said": report(q, "a")}}
        for n, q in enumerate(ASKED.values())
    ]
    (tmp_path / "traces.json").write_text(json.dumps(traces))
    done, _ = estimated("traces.json")
    assert "output.said" in done.stderr
    done, first = followed(estimated, done, "traces.json")
    assert first == "2 tasks, 1 agent, 2 of 2 reports."


@pytest.mark.parametrize(
    "command",
    [
        "tasks describe t.csv",
        "tasks criteria t.csv -o criteria.yaml --run made.assay",
        "tasks checklist t.csv -o ace.yaml --run made.assay",
        "tasks leakage t.csv --run made.assay",
        "tasks author t.csv -o rubrics.yaml --proposer ana --reviewer bo --final cy",
        "perturb t.csv -o changed",
        "standardise t.csv -o standard --run made.assay",
    ],
)
def test_commands_that_read_tables_take_what_is_said_of_their_columns(
    deepassay, tmp_path, monkeypatch, command
):
    monkeypatch.chdir(tmp_path)
    asked = {"rail": ASKED["rail"], "fern": "Which ferns, if any at all, grow under pines?"}
    table = [[q, a, r] for _, q, a, r in rows(asked, agents=["heron"])]
    (tmp_path / "t.csv").write_text(written([["Was", "Wer", "Ergebnistext"], *table]))
    said = "prompt=Was,agent=Wer,report=Ergebnistext"
    assert deepassay(*command.split()).returncode == 2
    done = deepassay(*command.split(), "--columns", said)
    assert done.returncode == 0, done.stderr
    done = deepassay(*command.split(), "--columns", said.replace("Was", "Wsa"))
    assert (done.returncode, "prompt=Wsa" in done.stderr or "Was" in done.stderr) == (2, True)


def test_a_file_of_references_has_the_columns_that_are_said(deepassay, tmp_path):
    table = [[q, a, r] for _, q, a, r in rows()]
    (tmp_path / "t.csv").write_text(written([["Was", "Wer", "Ergebnistext"], *table[:2]]))
    (tmp_path / "r.csv").write_text(written([["Was", "Wer", "Ergebnistext"], *table[2:]]))
    said = ("--columns", "prompt=Was,agent=Wer,report=Ergebnistext", "--protocol", "race")
    given = (tmp_path / "t.csv", tmp_path / "t.csv", "--run", tmp_path / "a.assay")
    done = deepassay("estimate", *given, *said, "--reference", tmp_path / "r.csv")
    assert done.returncode == 0, done.stderr


def test_columns_may_stand_in_the_settings_file(estimated, deepassay, tmp_path):
    table = [[q, r] for _, q, _, r in rows(agents=["a"])]
    (tmp_path / "t.csv").write_text(written([["Was", "Ergebnistext"], *table]))
    (tmp_path / "assay.toml").write_text('columns = "prompt=Was,report=Ergebnistext"\n')
    done, first = estimated("t.csv")
    assert first == "2 tasks, 1 agent, 2 of 2 reports.", done.stderr


def test_lint_reads_the_same_tables(deepassay, tmp_path):
    (tmp_path / "t.csv").write_text(
        written([["frug", "said"], *[[r[1], r[3]] for r in rows()[:2]]])
    )
    done = deepassay("lint", "t.csv", "--columns", "prompt=frug,report=said")
    assert "findings in 2 reports" in done.stdout
    assert deepassay("lint", "t.csv").returncode == 2


def test_a_folder_of_prompts_and_an_archive_of_reports(estimated, tmp_path):
    import zipfile

    for key, prompt in ASKED.items():
        (tmp_path / "asked").mkdir(exist_ok=True)
        (tmp_path / "asked" / f"{key}.txt").write_text(f"{prompt}\n\nAt length.\n")
    with zipfile.ZipFile(tmp_path / "reports.zip", "w") as packed:
        for key, _, agent, text in rows():
            packed.writestr(f"all/{agent}/{key}.md", text)
        packed.writestr("__MACOSX/x.md", "junk")
    assert estimated("asked", reports="reports.zip")[1] == WHOLE
    with zipfile.ZipFile(tmp_path / "out.zip", "w") as packed:
        packed.writestr("../x.md", "text")
    done, _ = estimated("asked", reports="out.zip")
    assert (done.returncode, "leads out of it" in done.stderr) == (2, True)
