"""`tasks rank`, as a person types it."""

import csv
import json
from pathlib import Path

import pytest

from deepassay.tasks.loaders import load_tasks
from deepassay.wings.build.arena.rank_eval import read_comparisons
from tests.loopback import FakeJudge
from tests.wings.build.duels import POOR, SOUND, answer

COMPARED = Path("ranked.comparisons.jsonl")
RANK = ("tasks", "rank", "tasks.jsonl", "-o", "ranked.jsonl")


def write(names, prompts=None):
    lines = [
        json.dumps({"id": name, "prompt": (prompts or {}).get(name, f"{SOUND} Site {name}.")})
        for name in names
    ]
    Path("tasks.jsonl").write_text("\n".join(lines), encoding="utf-8")


def ratings(path="ranked.ranking.csv"):
    with Path(path).open(newline="", encoding="utf-8") as lines:
        return {row["id"]: row for row in csv.DictReader(lines)}


def by_site(body):
    """A judge that prefers the task whose site comes first in the alphabet."""
    text = next(each["content"] for each in body["messages"] if each["role"] == "user")
    one, two = (part.split(".")[0] for part in text.split("Site ")[1:3])
    return answer() if one < two else answer(a=2, b=4, better="B")


class Careless:
    """Breaks the menu at first, or at every attempt."""

    def __init__(self, wrong, stubborn=False):
        self.wrong, self.stubborn = wrong, stubborn

    def __call__(self, body):
        again = len([each for each in body["messages"] if each["role"] == "user"]) > 1
        return by_site(body) if again and not self.stubborn else self.wrong


def asking(judge):
    return ("--judge", "openai:good", "--base-url", judge.base_url)


@pytest.fixture
def judge():
    with FakeJudge(by_site) as server:
        yield server


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_single_task_can_be_ranked_again(deepassay):
    write("a")
    for _ in range(2):
        done = deepassay(*RANK)
        assert done.returncode == 1, "there is nobody to compare it with"
    assert ratings()["a"]["rating"] == "1200.0"


def test_tasks_are_ranked_by_rule_and_the_best_kept(deepassay):
    write("abcdefg", {"c": POOR})
    done = deepassay(*RANK, "--keep", "3")
    assert done.returncode == 0, done.stderr
    assert "Verdicts for 6 of 6 pairs are in ranked.comparisons.jsonl." in done.stderr
    assert "The best 3 of 7 tasks are in ranked.jsonl" in done.stderr
    assert "by rule, a baseline" in done.stderr
    rows = ratings()
    assert list(rows)[-1] == "c"
    assert [task.id for task in load_tasks("ranked.jsonl")] == list(rows)[:3]
    assert sum(float(row["rating"]) for row in rows.values()) == pytest.approx(8400, abs=0.5)


def unanswered(body):
    return "I cannot say."


def test_without_a_verdict_nothing_is_ranked_or_chosen(deepassay):
    write("abcdef")
    with FakeJudge(unanswered) as judge:
        done = deepassay(*RANK, "--keep", "3", *asking(judge))
    assert done.returncode == 1
    assert "No pair has a verdict, so nothing was ranked" in done.stderr
    assert "best" not in done.stderr
    assert not Path("ranked.jsonl").exists()
    assert not Path("ranked.ranking.csv").exists()


def test_a_task_without_a_verdict_has_no_rank_and_is_not_chosen(deepassay):
    write("abcdef")

    def judges_all_but_a(body):
        text = next(each["content"] for each in body["messages"] if each["role"] == "user")
        return unanswered(body) if "Site a." in text else by_site(body)

    with FakeJudge(judges_all_but_a) as judge:
        done = deepassay(*RANK, "--keep", "5", *asking(judge))
    assert "Tasks without a verdict, and so without a rank: 1." in done.stderr
    last = list(ratings().values())[-1]
    assert last == {**last, "id": "a", "rank": "", "low": "", "high": "", "compared": "0"}
    assert "a" not in [task.id for task in load_tasks("ranked.jsonl")]


def test_the_seed_decides_and_the_order_of_the_tasks_does_not(deepassay):
    def ranking(names, seed):
        write(names)
        run = ("tasks", "rank", "tasks.jsonl", "-o", f"{names[0]}{seed}.jsonl", "--seed", seed)
        assert deepassay(*run).returncode == 0
        return ratings(f"{names[0]}{seed}.ranking.csv")

    known = ranking("abcdefgh", "1")
    assert ranking("hgfedcba", "1").keys() == known.keys()
    for name, row in ratings("h1.ranking.csv").items():
        assert (row["rating"], row["won"]) == (known[name]["rating"], known[name]["won"])
    assert ranking("abcdefgh", "2") != known


