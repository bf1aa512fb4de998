"""`agree` on published sets of people's labels, and their table beneath a leaderboard."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import time
from collections import Counter

import pytest

from deepassay.runfile import RunFile
from tests.cli.conftest import COMMAND, STARTED
from tests.draws import few_draws  # noqa: F401 - for all tests
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.tasks import published
from tests.tasks.published import as_csv, as_lines, as_list


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def pairs(folder):
    rows = [
        {**row, "claim": f"{row['claim']} {n}", "id": str(n), "src_dataset": "AB"[n % 2]}
        for n in range(14)
        for row in published.ATTRIBUTION
    ]
    return as_lines(folder / "attribution.jsonl", rows)


def asked(judge):
    return ("--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced")


@pytest.fixture
def many(folder):
    """Twenty pairs of one's own, of which no two have the same page."""
    rows = "".join(f"It opened in {n}.,supported,The ferry opened in {n}.\n" for n in range(20))
    (folder / "many.csv").write_text(f"statement,label,page\n{rows}")
    return folder / "many.csv"


@pytest.fixture
def prices(folder):
    path = folder / "prices.json"
    path.write_text(json.dumps({"good": {"input": 10, "output": 100}}))
    return path


def questions(judge):
    """How often each was asked, without the fences that a run draws anew."""
    return Counter(re.sub(r"<<<(BEGIN|END) (\w+) \w+", r"\1 \2", e.text) for e in judge.requests)


PAID = {
    "support": ("attribution.jsonl", "28 pairs of statement and page"),
    "preferences": ("ragchecker.json", "4 pairs of answers, in both orders"),
    "rubrics": ("JudgmentBench", "2 judgements of reports"),
}


@pytest.mark.parametrize("command", PAID)
def test_what_a_judge_will_cost_is_said_before_it_is_asked(
    deepassay, folder, pairs, prices, command
):
    as_list(
        folder / "ragchecker.json",
        [{**published.RAGCHECKER[0], "query": f"{n}?", "instance_id": n} for n in range(4)],
    )
    published.judgment_bench(folder / "JudgmentBench")
    name, size = PAID[command]
    with FakeJudge(verdicts) as judge:
        asked_of = ("--judge", "openai:good", "--base-url", judge.base_url, "--prices", prices)
        whole = ("agree", command, name, *asked_of, "--run", "r.assay")
        told = deepassay(*whole, "--estimate")
        assert (told.returncode, told.stdout, judge.requests) == (0, "", [])
        assert not (folder / "r.assay").exists()
        done = deepassay(*whole)
        assert done.returncode == 0, done.stderr
        expected = f"{size}\nopenai:good: {len(judge.requests)} questions; about $"
        assert expected in told.stderr and done.stderr.startswith(told.stderr)
        assert "Cost of r.assay in all: $" in done.stderr or "Cost: $" in done.stderr
        again = deepassay(*whole, "--estimate").stderr
    assert "openai:good: 0 questions" in again


def test_a_cost_that_is_known_in_part_is_not_told_as_all_of_it(deepassay, folder, pairs, prices):
    with FakeJudge(verdicts) as judge:
        whole = ("agree", "support", pairs, "--base-url", judge.base_url, "--run", "r.assay")
        known = deepassay(*whole, "--judge", "openai:good", "--prices", prices).stderr
        both = deepassay(*whole, "--judge", "openai:dearer").stderr
    assert "in all: $" in known and "unknown price" not in known
    assert ", and calls at an unknown price." in both


def test_nothing_is_said_of_a_price_where_nobody_is_asked(deepassay, pairs):
    done = deepassay("agree", "support", pairs, "--run", "r.assay")
    assert done.stderr == ""
    refused = deepassay("agree", "rubrics", "people.csv", "r.assay", "--estimate")
    assert (refused.returncode, "nothing is asked here" in refused.stderr) == (2, True)


