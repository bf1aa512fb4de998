"""`lint`, `clean` and `statements`, as a person types them."""

import csv
import json
import os
import subprocess

import pytest

from tests.cli.conftest import COMMAND

REPORT = """\
# Swifts

Boxes were occupied [1]. Calls help a lo[2]t. A lot helps.

## Sources

[1] Study one: https://one.org/a
[2] Study two: https://two.org/b
[3] Study three: https://three.org/c
"""


def write(folder, text=REPORT, name="report.md"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_lint_says_what_is_wrong_and_where(deepassay, tmp_path):
    write(tmp_path)
    done = deepassay("lint", "report.md")
    assert done.returncode == 1
    assert "report.md:9:1" in done.stdout  # the entry that nobody cites
    assert "report.md:3:41" in done.stdout  # the citation inside a word
    assert done.stderr == ""


def test_lint_reads_answers_of_providers_in_a_folder_and_leaves_out_other_json(deepassay, tmp_path):
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "usage.json").write_text('{"tokens": 3}')
    said = {"text": "Swifts call [1].", "citations": ["https://one.org/a"]}
    (tmp_path / "reports" / "t1.json").write_text(json.dumps(said))
    done = deepassay("lint", "reports")
    assert (done.returncode, done.stdout) == (0, "no findings in 1 report\n")
    assert (
        "usage.json: it holds no answer of a provider that is known. It is left out." in done.stderr
    )
    assert deepassay("lint", "reports/usage.json").returncode == 2


def codes_of(done):
    return {line.split()[1] for line in done.stdout.splitlines()[:-1]}


def test_lint_selects_and_ignores_rules_by_code_and_prefix(deepassay, tmp_path):
    write(tmp_path)
    assert codes_of(deepassay("lint", "report.md")) == {"DA103", "DA205"}
    assert codes_of(deepassay("lint", "report.md", "--select", "DA1,DA3")) == {"DA103"}
    assert codes_of(deepassay("lint", "report.md", "--ignore", "da1")) == {"DA205"}
    both = ("--select", "DA205", "--ignore", "DA2")
    assert codes_of(deepassay("lint", "report.md", *both)) == {"DA205"}
    none = deepassay("lint", "report.md", "--select", "DA4")
    assert (none.returncode, none.stdout) == (0, "no findings in 1 report\n")
    unknown = deepassay("lint", "report.md", "--select", "DA7")
    assert unknown.returncode == 2
    assert "There is no rule 'DA7'" in unknown.stderr


def test_lint_reads_its_rules_and_their_options_from_the_file(deepassay, tmp_path):
    write(tmp_path, REPORT.replace("# Swifts", "# Swifts\n\nAt last.\n\nWhat swifts need\n\n- x"))
    (tmp_path / "assay.toml").write_text('[lint]\nselect = ["DA1", "DA3"]\nignore = ["DA103"]\n')
    assert codes_of(deepassay("lint", "report.md")) == {"DA306"}
    assert codes_of(deepassay("lint", "report.md", "--select", "DA103")) == {"DA103"}
    assert codes_of(deepassay("lint", "report.md", "--ignore", "DA3")) == set()
    with (tmp_path / "assay.toml").open("a") as file:
        file.write("[lint.DA306]\nlongest = 10\n")
    assert codes_of(deepassay("lint", "report.md")) == set()


def test_notes_alone_are_told_and_do_not_fail(deepassay, tmp_path):
    text = REPORT.replace("lo[2]t.", "lot [2][2].")
    write(tmp_path, text[: text.index("[3]")])
    done = deepassay("lint", "report.md")
    assert codes_of(done) == {"DA105"}
    assert done.stdout.splitlines()[-1] == "1 finding, 1 of them a note, in 1 report"
    assert done.returncode == 0


def test_fix_repairs_only_what_is_selected(deepassay, tmp_path):
    path = write(tmp_path)
    done = deepassay("lint", "report.md", "--select", "DA205", "--fix")
    assert "lo[2]t." in path.read_text()
    assert "Study three" not in path.read_text()
    assert done.returncode == 0
    write(tmp_path)
    done = deepassay("lint", "report.md", "--ignore", "DA205", "--fix")
    assert "Study three" in path.read_text()
    assert "lot[2]." in path.read_text()


