"""The count of addresses that reading lost: it knows no Markdown, and is told before a run."""

import pytest
from typer.testing import CliRunner

from deepassay.cli.app import app
from deepassay.reports.report import Report
from deepassay.reports.unread_addresses import count_addresses, unread_in_words

A = "https://a.example/"
PROSE = f"Tides rise ([a]({A}1)). Winds turn [1].\n\n"


@pytest.mark.parametrize(
    ("text", "standing", "unread", "hidden"),
    [
        (PROSE, 1, [], 0),
        (f"{PROSE}## References\n\n[1] One: {A}2\n", 2, [], 0),
        (f"{PROSE}```\n{A}3\n```\n", 2, [(4, f"{A}3")], 1),
        (f"{PROSE}![a boat]({A}4.png)\n", 2, [(3, f"{A}4.png")], 1),
        (f"{PROSE}`{A}5` it is.\n", 2, [(3, f"{A}5")], 0),
        ("", 0, [], 0),
    ],
    ids=["a link", "an entry", "code", "a picture", "a literal", "nothing"],
)
def test_what_was_not_read_is_counted_with_its_line(text, standing, unread, hidden):
    found = count_addresses(Report(text))
    assert (found.standing, list(found.unread), found.hidden) == (standing, unread, hidden)


def test_several_reports_are_told_worst_first():
    reports = [
        Report(f"It rose ([a]({A}1)).", agent="good", task="t1"),
        Report(f"```\n{A}1\n{A}2\n```\n", agent="worse", task="t1"),
        Report(f"```\n{A}3\n```\n\nIt rose [2].", agent="bad", task="t2"),
    ]
    first, *others = unread_in_words(reports)
    assert first == "Addresses in 3 reports: 4; not read as sources: 3 (75.0%)"
    assert [line.split(":")[0].strip() for line in others] == ["worse t1", "bad t2"]
    assert "0 of 1 citations lead to an address" in others[1]
    assert [*unread_in_words(reports[:1])] == []


def test_commands_say_what_was_not_read(tmp_path):
    path = tmp_path / "report.md"
    path.write_text(f"{PROSE}```\n{A}3\n```\n", encoding="utf-8")
    for command in ("lint", "statements"):
        shown = CliRunner().invoke(app, [command, str(path)])
        assert "2 addresses stand in the text, 1 were read as sources; not read: 1" in shown.stderr
        assert f"line 4 {A}3" in shown.stderr


def test_a_run_is_told_before_a_judge_is_asked(tmp_path):
    (tmp_path / "tasks.jsonl").write_text('{"id": "t1", "prompt": "Write on tides."}\n')
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "t1.md").write_text(f"{PROSE}```\n{A}3\n```\n", encoding="utf-8")
    given = [str(tmp_path / "tasks.jsonl"), str(folder), "--protocol", "fact"]
    given += ["--run", str(tmp_path / "run.assay"), "--offline-sources"]
    for command, follows in (("estimate", "judgements"), ("evaluate", "Scored")):
        shown = CliRunner().invoke(app, [command, *given])
        said = shown.stderr + shown.stdout
        assert "not read as sources: 1 (50.0%)" in said
        assert follows in said
    assert said.index("not read as sources") < said.index("Scored")