def test_a_budget_stops_it_and_a_larger_one_goes_on(deepassay, many, prices):
    with FakeJudge(verdicts) as judge:
        asked_of = ("--judge", "openai:good", "--base-url", judge.base_url, "--prices", prices)
        whole = ("agree", "support", many, *asked_of, "--max-output", "500", "--run", "r.assay")
        some = deepassay(*whole, "--budget", "0.3", "--max-connections", "1")
        assert some.returncode == 3, some.stderr
        assert "(budget)" in some.stdout and "larger --budget" in some.stderr
        assert 0 < len(judge.requests) < 20
        done = deepassay(*whole, "--budget", "5")
        assert done.returncode == 0, done.stderr
        assert [*questions(judge).values()] == [1] * 20


@pytest.mark.parametrize("command", ["support", "preferences"])
def test_what_a_killed_command_paid_for_is_not_paid_again(deepassay, folder, many, command):
    if command == "preferences":
        rows = [{**published.RAGCHECKER[0], "query": f"{n}?"} for n in range(10)]
        many = as_list(folder / "ragchecker.json", rows)
    pids = []

    def killing(body):
        if len(judge.requests) == 8 and pids:
            os.kill(pids.pop(), signal.SIGKILL)
        return verdicts(body)

    with FakeJudge(killing) as judge:
        whole = (
            "agree",
            command,
            many,
            *asked(judge),
            "--max-connections",
            "1",
            "--run",
            "r.assay",
        )
        with subprocess.Popen([STARTED, *map(str, whole)], stderr=subprocess.DEVNULL) as process:
            pids.append(process.pid)
            assert process.wait(60) == -signal.SIGKILL
        asked_before = len(judge.requests)
        assert deepassay(*whole).returncode == 0
        counts = questions(judge)
    assert asked_before == 8
    # What was in flight when it was killed is asked again, and nothing else.
    assert len(counts) == 20 and counts.total() <= 21


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_it_in_good_order_and_it_goes_on_from_there(deepassay, many, times):
    pids = []

    def pressing(body):
        if len(judge.requests) == 8:
            for _ in range(times):
                os.kill(pids[0], signal.SIGINT)
                time.sleep(0.2)  # or the second is the first
        return verdicts(body)

    with FakeJudge(pressing) as judge:
        whole = ("agree", "support", many, *asked(judge), "--max-connections", "2")
        with subprocess.Popen(
            [COMMAND, *map(str, whole)], stderr=subprocess.PIPE, encoding="utf-8"
        ) as process:
            pids.append(process.pid)
            said = process.communicate(timeout=60)[1]
        assert process.returncode == 130
        assert "The same command goes on from there." in said
        assert not re.search("Traceback|destroyed|never awaited", said)
        stopped_at = len(judge.requests)
        assert deepassay(*whole).returncode == 0
        counts = questions(judge)
    assert stopped_at < 20 == len(counts)
    # Only what was broken off in flight is asked again.
    assert counts.total() <= 20 + 2 * (times - 1)


def test_the_floor_asks_nobody_and_has_every_figure(deepassay, pairs):
    done = deepassay("agree", "support", pairs, "--run", "r.assay")
    assert done.returncode == 0, done.stderr
    assert "plain recall on AttributionBench" in done.stdout
    for figure in ("accuracy", "Cohen's kappa", "Krippendorff's alpha, nominal", "AUC"):
        assert figure in done.stdout
    assert "source A" in done.stdout
    assert "floor AUC" not in done.stdout, (
        "nobody stands beside the floor, and one person beside no other"
    )
    with RunFile.read(pairs.parent / "r.assay") as run:
        assert not [*run.answers()]


def test_several_sets_are_one_table_cut_by_set(deepassay, pairs, folder):
    rows = [{**row, "claim": f"{row['claim']} {n}"} for n in range(5) for row in published.WICE]
    wice = as_lines(folder / "wice.jsonl", rows)
    done = deepassay("agree", "support", pairs, wice, "--run", "r.assay")
    assert done.returncode == 0, done.stderr
    assert "plain recall on AttributionBench, WiCE" in done.stdout
    assert "set AttributionBench" in done.stdout and "set WiCE" in done.stdout
    (folder / "own.csv").write_text("statement,label,page\ns,supported,p\n")
    refused = deepassay("agree", "support", pairs, "own.csv", "--run", "r2.assay")
    assert (refused.returncode, "own.csv is no published set" in refused.stderr) == (2, True)