def test_lint_of_a_sound_report_says_how_many_were_read_and_ends_with_0(deepassay, tmp_path):
    write(tmp_path, REPORT.replace("lo[2]t.", "lot [2].").replace("[3] Study three", ""))
    text = REPORT.replace("lo[2]t.", "lot [2].")
    write(tmp_path, text[: text.index("[3]")])
    done = deepassay("lint", "report.md")
    assert done.returncode == 0, done.stdout
    assert done.stdout == "no findings in 1 report\n"
    write(tmp_path, name="other.md")
    assert "in 1 of 2 reports;" in deepassay("lint", ".").stdout.splitlines()[-1]


def test_lint_reads_whole_folders_and_writes_json(deepassay, tmp_path):
    (tmp_path / "reports" / "heron").mkdir(parents=True)
    write(tmp_path / "reports" / "heron", name="a.md")
    write(tmp_path / "reports", name="b.md")
    done = deepassay("lint", "reports", "--format", "json")
    found = json.loads(done.stdout)["findings"]
    assert {each["path"] for each in found} == {"reports/b.md", "reports/heron/a.md"}
    for each in found:
        assert REPORT[each["start"] : each["end"]]
        assert each["line"] >= 1


def test_lint_of_a_table_says_whose_reports_of_one_row_are_meant(deepassay, tmp_path):
    good = "# Swifts\n\nBoxes were occupied [1].\n\n## Sources\n\n[1] Study: https://one.org/a\n"
    rows = [("id", "prompt", "tern", "gull"), ("t1", "Why?", REPORT, REPORT)]
    rows += [("t2", "How?", REPORT, good)]
    with (tmp_path / "wide.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    done = deepassay(
        "lint", "wide.csv", "--select", "DA205", "--columns", "report=tern,report=gull"
    )
    *lines, summary = done.stdout.splitlines()
    whose = sorted(each.rpartition("(")[2] for each in lines)
    assert whose == ["gull on t1)", "tern on t1)", "tern on t2)"]
    assert summary.startswith("3 findings in 3 of 4 reports")


def test_lint_writes_sarif(deepassay, tmp_path):
    write(tmp_path)
    done = deepassay("lint", "report.md", "--format", "sarif")
    log = json.loads(done.stdout)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert run["results"]
    assert {result["ruleId"] for result in run["results"]} <= rules


def test_fix_repairs_what_is_safe_once_and_leaves_line_ends_alone(deepassay, tmp_path):
    path = write(tmp_path, REPORT.replace("\n", "\r\n"))
    first = deepassay("lint", "report.md", "--fix")
    repaired = path.read_bytes().decode()
    assert "Calls help a lot[2]. A lot helps." in repaired
    assert "Study three" not in repaired
    assert repaired.count("\r\n") == repaired.count("\n")
    assert "moved [2]" in first.stderr
    deepassay("lint", "report.md", "--fix")
    assert path.read_bytes().decode() == repaired


def test_fix_in_a_folder_touches_reports_only(deepassay, tmp_path):
    folder = tmp_path / "reports"
    folder.mkdir()
    others = [write(folder, name=name) for name in ("README.md", ".draft.md", "LICENSE.txt")]
    report = write(folder, name="heron.markdown")
    deepassay("lint", "reports", "--fix")
    assert "Study three" not in report.read_text()
    assert [each.read_text() for each in others] == [REPORT] * 3


ONLY_MARKDOWN = ": only Markdown is repaired, and the file was left as it was."
DOUBT = ": left the numbers of the sources as they are: there are 2 reference lists"


def as_html(text):
    return "".join(
        f"<h2>{line.lstrip('# ')}</h2>" if line.startswith("#") else f"<p>{line}</p>"
        for line in text.splitlines()
        if line
    )