def test_the_same_command_again_asks_nothing_and_changes_nothing(deepassay, judge, tmp_path):
    write("abcdef")
    assert deepassay(*RANK, *asking(judge)).returncode == 0
    asked = len(judge.requests)
    assert asked == 6
    before = {path: path.read_bytes() for path in tmp_path.glob("ranked*")}
    assert len(before) == 3
    done = deepassay(*RANK, *asking(judge))
    assert done.returncode == 0
    assert "(6 had them already)" in done.stderr
    assert len(judge.requests) == asked
    assert {path: path.read_bytes() for path in tmp_path.glob("ranked*")} == before


def test_new_tasks_join_and_only_their_pairs_are_asked(deepassay, judge):
    write("bcdefghi")
    assert deepassay(*RANK, *asking(judge)).returncode == 0
    known = read_comparisons(COMPARED)
    write("abcdefghi")
    done = deepassay(*RANK, *asking(judge))
    assert done.returncode == 0, done.stderr
    found = read_comparisons(COMPARED)
    assert found[: len(known)] == known
    assert [each.round for each in found[len(known) :]] == [3, 4]
    assert all("a" in each.tasks for each in found[len(known) :])
    assert len(judge.requests) == len(known) + 2
    assert ratings()["a"]["won"] == "2"


def test_more_rounds_go_on_from_those_that_were_played(deepassay, judge):
    write("abcd")
    assert deepassay(*RANK, *asking(judge)).returncode == 0
    assert deepassay(*RANK, *asking(judge), "--rounds", "12").returncode == 0
    assert len(judge.requests) == 24  # the same two in the same order are asked anew
    assert list(ratings()) == list("abcd")


def test_answers_are_kept_when_the_files_are_lost(deepassay, judge, tmp_path):
    write("abcdef")
    assert deepassay(*RANK, *asking(judge)).returncode == 0
    before = (tmp_path / "ranked.ranking.csv").read_text()
    for path in tmp_path.glob("ranked*"):
        path.unlink()
    assert deepassay(*RANK, *asking(judge)).returncode == 0
    assert len(judge.requests) == 6
    assert (tmp_path / "ranked.ranking.csv").read_text() == before


@pytest.mark.parametrize(
    "wrong", [answer(confidence=0.4), answer(better="B"), answer(a=3, b=3, better="neither")]
)
def test_what_is_off_the_menu_is_asked_again(deepassay, wrong):
    write("ab")
    with FakeJudge(Careless(wrong)) as careless:
        assert deepassay(*RANK, *asking(careless), "--rounds", "1").returncode == 0
        assert len(careless.requests) == 2
    assert list(ratings()) == ["a", "b"]


def test_a_failure_is_told_and_asked_again_by_the_next_run(deepassay, judge):
    write("abcd")
    with FakeJudge(Careless("It depends.", stubborn=True)) as stubborn:
        done = deepassay(*RANK, *asking(stubborn))
    assert done.returncode == 1
    assert "answer_unreadable" in done.stderr
    assert "Without verdicts: 4 pairs." in done.stderr
    assert all(each.pending for each in read_comparisons(COMPARED))
    done = deepassay(*RANK, *asking(judge), "--run", "other.assay")
    assert done.returncode == 0, done.stderr
    assert not any(each.pending for each in read_comparisons(COMPARED))


def test_out_of_budget_leaves_the_ranking_as_it_was(deepassay, judge, tmp_path):
    write("abcdef")
    (tmp_path / "prices.toml").write_text("good = {input = 1.0, output = 1.0}")
    done = deepassay(*RANK, *asking(judge), "--budget", "0.0001", "--prices", "prices.toml")
    assert done.returncode == 3, done.stderr
    assert not (tmp_path / "ranked.ranking.csv").exists()
    assert deepassay(*RANK, *asking(judge)).returncode == 0


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (("tasks", "rank", "tasks.jsonl", "-o", "tasks.jsonl"), "overwrite the tasks"),
        (("tasks", "rank", "tasks.jsonl", "-o", "there.jsonl"), "was not made by ranking"),
        (("tasks", "rank", "tasks.jsonl", "-o", "r.csv"), "JSON Lines"),
        ((*RANK, "--judge", "openai:good"), "are by offline, not by openai:good"),
    ],
)
def test_what_would_spoil_a_file_is_refused(deepassay, tmp_path, then, said):
    write("abcd")
    (tmp_path / "there.jsonl").write_text('{"id": "x", "prompt": "Mine."}\n')
    assert deepassay(*RANK).returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.glob("*.*l")}
    done = deepassay(*then)
    assert done.returncode == 2
    assert said in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.glob("*.*l")} == before


def test_a_changed_prompt_is_refused(deepassay):
    write("abcd")
    assert deepassay(*RANK).returncode == 0
    write("abcd", {"b": "Deliver a map of something else."})
    done = deepassay(*RANK)
    assert done.returncode == 2
    assert "task 'b' was compared with another prompt" in done.stderr


def test_one_task_alone_stands_first(deepassay):
    write("a")
    done = deepassay(*RANK)
    assert done.returncode == 1, "there is nobody to compare it with"
    assert ratings()["a"]["rating"] == "1200.0"