def test_a_judge_stands_beside_the_floor_and_is_not_asked_twice(deepassay, pairs):
    with FakeJudge(verdicts) as judge:
        command = ("agree", "support", pairs, *asked(judge), "--run", "r.assay")
        first = deepassay(*command, "-o", "labels.json")
        assert first.returncode == 0, first.stderr
        count = len(judge.requests)
        assert count
        again = deepassay(*command, "--format", "csv")
        assert len(judge.requests) == count
    assert "openai:good on AttributionBench" in first.stdout
    rows = [line.split(",")[:3] for line in again.stdout.splitlines()]
    assert ["AttributionBench", "openai:good", "AUC"] in rows
    assert ["AttributionBench", "plain recall", "AUC"] in rows
    kept = json.loads((pairs.parent / "labels.json").read_text())
    assert kept["judges"][0]["identity"]["model"] == "openai:good"


@pytest.mark.parametrize("format", ["csv", "json"])
def test_cuts_are_in_every_format(deepassay, folder, format):
    rows = [{**row, "claim": f"{row['claim']} {n}"} for n in range(5) for row in published.WICE]
    others = [
        {**row, "claim": f"{row['claim']} {n}"} for n in range(9) for row in published.ATTRIBUTION
    ]
    sets = as_lines(folder / "a.jsonl", others), as_lines(folder / "w.jsonl", rows)
    with FakeJudge(verdicts) as judge:
        command = ("agree", "support", *sets, *asked(judge), "--run", "r.assay")
        shown = deepassay(*command)
        done = deepassay(*command, "--format", format)
    assert shown.returncode == done.returncode == 0, done.stderr
    text = io.StringIO(done.stdout)
    lines = list(csv.DictReader(text)) if format == "csv" else json.load(text)
    cuts = {line["cut"] for line in lines}
    assert {"", "set AttributionBench", "set WiCE"} < cuts
    by_cuts = shown.stdout[shown.stdout.index("by cuts") :]
    for cut in cuts - {""}:
        own = [line for line in lines if line["cut"] == cut]
        assert by_cuts.count(f"\n{cut} ") >= 1
        figures = [line["figure"] for line in own if line["by"] == "openai:good"]
        assert figures == ["accuracy", "AUC", "Cohen's kappa"]
        assert {line["by"] for line in own} >= {"openai:good", "plain recall"}
    keys = [(line["by"], line["figure"], line["cut"]) for line in lines]
    assert len(keys) == len(set(keys))


def test_what_was_kept_stands_beneath_the_scores_of_that_judge(deepassay, pairs, repository):
    demo = repository / "examples" / "demo"
    with FakeJudge(verdicts) as judge:
        deepassay("agree", "support", pairs, *asked(judge), "--run", "r.assay", "-o", "labels.json")
        for run, chosen in (("own.assay", asked(judge)), ("other.assay", ())):
            done = deepassay(
                *("evaluate", demo / "tasks.jsonl", demo / "reports" / "heron", "--limit", "1"),
                *("--protocol", "presentation", *chosen, "--run", run),
            )
            assert done.returncode == 0, done.stderr
    shown = deepassay("leaderboard", "own.assay", "--labels", "labels.json")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.index("presentation") < shown.stdout.index("openai:good on Attribution")
    refused = deepassay("leaderboard", "other.assay", "--labels", "labels.json")
    assert refused.returncode == 2
    assert "labels.json is on openai:good" in refused.stderr
    as_csv = deepassay("leaderboard", "own.assay", "--labels", "labels.json", "--format", "csv")
    assert (as_csv.returncode, "not written as csv" in as_csv.stderr) == (2, True)


@pytest.mark.parametrize(
    ("partial", "items", "said"),
    [
        ("unsupported", "3", "count as unsupported"),
        ("supported", "3", "count as supported"),
        ("keep", "3", "stand between the two others"),
        ("drop", "2", "are left out"),
    ],
)
def test_partial_is_kept_or_mapped_by_a_word(deepassay, folder, partial, items, said):
    path = as_lines(folder / "w.jsonl", published.WICE)
    done = deepassay("agree", "support", path, "--partial", partial, "--run", "r.assay")
    assert done.returncode == 0, done.stderr
    assert "Labels `partial`" in done.stdout and said in " ".join(done.stdout.split())
    row = next(line for line in done.stdout.splitlines() if line.startswith("items"))
    assert row.split() == ["items", items]


