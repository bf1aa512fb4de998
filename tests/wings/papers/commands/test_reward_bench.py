"""RewardBench 2 from its file to the paper's table, against a judge on loopback with faults."""

import json

import pytest

from tests.judging import verdicts
from tests.loopback import FakeJudge

ARGUMENTS = ("completions.jsonl", "completions.jsonl", "--criteria", "criteria.jsonl")


@pytest.fixture
def folder(deepassay, repository, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = repository / "examples" / "reward-bench" / "completions.jsonl"
    (tmp_path / "completions.jsonl").write_bytes(source.read_bytes())
    made = deepassay("tasks", "criteria", "completions.jsonl", "-o", "criteria.jsonl")
    assert made.returncode == 0, made.stderr
    return tmp_path


def told(deepassay, run):
    """The rows of the paper's table and of the judge's own, by their columns."""
    done = deepassay("leaderboard", "--as", "bench:table11", run, "--format", "json")
    tables = json.loads(done.stdout)
    return [[dict(zip(t["head"], row, strict=True)) for row in t["rows"]] for t in tables]


class Faults:
    """Says nothing readable of one prompt until it is mended."""

    mended = False

    def __call__(self, body):
        asked = "".join(str(each["content"]) for each in body["messages"])
        if "What is 3 times 3?" in asked and not self.mended:
            return "I would rather not say."
        return verdicts(body)


def test_the_plain_rating_stands_beside_race_and_needs_no_criteria(deepassay, folder):
    """It asks once a completion, in all subsets; what RACE gains is a table of its own."""
    with FakeJudge(verdicts) as judge:
        options = ("--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced")
        plain = "race_reward(arrangement='plain')"
        files = ARGUMENTS[:2]
        alone = deepassay("evaluate", *files, "--protocol", plain, *options, "--run", "plain.assay")
        assert alone.returncode == 0, alone.stderr
        asked = [each.text for each in judge.requests]
        lines = (folder / "completions.jsonl").read_text(encoding="utf-8").splitlines()
        tasks = [json.loads(each) for each in lines]
        assert len(asked) == sum(len(each["chosen"]) + len(each["rejected"]) for each in tasks)
        assert all("overall_score" in each and "criteria" not in each for each in asked)
        both = ("--protocol", plain, "--protocol", "race_reward", *options, "--run", "both.assay")
        done = deepassay("evaluate", *ARGUMENTS, *both)
        assert done.returncode == 0, done.stderr
    first, gain, *own = told(deepassay, "both.assay")
    assert {row["Model"] for row in first[:2]} == {"openai:good, plain", "openai:good, together"}
    values = {row["Model"]: row for row in first[:2]}
    for row in gain[:5]:
        with_, without = (
            values[f"openai:good, {how}"][row["Subset"]] for how in ("together", "plain")
        )
        assert (row["With"], row["Without"]) == (with_, without)
        assert float(row["Gain"]) == pytest.approx(float(with_) - float(without), abs=0.11)
    assert len(own) == 2


def test_a_run_with_faults_is_resumed_and_pays_nothing_twice(deepassay, folder):
    faults = Faults()
    with FakeJudge(faults) as judge:
        options = ("--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced")
        asking = ("evaluate", *ARGUMENTS, "--protocol", "race_reward", *options)
        first = deepassay(*asking, "--run", "rb.assay")
        assert "6 of 7" in first.stdout + first.stderr, first.stderr
        table, own = told(deepassay, "rb.assay")
        ties = next(row for row in own if row["Subset"] == "Ties")
        assert (ties["Score"], ties["Scored"]) == ("–", "1 of 2")
        assert "to" in ties["Bounds"]
        asked = len(judge.requests)
        deepassay(*asking, "--run", "rb.assay")
        assert len(judge.requests) == asked
        faults.mended = True
        again = deepassay(*asking, "--run", "rb.assay", "--retry-unscored")
        assert again.returncode == 0, again.stderr
        assert len(judge.requests) == asked + 3  # the three completions of the one that was open
        table, own = told(deepassay, "rb.assay")
        assert {row["Scored"] for row in own} == {"1 of 1", "2 of 2", "7 of 7"}
        whole = deepassay(*asking, "--run", "whole.assay")
        assert whole.returncode == 0
        assert told(deepassay, "whole.assay") == [table, own]
    assert deepassay("replay", "rb.assay").returncode == 0


def test_edition_code_takes_the_fault_as_the_released_program_does(deepassay, folder):
    with FakeJudge(Faults()) as judge:
        options = ("--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced")
        done = deepassay(
            *("evaluate", *ARGUMENTS, "--protocol", "race_reward", "--edition", "code"),
            *(*options, "--run", "code.assay"),
        )
    assert done.returncode == 0, done.stderr
    _, own = told(deepassay, "code.assay")
    assert next(r for r in own if r["Subset"] == "Ties")["Scored"] == "2 of 2"


def test_a_reference_that_the_judge_wrote(deepassay, folder):
    with FakeJudge(lambda body: "A plain answer to the request.") as writer:
        (folder / "assay.toml").write_text(
            f'[agent.judge]\nchat = "openai:good"\nbase_url = "{writer.base_url}"\n', "utf-8"
        )
        done = deepassay(
            *("research", "completions.jsonl", "--agent", "judge", "--run", "written.assay"),
            "--allow-unpriced",
        )
        assert done.returncode == 0, done.stderr
    done = deepassay(
        *("evaluate", *ARGUMENTS, "--protocol", "race_reward(arrangement='against')"),
        *("--reference", "written.assay", "--run", "against.assay"),
    )
    assert done.returncode == 0, done.stderr
    table, _ = told(deepassay, "against.assay")
    assert table[0]["Model"] == "offline, against"
