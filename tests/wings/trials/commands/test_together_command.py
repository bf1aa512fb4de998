"""`robustness together`, as a user types it: one judge asked in several ways."""

import csv
import io
import json
import re

import pytest

from tests.draws import few_draws  # noqa: F401 - for all tests
from tests.loopback import FakeJudge

CRITERIA = re.compile(r"<<<BEGIN criteria .*?\n(.*)\n<<<END criteria", re.DOTALL)


def items(body):
    prompt = next(each["content"] for each in body["messages"] if each["role"] == "user")
    return re.findall(r"^\d+\. (.*)", CRITERIA.search(prompt)[1], re.MULTILINE)


def lazy(body):
    """A judge that is right alone, and calls everything met but the first when asked at once."""
    said = {}
    for n, text in enumerate(items(body), start=1):
        met = "Yes" if n > 1 or text.startswith("Good") else "No"
        said[f"r{n}"] = {"verdict": met, "reason": "So it is."}
    return json.dumps({"verdicts": said})


def strict(body):
    """A judge that is right however it is asked."""
    said = {
        f"r{n}": {"verdict": "Yes" if text.startswith("Good") else "No", "reason": "So it is."}
        for n, text in enumerate(items(body), start=1)
    }
    return json.dumps({"verdicts": said})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def labels(folder):
    """Eight reports with four criteria each, of which some have fewer good ones."""
    rows = [
        {
            "report": f"Report {at} on rain and snow.",
            "criterion": f"{'Good' if n <= at % 3 else 'Bad'} point {n} of {at}.",
            "verdict": "met" if n <= at % 3 else "not met",
        }
        for at in range(8)
        for n in range(4)
    ]
    path = folder / "labels.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def asked(judge):
    return ("--judge", "openai:m", "--base-url", judge.base_url, "--allow-unpriced")


def test_a_judge_that_reads_only_the_first_is_found_out(deepassay, labels):
    command = ("robustness", "together", labels, "-o", "out", "--format", "csv")
    with FakeJudge(lazy) as judge:
        done = deepassay(*command, *asked(judge))
        count = len(judge.requests)
        again = deepassay(*command, *asked(judge))
        assert len(judge.requests) == count == 64 + 8  # alone twice; four at once
    assert done.returncode == 0, done.stderr
    assert again.stdout == done.stdout
    assert "5, 20 and all are the same here" in done.stderr
    alone, four = csv.DictReader(io.StringIO(done.stdout))
    assert (alone["together"], four["together"]) == ("1", "4")
    assert (alone["accuracy"], alone["same"]) == ("1.0", "1.0")
    good = sum(1 + at % 3 for at in range(8))
    assert float(four["met"]) == pytest.approx(1.0)  # the first is good everywhere
    assert float(four["accuracy"]) == pytest.approx(good / 32)
    assert float(four["same"]) == pytest.approx(good / 32)
    assert float(four["balanced"]) == 0.5 and float(four["better"]) == -0.5
    assert float(four["changed_low"]) > 0
    assert (alone["calls"], four["calls"]) == ("64", "8")
    assert int(four["tokens_in"]) < int(alone["tokens_in"])


def test_the_sentence_claims_a_change_only_where_it_is_shown(deepassay, labels):
    command = ("robustness", "together", labels, "--together", "1", "--together", "2")
    with FakeJudge(strict) as judge:
        done = deepassay(*command, *asked(judge))
    text = " ".join(done.stdout.split())
    assert "gives the verdict that it gives alone on 100.0 % of criteria" in text
    assert "that batching changes verdicts beyond its noise is not shown" in text
    with FakeJudge(lazy) as judge:
        done = deepassay(*command, "-o", "other", *asked(judge))
    text = " ".join(done.stdout.split())
    assert "that batching changes verdicts beyond its noise is shown" in text
    assert "it agrees less with people" in text


def test_tasks_with_rubrics_and_labels_of_people(deepassay, folder):
    rubric = [{"point": f"Good point {n}."} for n in range(3)]
    tasks = [{"id": name, "question": "Why?", "rubric": rubric} for name in ("a", "b")]
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    (folder / "reports" / "heron").mkdir(parents=True)
    for name in ("a", "b", "stray"):
        (folder / "reports" / "heron" / f"{name}.md").write_text(f"On {name}, at length.")
    (folder / "people.csv").write_text(
        "agent,task,criterion,verdict\nheron,a,c1,1\nheron,b,c2,0\nheron,z,c9,0\n"
    )
    with FakeJudge(strict) as judge:
        done = deepassay(
            *("robustness", "together", "tasks.jsonl", "reports", "--human", "people.csv"),
            *("--set", "ruverbench", "--together", "1", "--together", "all", *asked(judge)),
        )
    assert done.returncode == 0, done.stderr
    assert "3 came in, 2 found their tasks with a rubric, 2 used" in done.stderr
    assert "left out: heron, stray." in done.stderr
    assert "3 came in, 2 found their criteria, 2 used" in done.stderr
    assert "m: beside people" in done.stdout


def test_failures_are_told_by_cause_and_are_no_zeros(deepassay, labels):
    def broken(body):
        return strict(body) if len(items(body)) == 1 else "I would rather not."

    with FakeJudge(broken) as judge:
        command = ("robustness", "together", labels, "--together", "1", "--together", "all")
        done = deepassay(*command, *asked(judge))
    assert done.returncode == 0, done.stderr
    assert "32 of 32 verdicts did not come" in " ".join(done.stdout.split())
    assert "Without a verdict, by cause: answer_unreadable 32" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--together", "zero"), "--together 'zero' is no number"),
        (("--together", "51"), "--together 51: that many criteria cannot be asked at once"),
        (("--together", "1"), "There is one way of asking"),
        (("--together", "5", "--together", "20"), "There is one way of asking"),
        (("--human", "people.csv"), "--human goes with tasks and reports"),
    ],
)
def test_what_cannot_be_a_study_is_refused(deepassay, labels, words, said):
    done = deepassay("robustness", "together", labels, *words)
    assert done.returncode == 2 and said in done.stderr