def test_quotes_are_held_against_sentences_that_people_named(deepassay, folder):
    rows = [{**each, "label": "supported"} for each in published.WICE[::2]]
    path = as_lines(folder / "w.jsonl", rows)

    def supporting(body):
        quote = "The ferry opened in 2019."
        said = [{"statement": 1, "verdict": "supported", "quote": quote}]
        if "2. " in str(body["messages"][-1]["content"]):
            said.append({"statement": 2, "verdict": "supported", "quote": quote})
        return json.dumps({"verdicts": said})

    with FakeJudge(supporting) as judge:
        done = deepassay("agree", "support", path, *asked(judge), "--run", "r.assay")
    assert "1 of 2 quotes stand in sentences that people named" in " ".join(done.stdout.split())


def test_a_set_without_pages_tells_what_people_say_and_takes_pages_from_a_file(deepassay, folder):
    path = as_list(folder / "l.json", published.LFQA)
    done = deepassay("agree", "support", path, "--run", "r.assay")
    assert done.returncode == 1
    assert "people on LFQA-Verification" in done.stdout
    assert "without a verdict: 2 (no page)" in done.stderr
    docs = as_list(folder / "docs.json", published.LFQA_DOCS)
    done = deepassay("agree", "support", path, "--pages", docs, "--run", "r.assay")
    assert "plain recall on LFQA-Verification" in done.stdout
    assert done.returncode == 0


def test_a_wrong_layout_is_refused_without_a_trace(deepassay, folder):
    path = as_lines(folder / "a.jsonl", [{**published.ATTRIBUTION[0], "attribution_label": "?"}])
    done = deepassay("agree", "support", path, "--run", "r.assay")
    assert done.returncode == 2
    assert "a.jsonl, line 1: field 'attribution_label'" in done.stderr
    assert not (folder / "r.assay").exists()


def test_a_file_of_no_judge_is_not_written(deepassay, pairs, folder):
    given = ("agree", "support", "--run", "r.assay", "-o", "labels.json")
    for judges in ((), ("--judge", "offline"), ("--judge", "offline", "--verifier", "offline")):
        done = deepassay(*given, pairs, *judges)
        assert done.returncode == 2
        assert "the offline rule alone is measured here" in done.stderr
    path = as_list(folder / "l.json", published.LFQA)  # its pages are elsewhere: nobody is asked
    done = deepassay(*given, path, "--judge", "openai:x", "--base-url", "http://127.0.0.1:9/v1")
    assert done.returncode == 1, done.stderr
    assert "labels.json is not written" in done.stderr and "none was measured" in done.stderr
    assert not (folder / "labels.json").exists()


def test_o_is_refused_for_pairs_of_ones_own(deepassay, folder):
    (folder / "own.csv").write_text("statement,label,page\ns,supported,p\n")
    done = deepassay("agree", "support", "own.csv", "-o", "labels.json", "--run", "r.assay")
    assert (done.returncode, "this is none" in done.stderr) == (2, True)


def test_preferences_are_judged_in_both_orders_beside_length_and_recall(deepassay, folder):
    rows = [
        {**row, "query": f"{row['query']} {n}", "instance_id": n}
        for n in range(4)
        for row in published.RAGCHECKER
    ]
    path = as_list(folder / "ragchecker.json", rows)
    with FakeJudge(verdicts) as judge:
        done = deepassay("agree", "preferences", path, *asked(judge), "--run", "r.assay")
        assert len(judge.requests) == 8
    assert done.returncode == 0, done.stderr
    assert "openai:good on RAGChecker, overall" in done.stdout
    head = next(line for line in done.stdout.splitlines() if line.startswith("figure"))
    assert "longer one" in head
    assert "plain recall" in done.stdout and "people" in done.stdout
    done = deepassay("agree", "preferences", path, "--label", "correctness", "--run", "r2.assay")
    assert "offline on RAGChecker, correctness" in done.stdout