def test_of_what_is_no_markdown_nothing_is_counted_as_to_be_repaired_and_the_reason_is_told(
    deepassay, tmp_path
):
    folder = tmp_path / "reports"
    folder.mkdir()
    doubtful = REPORT.replace("lo[2]t", "lot [2]")
    doubtful += "\n## References\n\n[4] More: https://four.org/d\n"
    for name, text in (("sure", REPORT), ("doubtful", doubtful)):
        write(folder, text, f"{name}.md")
        write(folder, as_html(text), f"{name}.html")
    write(folder, as_html("# Swifts\n\nThey call.\n"), "sound.html")
    with (tmp_path / "two.csv").open("w", newline="") as file:
        rows = [("id", "prompt", "report"), ("t1", "Why?", REPORT), ("t2", "How?", doubtful)]
        csv.writer(file).writerows(rows)
    named = ("lint", "reports", "two.csv", "--select", "DA103,DA205")
    summary = deepassay(*named).stdout.splitlines()[-1]
    assert summary == "12 findings in 6 of 7 reports; 4 of a kind that --fix may repair"
    found = json.loads(deepassay(*named, "--format", "json").stdout)["findings"]
    fixable = [each["path"].partition("/")[2] for each in found if each["fixable"]]
    assert sorted(fixable) == ["doubtful.md", "doubtful.md", "sure.md", "sure.md"]
    done = deepassay(*named, "--fix")
    assert done.returncode == 2
    told = [line for line in done.stderr.splitlines() if "left" in line]
    assert told == [
        *(f"reports/doubtful.{ending}{DOUBT}" for ending in ("html", "md")),
        *(f"deepassay: {name}{ONLY_MARKDOWN}" for name in ("reports/sure.html", "two.csv")),
    ]
    assert done.stdout.splitlines()[-1] == "10 findings in 5 of 7 reports"


def test_where_nothing_would_be_repaired_the_reason_is_told_and_none_of_how_markdown_is_written(
    deepassay, tmp_path
):
    marked = REPORT.replace("lo[2]t", "lot [^2]")
    again = REPORT.replace("lo[2]t", "lot [2]").replace("[3] Study three", "[1] Study three")
    lists = REPORT.replace("lo[2]t", "lot [2]") + "\n## References\n\n[4] More: https://four.org\n"
    for name, text in (("marked", marked), ("again", again), ("lists", lists)):
        write(tmp_path, as_html(text), f"{name}.html")
    write(tmp_path, marked)
    named = ("lint", "marked.html", "again.html", "lists.html", "report.md")
    plain, done = deepassay(*named), deepassay(*named, "--fix")
    assert (plain.returncode, done.returncode) == (1, 1)
    left = ": left the numbers of the sources as they are: "
    assert [line for line in done.stderr.splitlines() if "left" in line] == [
        "marked.html" + ONLY_MARKDOWN,
        f"again.html{left}entries have no number, or two have the same",
        "lists.html" + DOUBT,
        f"report.md{left}[^2] is not written as a plain number in brackets",
    ]


def test_clean_writes_the_report_without_citations_and_list(deepassay, tmp_path):
    write(tmp_path)
    done = deepassay("clean", "report.md")
    assert done.returncode == 0
    assert (
        done.stdout.rstrip("\n")
        == "# Swifts\n\nBoxes were occupied. Calls help a lot. A lot helps."
    )


def test_statements_are_json_lines_with_their_sources(deepassay, tmp_path):
    write(tmp_path)
    done = deepassay("statements", "report.md")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    first = rows[0]
    assert first["text"] == "Boxes were occupied."
    assert first["urls"] == ["https://one.org/a"]
    assert first["line"] == 3
    start, end = first["span"]
    assert REPORT[start:end].startswith("Boxes were occupied [1]")
    (cited,) = first["citations"]
    assert (cited["raw"], cited["kind"], cited["keys"]) == ("[1]", "Numbered", ["1"])
    assert REPORT[slice(*cited["span"])] == "[1]"


def test_a_file_that_is_not_there_or_not_utf8_is_named(deepassay, tmp_path):
    (tmp_path / "old.md").write_bytes("国".encode("gb18030"))
    for name, says in (("none.md", "there is no such file"), ("old.md", "not UTF-8 text")):
        done = deepassay("lint", name)
        assert done.returncode == 2
        assert name in done.stderr
        assert says in done.stderr
        assert "Traceback" not in done.stderr


