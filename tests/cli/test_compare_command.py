"""`compare`, as a person types it."""

import csv
import io
import json

import pytest

DATE = ("--date", "2026-05-04")


@pytest.fixture
def run(deepassay, demo):
    done = deepassay(
        "evaluate", demo / "tasks.jsonl", demo / "reports", *DATE, "--protocol", "coverage",
        "--protocol", "presentation",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return "run.assay"


def test_two_agents_are_compared_by_every_protocol(deepassay, run):
    done = deepassay("compare", run, "magpie", "heron")
    assert done.returncode == 0, done.stderr
    assert "coverage (offline baseline): differences" in done.stdout
    assert "presentation (offline baseline): differences" in done.stdout
    rows = [line.split()[:3] for line in done.stdout.splitlines()]
    assert ["magpie", "heron", "-23.0"] in rows
    assert "rank interval" not in done.stdout
    assert "cuckoo" not in done.stdout


def test_without_agents_all_pairs_are_compared(deepassay, run):
    done = deepassay("compare", run, "--protocol", "coverage", "--by", "language")
    assert done.returncode == 0, done.stderr
    assert "p (Holm)" in done.stdout
    assert "rank interval" in done.stdout
    assert "language: en: differences" in done.stdout
    assert "presentation" not in done.stdout


def test_options_reach_the_figures(deepassay, run):
    def rows(*options):
        done = deepassay("compare", run, "--protocol", "coverage", "--format", "csv", *options)
        assert done.returncode == 0, done.stderr
        return list(csv.DictReader(io.StringIO(done.stdout)))

    plain = rows()
    assert rows("--tie", "1000")[0]["tied"] == "6"
    assert rows("--cluster", "language")[0]["units"] == "2"
    assert int(rows("--difference", "5")[0]["units_needed"]) > 6
    assert rows("--seed", "1") != plain
    assert rows() == plain


def test_repeats_show_the_noise_of_the_judge(deepassay, small):
    deepassay("evaluate", *small, "--protocol", "coverage", "--repeat", "2")
    said = deepassay("compare", "run.assay").stdout
    assert "noise of the judge and spread between tasks" in said
    assert "all judgements are the same; judging again buys nothing" in said


def test_two_judges_of_the_same_reports(deepassay, run, demo, judge):
    done = deepassay(
        "evaluate", demo / "tasks.jsonl", demo / "reports", *DATE, "--protocol", "coverage",
        "--judge", "openai:good", "--base-url", judge.base_url, "--run", "new.assay",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown = deepassay("compare", run, "new.assay", "--judges")
    assert shown.returncode == 0, shown.stderr
    assert "coverage: from the old judge to the new one" in shown.stdout
    assert "mix" in shown.stdout
    found = json.loads(
        deepassay("compare", run, "new.assay", "--judges", "--format", "json").stdout
    )
    assert [each["protocol"] for each in found] == ["coverage"]
    assert (found[0]["reports"], found[0]["changed"]) == (18, 0)
    refused = deepassay("compare", run, "new.assay")
    assert refused.returncode == 2
    assert "judges = " in refused.stderr
    assert "--judges" in refused.stderr


def test_a_report_that_changed_is_left_out(deepassay, small, tmp_path):
    deepassay("evaluate", *small, "--protocol", "coverage")
    (tmp_path / "reports" / "heron" / "a.md").write_text("# Sky\n\nIt is blue.\n")
    deepassay("evaluate", *small, "--protocol", "coverage", "--run", "new.assay")
    said = deepassay("compare", "run.assay", "new.assay", "--judges").stdout
    assert "Left out because the new run has another text: 1." in said
    assert "2 reports to 2 tasks" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("no.assay",), "None of these is a file: no.assay"),
        (("run.assay", "heron"), "taken for agents: heron"),
        (("run.assay", "heron", "stork"), "'stork' is neither a file nor an agent"),
        (("run.assay", "--protocol", "race"), "Nobody was judged by 'race'"),
        (("run.assay", "--difference", "0"), "--difference is 0"),
        (("run.assay", "--difference", "nan"), "--difference is nan"),
        (("run.assay", "--difference", "inf"), "--difference is inf"),
        (("run.assay", "--tie", "inf"), "--tie is inf"),
        (("run.assay", "run.assay", "--judges", "--seed", "1"), "do nothing with --judges"),
        (("run.assay", "--by", "colour"), "No task has a label 'colour'"),
        (("run.assay", "--judges"), "--judges takes two run files"),
        (("run.assay", "run.assay", "--judges"), "are the same run"),
        (("run.assay", "run.assay", "--judges", "--by", "language"), "do nothing with --judges"),
    ],
)
def test_what_cannot_be_done_is_said(deepassay, small, arguments, says):
    deepassay("evaluate", *small, "--protocol", "coverage")
    done = deepassay("compare", *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_published_rows_are_compared_with_each_other_alone(deepassay, small, tmp_path):
    for agent, score in (("onyx", 0.5), ("claude", 0.4)):
        rows = [
            {"id": task, "comprehensiveness": score, "insight": score, "readability": score,
             "instruction_following": score, "overall_score": score + task / 100}
            for task in range(4)
        ]  # fmt: skip
        (tmp_path / f"{agent}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    files = ("onyx.jsonl", "claude.jsonl")
    refused = deepassay("compare", *files, "onyx", "claude")
    assert refused.returncode == 2
    assert "do not say who judged claude, onyx" in refused.stderr
    assert "--judged-by FILE=NAME" in refused.stderr
    done = deepassay("compare", *files, "onyx", "claude", "--judged-by", "gemini")
    assert done.returncode == 0, done.stderr
    assert "+0.1000" in done.stdout
    assert "judges:model=gemini" in done.stdout
    two = ("--judged-by", "onyx.jsonl=gemini", "--judged-by", "claude.jsonl=gpt")
    refused = deepassay("compare", *files, *two)
    assert refused.returncode == 2
    assert 'judges = [{"model":"gpt"}]: claude' in refused.stderr
    refused = deepassay("compare", *files, "--judges", "--judged-by", "gemini")
    assert "Leave out --judged-by" in refused.stderr