@pytest.mark.parametrize("format", ["text", "csv", "json"])
def test_pairs_on_which_people_are_divided_are_no_ties_and_are_counted(deepassay, folder, format):
    """Six say the opposite, two differ by a half, and three say one thing."""
    said = [(-2, 2)] * 4 + [(1, -1)] * 2 + [(-1, 0)] * 2 + [(-1, -2)] * 2 + [(1, 1)]
    rows = [
        {**published.RAGCHECKER[0], "query": f"When did ferry {n} open?", "overall_label": label}
        for n, own in enumerate(said)
        for label in own
    ]
    path = as_list(folder / "ragchecker.json", rows)
    done = deepassay("agree", "preferences", path, "--run", "r.assay", "--format", format)
    assert done.returncode == 0, done.stderr
    counted = "Divided, and counted for people alone: 8 items."
    assert done.stderr == f"{counted}\n"
    if format == "text":
        assert counted in done.stdout
    if format == "csv":
        read = csv.DictReader(io.StringIO(done.stdout))
        items = {row["by"]: row["n"] for row in read if row["figure"] == "accuracy"}
        assert items == {"offline": "3", "longer one": "3", "plain recall": "3", "people": "11"}


def test_judgment_bench_is_a_folder(deepassay, folder):
    published.judgment_bench(folder / "JudgmentBench")
    done = deepassay("agree", "preferences", "JudgmentBench", "--run", "r.assay")
    assert done.returncode == 0, done.stderr
    assert "people on JudgmentBench" in done.stdout
    assert done.stderr == "Divided, and counted for people alone: 1 item.\n"
    path = folder / "JudgmentBench" / "human" / "annotations_comparative_judgment.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    said = "preferred_output_id"
    as_csv(path, [{**row, said: row[said] or "o1"} for row in rows])
    done = deepassay("agree", "preferences", "JudgmentBench", "--run", "r.assay")
    assert done.returncode == 0, done.stderr
    assert "offline on JudgmentBench" in done.stdout


def test_rubrics_of_judgment_bench_are_judged_and_held_against_people(deepassay, folder):
    published.judgment_bench(folder / "JudgmentBench")
    with FakeJudge(verdicts) as judge:
        command = ("agree", "rubrics", "JudgmentBench", *asked(judge), "--run", "r.assay")
        done = deepassay(*command)
        count = len(judge.requests)
        assert deepassay(*command).stdout == done.stdout
        assert len(judge.requests) == count > 0
    assert done.returncode == 0, done.stderr
    assert "4/4" in done.stdout and "good" in done.stdout
    read = deepassay("agree", "rubrics", "JudgmentBench", "r.assay")
    assert read.stdout == done.stdout and read.returncode == 0, read.stderr


def test_scores_of_the_bench_from_the_hub_are_read_as_they_are(deepassay, folder, repository):
    demo = repository / "examples" / "demo"
    done = deepassay(
        *("evaluate", demo / "tasks.jsonl", demo / "reports", "--limit", "3", "--protocol", "race"),
        *("--criteria", demo / "criteria.yaml", "--reference", "cuckoo", "--run", "r.assay"),
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (demo / "tasks.jsonl").read_text("utf-8").splitlines()]
    people = as_lines(folder / "human.jsonl", published.race_scores([r["id"] for r in rows[:3]]))
    done = deepassay("agree", "people", "r.assay", "--human", people)
    assert "race, judge offline: scores against people" in done.stdout
    for part in ("comprehensiveness", "insight", "instruction_following", "readability"):
        assert f"race, {part}, judge offline" in done.stdout
    assert "PAR against each person" in done.stdout
    wrong = [{**published.race_scores(["a"])[0], "dimension_scores": {"heron": {"Wit": 3}}}]
    done = deepassay("agree", "people", "r.assay", "--human", as_lines(folder / "w.jsonl", wrong))
    assert done.returncode == 2
    assert "w.jsonl, line 1: field 'dimension_scores.heron': 'Wit' is none of compre" in done.stderr
