"""`compare`, as a person types it."""

import csv
import io
import json
import shutil

import pytest

from deepassay.run.asking.evaluate import evaluate
from deepassay.run.settings import Settings

DATE = ("--date", "2026-05-04")


@pytest.fixture(scope="module")
def evaluated(repository, tmp_path_factory):
    """The demo by two protocols, once for all tests, which do not change it."""
    file, demo = tmp_path_factory.mktemp("evaluated") / "run.assay", repository / "examples/demo"
    settings = Settings(protocols=["coverage", "presentation"], date="2026-05-04", run=file)
    assert evaluate(demo / "tasks.jsonl", [demo / "reports"], settings).tally.left == 0
    return file


@pytest.fixture
def run(evaluated, tmp_path):
    return shutil.copy(evaluated, tmp_path / "run.assay").name


def test_two_agents_are_compared_by_every_protocol(deepassay, run):
    done = deepassay("compare", run, "magpie", "heron")
    assert done.returncode == 0, done.stderr
    assert "coverage (offline baseline): differences" not in done.stdout
    assert "--protocol NAME shows the tables of each: coverage." in " ".join(done.stdout.split())
    assert "presentation (offline baseline): differences" in done.stdout
    assert "rank interval" not in done.stdout
    assert "cuckoo" not in done.stdout
    done = deepassay("compare", run, "magpie", "heron", "--protocol", "coverage")
    rows = [line.split()[:3] for line in done.stdout.splitlines()]
    assert ["magpie", "heron", "-23.0"] in rows


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
        (("no.assay",), "no.assay: there is no such run file"),
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
        (("run.assay", "--since", "run.assay"), "are the same run"),
        (("run.assay", "--since", "none.assay"), "none.assay"),
        (("run.assay", "run.assay", "--since", "run.assay"), "there are 2 run files"),
        (("run.assay", "--since", "run.assay", "--judges"), "--since goes with neither --judges"),
        (("run.assay", "--since", "run.assay", "--over-time"), "nor --over-time"),
        (("run.assay", "--over-time"), "--over-time needs several run files, and there are 1"),
        (("run.assay", "run.assay", "--over-time"), "are the same run"),
    ],
)
def test_what_cannot_be_done_is_said(deepassay, small, arguments, says):
    deepassay("evaluate", *small, "--protocol", "coverage")
    done = deepassay("compare", *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_that_goes_on_is_held_against_a_copy_of_before(deepassay, small, tmp_path):
    given = (*small, "--protocol", "coverage", "--protocol", "presentation", *DATE)
    shutil.move("reports/heron", "heron")
    assert deepassay("evaluate", *given).returncode == 0
    shutil.copy("run.assay", "last.assay")
    shutil.move("heron", "reports/heron")
    assert deepassay("evaluate", *given).returncode == 0
    done = deepassay("compare", "run.assay", "--since", "last.assay")
    assert done.returncode == 0, done.stderr
    assert "only in the new run: 1 agent (heron)" in done.stdout
    for same in ("run.assay", tmp_path / "run.assay", f"../{tmp_path.name}/run.assay"):
        done = deepassay("compare", "run.assay", "--since", same)
        assert (done.returncode, "are the same run" in done.stderr) == (2, True)
    done = deepassay("compare", "run.assay", "last.assay", "--over-time")
    assert (done.returncode, "are the same run" in done.stderr) == (2, True)


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


@pytest.fixture
def before_and_after(deepassay, small, tmp_path, judge):
    """Two runs of a week: heron's first report lost what it was asked for, cuckoo is gone."""
    asked = ("--protocol", "coverage", "--judge", "openai:good", "--base-url", judge.base_url)
    for run, day in (("old.assay", "2026-05-04"), ("new.assay", "2026-05-11")):
        done = deepassay("evaluate", *small, *asked, "--date", day, "--run", run)
        assert done.returncode == 0, done.stderr
        file = tmp_path / "reports" / "heron" / "a.md"
        file.write_text("# Sky\n\nIt is blue, as @somebody says.\n")
        (tmp_path / "reports" / "cuckoo" / "a.md").unlink(missing_ok=True)
        asked = (*asked, "--repeat", "2")
    return "old.assay", "new.assay"


def test_what_got_worse_since_a_run_is_a_comment_for_a_pull_request(deepassay, before_and_after):
    old, new = before_and_after
    done = deepassay("compare", new, "--since", old, "--format", "markdown")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "new.assay (2026-05-11) against old.assay (2026-05-04), judged by openai:good: 1 agent"
    )
    assert "Left out: only in the earlier run: 1 agent (cuckoo)." in done.stdout
    found = json.loads(deepassay("compare", new, "--since", old, "--format", "json").stdout)
    (row,) = found["rows"]
    assert (row["agent"], row["tasks"]) == ("heron", 2)
    assert row["lower"] == len(found["worse"])
    (csv_row,) = csv.DictReader(
        io.StringIO(deepassay("compare", new, "--since", old, "--format", "csv").stdout)
    )
    assert float(csv_row["change"]) == row["change"] == pytest.approx(row["now"] - row["before"])
    gate = deepassay("compare", new, "--since", old, "--fail-if-worse", "--difference", "1000")
    assert gate.returncode == 1
    assert (
        gate.stderr
        == "cuckoo is in old.assay alone: whether anything got worse there cannot be told.\n"
    )
    told = deepassay("compare", old, new)
    assert "These runs hold different reports, as of heron for a; here they count as" in told.stderr
    named = ("compare", new, "heron", "--since", old, "--fail-if-worse", "--difference", "1000")
    passed = deepassay(*named)
    assert passed.returncode == 0
    assert passed.stderr.startswith("Passed: not shown to be worse: heron than heron (before)")


def test_runs_over_time_are_in_the_order_of_their_days(deepassay, before_and_after):
    old, new = before_and_after
    done = deepassay("compare", new, old, "--over-time", "--format", "csv")
    assert done.returncode == 0, done.stderr
    rows = [*csv.DictReader(io.StringIO(done.stdout))]
    assert [(row["run"], row["date"]) for row in rows] == [
        ("old.assay", "2026-05-04"),
        ("new.assay", "2026-05-11"),
    ]
    said = deepassay("compare", new, old, "--over-time").stdout
    assert said.startswith("2 runs from 2026-05-04 to 2026-05-11, judged by openai:good: 1 agent")
    assert "in one such run alone by coverage: cuckoo" in " ".join(said.split())


def test_a_changed_yardstick_leaves_its_tasks_out(deepassay, small, tmp_path):
    deepassay("evaluate", *small, "--protocol", "coverage", "--protocol", "presentation")
    file = tmp_path / small[0]
    file.write_text(file.read_text().replace("Is scattering named?", "Are there two sections?"))
    options = ("--protocol", "coverage", "--protocol", "presentation", "--run", "new.assay")
    deepassay("evaluate", *small, *options)
    said = " ".join(deepassay("compare", "new.assay", "--since", "run.assay").stdout.split())
    assert "asked or judged otherwise by coverage: 1 task (a)." in said
    assert "judged otherwise by presentation" not in said