def test_control_sequences_of_strangers_do_not_reach_the_output(deepassay, tmp_path):
    write(tmp_path, REPORT.replace("[3] Study three", "[3] \x1b[31mStudy\x07 three"))
    done = deepassay("lint", "report.md")
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    write(tmp_path, REPORT + "[9] x: https://x.org\n" * 5000)
    with subprocess.Popen(
        [COMMAND, "lint", "report.md"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_lint_explains_a_rule_and_names_what_there_is(deepassay):
    done = deepassay("lint", "--rule", "da205")
    assert done.returncode == 0
    assert done.stdout.startswith("DA205 uncited-entry")
    unknown = deepassay("lint", "--rule", "DA999")
    assert unknown.returncode == 2
    assert "docs/rules.md" in unknown.stderr
    assert deepassay("lint").returncode == 2


def test_one_bad_file_does_not_hide_the_findings_of_the_others(deepassay, tmp_path):
    folder = tmp_path / "reports"
    (folder / "folder.md").mkdir(parents=True)
    write(folder / "folder.md", name="in.md")
    sound, last = write(folder, name="a.md"), write(folder, name="z.md")
    (folder / "m.md").write_bytes(b"caf\xe9")
    (folder / "n.md").symlink_to(folder / "gone.md")
    os.mkfifo(folder / "p.md")
    done = deepassay("lint", "reports")
    assert done.returncode == 2
    for says in (
        "m.md, line 1: not UTF-8 text (byte 4",
        "n.md: the link leads to no",
        "p.md: not a regular",
    ):
        assert says in done.stderr
    for name in ("a.md", "z.md", "folder.md/in.md"):
        assert f"reports/{name}:9:1 DA205" in done.stdout
    assert "in 3 reports" in done.stdout
    fixed = deepassay("lint", "reports", "--fix")
    assert fixed.returncode == 2
    assert "Study three" not in sound.read_text() + last.read_text()
    assert "no findings in 3 reports" in fixed.stdout


def test_fix_refuses_a_read_only_file_and_still_says_what_is_wrong_with_it(deepassay, tmp_path):
    path = write(tmp_path)
    path.chmod(0o444)
    done = deepassay("lint", "report.md", "--fix")
    assert done.returncode == 2
    assert "report.md: the file is read-only" in done.stderr
    assert "moved" not in done.stderr
    assert "DA205" in done.stdout
    assert path.read_text() == REPORT


@pytest.mark.parametrize("command", ["lint", "clean", "statements"])
def test_what_holds_no_reports_is_refused_with_what_is_read_instead(deepassay, tmp_path, command):
    write(tmp_path, "id,article\n1,x\n", "agent.odt")
    done = deepassay(command, "agent.odt")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "agent.odt: not a kind of file" in done.stderr
    assert "Reports are Markdown or text files" in done.stderr


def test_json_lines_hold_a_report_or_several(deepassay, tmp_path):
    rows = [f'{{"id": {number}, "article": "# T\\n\\nIt rose [1].\\n"}}\n' for number in (1, 2)]
    write(tmp_path, rows[0], "one.jsonl")
    write(tmp_path, "".join(rows), "two.jsonl")
    assert deepassay("clean", "one.jsonl").stdout == "# T\n\nIt rose.\n"
    assert [row["keys"] for row in _citations(deepassay("statements", "one.jsonl"))] == [["1"]]
    assert "findings in 2 reports" in deepassay("lint", "two.jsonl").stdout
    for command in ("clean", "statements"):
        done = deepassay(command, "two.jsonl")
        assert done.returncode == 2 and "two.jsonl" in done.stderr


def _citations(done):
    return [each for line in done.stdout.splitlines() for each in json.loads(line)["citations"]]


def test_a_name_that_is_not_utf8_is_printed_with_a_mark_in_its_place(deepassay, tmp_path):
    try:
        write(tmp_path, name=os.fsdecode(b"t\xff.md"))
    except OSError:
        pytest.skip("this file system takes only names in UTF-8")
    for written in ("text", "json", "sarif"):
        done = deepassay("lint", ".", "--format", written)
        assert done.returncode == 1
        assert "t\ufffd.md" in done.stdout or "t%EF%BF%BD.md" in done.stdout
